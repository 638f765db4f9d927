//! When leftovers are looked at, and when they are cleaned unasked.
//!
//! A look takes a second where many lie about, so it comes seldom and takes a small part of the time, as
//! every measurement here does. Cleaning unasked is off until a person switches it on; then it takes the
//! automatic tier alone, at an interval, and where that was asked for as soon as a volume that holds temp
//! folders is critical. It is told only where something came free or failed.

use std::sync::Arc;
use std::time::Duration;

use sandtray_core::gauge::GaugeKind;
use sandtray_core::leftover::view::{CleanReceipt, CleanedBy, LeftoverSummary};
use sandtray_core::settings::Leftovers;
use sandtray_core::status::GaugeStatus;
use sandtray_core::time::{HOUR, Time};
use sandtray_core::verdict::Verdict;
use tokio::time::Instant;

use super::leftovers::scheduled;
use super::run::{DUTY, Running};
use super::{Ask, Event};
use crate::leftovers::look::look;
use crate::leftovers::scan::Scene;
use crate::leftovers::{parked, receipts};
use crate::walk::Cancel;

/// The first look comes this long after the start, when everything else was measured.
const FIRST: Duration = Duration::from_secs(60);
/// The least time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(30 * 60);
/// A volume that stays critical is cleaned no more often than this.
const AGAIN: i64 = HOUR;
/// Seconds of a day.
const DAY: i64 = 24 * HOUR;

/// What is kept between two ticks.
#[derive(Debug)]
pub(super) struct Schedule {
    look_at: Instant,
    looking: bool,
    /// When the schedule cleaned last; looked up once.
    cleaned_at: Option<Option<Time>>,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            look_at: Instant::now() + FIRST,
            looking: false,
            cleaned_at: None,
        }
    }
}

/// Whether to clean now.
fn is_due(settings: Leftovers, cleaned_at: Option<Time>, critical: bool, now: Time) -> bool {
    // A clock that went back must not hold it up for years.
    let since = |last: Option<Time>| last.map(|last| now.since(last)).filter(|span| *span >= 0);
    let last = since(cleaned_at);
    let regular = settings.schedule
        && last.is_none_or(|span| span >= i64::from(settings.hours.max(1)) * HOUR);
    let urgent = settings.when_critical && critical && last.is_none_or(|span| span >= AGAIN);
    regular || urgent
}

/// Whether a volume is so full that cleaning cannot wait.
fn is_critical(gauges: &[GaugeStatus]) -> bool {
    gauges.iter().any(|gauge| {
        let host = matches!(gauge.kind, GaugeKind::HostBytes | GaugeKind::HostInodes);
        host && gauge.live && gauge.verdict == Verdict::Critical
    })
}

impl Running {
    /// Everything that is looked at for leftovers.
    pub(super) fn swept(&self) -> Scene {
        let claude = self.state.settings.claude.clone();
        Scene::new(
            self.state.machine().clone(),
            claude,
            self.state.located.clone(),
        )
    }

    /// Looks and cleans where it is time to. Only the app does.
    pub(super) fn sweep_when_due(&mut self) {
        if !self.acts || self.sweep.is_busy() || !self.state.is_measured() {
            return;
        }
        let now = self.state.now();
        let machine = self.state.machine();
        let cleaned_at = *self
            .schedule
            .cleaned_at
            .get_or_insert_with(|| last(&receipts::read(machine).unwrap_or_default()));
        let settings = self.state.settings.leftovers;
        let critical = settings.when_critical && is_critical(&self.state.status(now).gauges);
        if is_due(settings, cleaned_at, critical, now) {
            self.schedule.cleaned_at = Some(Some(now));
            self.clean();
        } else if !self.schedule.looking && Instant::now() >= self.schedule.look_at {
            self.look_for_leftovers();
        }
    }

    fn look_for_leftovers(&mut self) {
        let scene = self.swept();
        let (settings, now) = (self.state.settings.leftovers, self.state.now());
        self.schedule.looking = self.spawn("sandtray-leftovers", move || {
            discard_old(&scene, settings, now);
            let begun = std::time::Instant::now();
            let found = look(&scene, &Cancel::default(), &mut |_| {});
            Ask::Looked((&found.view).into(), begun.elapsed())
        });
    }

    /// Takes what a look of our own found.
    pub(super) fn absorb_look(&mut self, summary: LeftoverSummary, took: Duration) {
        self.schedule.looking = false;
        self.schedule.look_at = Instant::now() + LOOK_EVERY.max(took * DUTY);
        self.state.leftovers = Some(summary);
        self.publish();
    }

    fn clean(&self) {
        let (sweep, scene, inbox) = (Arc::clone(&self.sweep), self.swept(), self.inbox.clone());
        let spawned = std::thread::Builder::new()
            .name("sandtray-clean".into())
            .spawn(move || scheduled(&sweep, &scene, &|ask| drop(inbox.send(ask))));
        if let Err(error) = spawned {
            tracing::warn!("no thread to clean: {error}");
        }
    }

    /// A clean-up is over: what can go now is something else.
    pub(super) fn cleaned(&mut self, receipt: Box<CleanReceipt>) {
        let quiet =
            receipt.by == CleanedBy::Schedule && receipt.removed == 0 && receipt.failed.is_empty();
        if !quiet {
            (self.on_event)(Event::Cleaned(receipt));
        }
        self.publish_cleaning();
        self.schedule.look_at = Instant::now();
        self.locate();
    }

    pub(super) fn publish_cleaning(&mut self) {
        let cleaning = self.sweep.cleaning(self.state.machine());
        (self.on_event)(Event::Cleaning(Box::new(cleaning)));
    }
}

/// When the schedule cleaned last.
fn last(receipts: &[CleanReceipt]) -> Option<Time> {
    let mut mine = receipts.iter().rev();
    mine.find(|receipt| receipt.by == CleanedBy::Schedule)
        .map(|receipt| receipt.begun_at)
}

/// Discards what was moved aside longer ago than the person allows, where they set a time.
fn discard_old(scene: &Scene, settings: Leftovers, now: Time) {
    if settings.discard_after_days == 0 {
        return;
    }
    let most = i64::from(settings.discard_after_days) * DAY;
    for copy in parked::list(&scene.machine) {
        if now.since(copy.parked_at) >= most
            && let Err(failure) = parked::discard(&scene.machine, &copy.id, &Cancel::default())
        {
            tracing::warn!("{failure}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_796_000_000);

    fn settings(schedule: bool, when_critical: bool) -> Leftovers {
        Leftovers {
            schedule,
            when_critical,
            ..Leftovers::default()
        }
    }

    #[test]
    fn nothing_is_cleaned_unasked_until_it_is_switched_on() {
        let off = settings(false, false);
        assert!(!is_due(off, None, true, NOW));
        assert!(!is_due(off, Some(NOW.plus(-100 * DAY)), true, NOW));
    }

    #[test]
    fn the_interval_counts_from_the_last_clean_up_of_the_schedule() {
        let on = settings(true, false);
        assert!(is_due(on, None, false, NOW), "never yet");
        assert!(!is_due(on, Some(NOW.plus(-DAY + 1)), false, NOW));
        assert!(is_due(on, Some(NOW.plus(-DAY)), false, NOW));
        assert!(
            is_due(on, Some(NOW.plus(DAY * 400)), false, NOW),
            "a clock that went back does not hold it up"
        );
    }

    #[test]
    fn a_critical_volume_does_not_wait_for_the_interval_and_is_not_cleaned_without_end() {
        let urgent = settings(false, true);
        assert!(is_due(urgent, Some(NOW.plus(-HOUR)), true, NOW));
        assert!(!is_due(urgent, Some(NOW.plus(-HOUR + 1)), true, NOW));
        assert!(!is_due(urgent, None, false, NOW));
    }
}

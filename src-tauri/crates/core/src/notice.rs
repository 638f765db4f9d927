//! What to tell, once: a step with memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::gauge::GaugeId;
use crate::settings::{Settings, Snooze};
use crate::status::GaugeStatus;
use crate::time::{DAY, HOUR, Time};
use crate::verdict::{Cause, Judgement, Verdict};
use crate::words;

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// It will get tight.
    Low,
    /// Work fails soon.
    Critical,
    /// Told once more: full.
    Full,
}

/// What we decide to tell. The OS notification shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Notice {
    /// The gauge it speaks of; a click leads there.
    pub gauge: GaugeId,
    /// How loud.
    pub level: NoticeLevel,
    /// What and when, in one sentence.
    pub title: String,
    /// The remedy, in one sentence.
    pub body: String,
}

impl NoticeLevel {
    /// How loud a judged gauge is; none while it is fine or unknown.
    #[must_use]
    pub fn of(gauge: &GaugeStatus) -> Option<Self> {
        match gauge.verdict {
            Verdict::Ok | Verdict::Unknown => None,
            Verdict::Low => Some(Self::Low),
            Verdict::Critical if gauge.full => Some(Self::Full),
            Verdict::Critical => Some(Self::Critical),
        }
    }
}

/// What is remembered of one gauge between rounds and across restarts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Incident {
    /// When it left Ok; none while it is fine.
    pub since: Option<Time>,
    /// The loudest level told in this incident.
    pub told: Option<NoticeLevel>,
    /// No notices before this moment.
    pub snoozed_until: Option<Time>,
    /// What the snooze silences: the level at the time, and low at least. A louder one passes.
    pub silenced: Option<NoticeLevel>,
    /// The last known judged state, for hysteresis across restarts; an unknown look leaves it.
    pub verdict: Option<Verdict>,
    /// What made it so.
    pub cause: Option<Cause>,
    /// It counted as full.
    pub full: bool,
    /// The day it was last seen; a gauge that stays away is forgotten.
    pub seen: Time,
}

/// The latch: memory of all gauges. Holds only gauges that are in an incident or snoozed, so it
/// changes, and needs to be stored, rarely: compare it before and after [`step`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Latch {
    /// By gauge.
    pub incidents: BTreeMap<GaugeId, Incident>,
    /// Start of the day (UTC) that `told_today` counts.
    pub day: Time,
    /// Notices told on that day.
    pub told_today: u8,
}

/// After how long the memory of a gauge that is not there any more is dropped.
const FORGET: i64 = 30 * DAY;

impl Latch {
    /// The last known judgement of a gauge, for [`crate::verdict::judge`].
    #[must_use]
    pub fn before(&self, gauge: &GaugeId) -> Option<Judgement> {
        let incident = self.incidents.get(gauge)?;
        Some(Judgement {
            verdict: incident.verdict?,
            cause: incident.cause,
            full: incident.full,
        })
    }

    /// Until when a gauge is snoozed.
    #[must_use]
    pub fn snoozed_until(&self, gauge: &GaugeId, now: Time) -> Option<Time> {
        let until = self.incidents.get(gauge)?.snoozed_until?;
        (until > now).then_some(until)
    }

    /// Is quiet about one of `gauges`, or about all of them where none is named.
    ///
    /// It silences the level of now (low at least): what gets worse passes. What is still there when
    /// it ends is told once more. An id that is not among `gauges` changes nothing.
    pub fn snooze(
        &mut self,
        gauge: Option<&GaugeId>,
        span: Snooze,
        gauges: &[GaugeStatus],
        now: Time,
    ) {
        let until = match span {
            Snooze::Hour => Some(now.plus(HOUR)),
            Snooze::Day => Some(now.plus(DAY)),
            Snooze::Off => None,
        };
        for one in gauges {
            if gauge.is_some_and(|id| *id != one.id) {
                continue;
            }
            let incident = self.incidents.entry(one.id.clone()).or_default();
            incident.seen = now;
            incident.silenced = until.map(|_| {
                let level = NoticeLevel::of(one).unwrap_or(NoticeLevel::Low);
                incident.told.map_or(level, |told| told.max(level))
            });
            incident.snoozed_until = until;
            if until.is_none() {
                // "Tell again" tells again.
                incident.told = None;
            }
        }
        self.incidents.retain(|_, incident| !incident.is_blank());
    }

    /// Begins a new day of counting. A clock set back does not give a second allowance.
    fn turn_day(&mut self, now: Time) {
        let day = Time(now.0.saturating_sub(now.0.rem_euclid(DAY)));
        if day > self.day {
            self.told_today = 0;
        }
        self.day = day;
    }
}

impl Incident {
    /// Takes one look at its gauge.
    fn look(&mut self, gauge: &GaugeStatus, now: Time) {
        if !(0..DAY).contains(&now.since(self.seen)) {
            self.seen = now;
        }
        if let Some(until) = self.snoozed_until {
            if until <= now {
                self.snoozed_until = None;
                self.silenced = None;
                self.told = None;
            } else if until > now.plus(DAY) {
                // The clock was set back; no snooze is longer than a day.
                self.snoozed_until = Some(now.plus(DAY));
            }
        }
        match gauge.verdict {
            Verdict::Unknown => return,
            Verdict::Ok => {
                self.since = None;
                self.told = None;
            }
            Verdict::Low | Verdict::Critical => {
                self.since.get_or_insert(now);
            }
        }
        self.verdict = Some(gauge.verdict);
        self.cause = gauge.cause;
        self.full = gauge.full;
    }

    /// The level to tell now.
    fn due(&self, gauge: &GaugeStatus) -> Option<NoticeLevel> {
        let level = NoticeLevel::of(gauge)?;
        // `Some(level)` is more than `None`: nothing told, nothing silenced.
        let new = Some(level) > self.told;
        let heard = Some(level) > self.silenced;
        (gauge.live && new && heard).then_some(level)
    }

    /// Whether there is nothing to remember.
    fn is_blank(&self) -> bool {
        self.since.is_none() && self.snoozed_until.is_none()
    }
}

/// One round: updates the latch, returns what to tell now, the loudest first.
///
/// One notice per incident and level, also across restarts; what recovered may be told anew, what
/// became unknown neither ends nor repeats anything. Low notices stop at the daily ceiling, louder
/// ones pass. What is held back by the ceiling, a snooze or the switched-off notifications is not
/// marked as told: it is told when it may be, if it is still there. Disks of a bundle that is not in
/// use are never told.
pub fn step(
    latch: &mut Latch,
    gauges: &[GaugeStatus],
    settings: &Settings,
    now: Time,
) -> Vec<Notice> {
    latch.turn_day(now);
    let mut due = Vec::new();
    for gauge in gauges {
        let incident = latch.incidents.entry(gauge.id.clone()).or_default();
        incident.look(gauge, now);
        if let Some(level) = incident.due(gauge) {
            due.push((level, gauge));
        }
    }
    latch
        .incidents
        .retain(|_, incident| !incident.is_blank() && now.since(incident.seen) <= FORGET);
    if !settings.notifications {
        return Vec::new();
    }
    due.sort_by_key(|(level, _)| Reverse(*level));
    let mut notices = Vec::new();
    for (level, gauge) in due {
        if level == NoticeLevel::Low && latch.told_today >= settings.daily_notices {
            continue;
        }
        latch.told_today = latch.told_today.saturating_add(1);
        if let Some(incident) = latch.incidents.get_mut(&gauge.id) {
            incident.told = Some(level);
        }
        let (title, body) = words::notice(gauge, now);
        notices.push(Notice {
            gauge: gauge.id.clone(),
            level,
            title,
            body,
        });
    }
    notices
}

#[cfg(test)]
mod tests;

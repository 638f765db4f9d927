//! From what was found to the snapshot that surfaces draw.

use std::cmp::Reverse;

use super::{
    Fault, GaugeStatus, MeterStatus, Progress, STATUS_SCHEMA, Shape, Status, relevant, worst,
};
use crate::bundle::{Bundle, BundleDisk, BundleView, Role, RootWhy, TempRoot, TempRootView};
use crate::forecast::Forecast;
use crate::gauge::{Gauge, GaugeId, GaugeKind, Meter};
use crate::inside::HomesSummary;
use crate::leftover::view::LeftoverSummary;
use crate::measurement::Gap;
use crate::notice::Latch;
use crate::paths::PathText;
use crate::time::Time;
use crate::verdict::{Judgement, Verdict};
use crate::words;

/// Gaps that a status carries; the rest is only counted.
pub const GAPS_SHOWN: usize = 100;

/// A gauge with what was made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The look.
    pub gauge: Gauge,
    /// Where it leads.
    pub forecast: Forecast,
    /// What it means.
    pub judgement: Judgement,
}

/// What a status is made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Now.
    pub at: Time,
    /// Every gauge, judged, in any order.
    pub gauges: &'a [Judged],
    /// Every meter with its units per day.
    pub meters: &'a [(Meter, Option<f64>)],
    /// For snoozes.
    pub latch: &'a Latch,
    /// Every bundle.
    pub bundles: &'a [Bundle],
    /// Disks of bundles, as last looked into.
    pub disks: &'a [BundleDisk],
    /// Every temp root.
    pub temp_roots: &'a [TempRoot],
    /// Largest groups of like-named siblings.
    pub shapes: &'a [Shape],
    /// Session homes on each sessions disk, as last read.
    pub homes: &'a [HomesSummary],
    /// What of the leftovers could go, as last looked at.
    pub leftovers: Option<LeftoverSummary>,
    /// Everything that could not be read.
    pub gaps: &'a [Gap],
    /// A running full measurement.
    pub progress: Option<Progress>,
    /// When everything was last measured in full.
    pub measured_at: Option<Time>,
    /// What is wrong with Sandtray itself.
    pub faults: &'a [Fault],
    /// "Demo".
    pub label: Option<&'a str>,
}

impl Status {
    /// Makes the snapshot: names, order, verdict, sentences.
    ///
    /// Order of gauges: those in use before the rest; full, critical, low, unknown, fine; sessions
    /// disk, system disk, volumes, inodes of volumes, inodes of disks; by name. The verdict is that of [`worst`].
    #[must_use]
    pub fn assemble(parts: &Parts<'_>) -> Self {
        let mut gauges: Vec<GaugeStatus> = parts
            .gauges
            .iter()
            .map(|judged| gauge_status(judged, parts))
            .collect();
        gauges.sort_by(|a, b| order(a).cmp(&order(b)));
        let mut status = Self {
            schema: STATUS_SCHEMA,
            at: parts.at,
            verdict: worst(&gauges).map_or(Verdict::Unknown, |gauge| gauge.verdict),
            summary: String::new(),
            advice: String::new(),
            worst: worst(&gauges).map(|gauge| gauge.id.clone()),
            gauges,
            meters: parts.meters.iter().map(meter_status).collect(),
            bundles: parts
                .bundles
                .iter()
                .map(|bundle| bundle_view(bundle, parts.disks))
                .collect(),
            temp_roots: parts.temp_roots.iter().map(TempRootView::from).collect(),
            shapes: parts.shapes.to_vec(),
            homes: parts.homes.to_vec(),
            leftovers: parts.leftovers,
            gaps: parts.gaps.iter().take(GAPS_SHOWN).cloned().collect(),
            gap_count: u32::try_from(parts.gaps.len()).unwrap_or(u32::MAX),
            progress: parts.progress,
            measured_at: parts.measured_at,
            faults: parts.faults.to_vec(),
            label: parts.label.map(str::to_owned),
        };
        (status.summary, status.advice) = words::summary(&status);
        status
    }

    /// Whether anything of Claude's is here, or a person named a place to watch. The system's temp
    /// folder alone is none of it.
    #[must_use]
    pub fn has_sandbox(&self) -> bool {
        let guest = relevant(&self.gauges).any(|gauge| gauge.kind.is_guest());
        let ours = |why| !matches!(why, RootWhy::SystemTemp | RootWhy::UserTemp);
        guest || !self.bundles.is_empty() || self.temp_roots.iter().any(|root| ours(root.why))
    }
}

fn order(gauge: &GaugeStatus) -> impl Ord + '_ {
    (
        !gauge.live,
        Reverse((gauge.verdict, gauge.full)),
        gauge.kind,
        gauge.name.as_str(),
        &gauge.id,
    )
}

fn gauge_status(judged: &Judged, parts: &Parts<'_>) -> GaugeStatus {
    let gauge = &judged.gauge;
    let mut name = words::gauge_name(gauge.kind, &gauge.thing, gauge.memory);
    let bundle = parts
        .bundles
        .iter()
        .find(|bundle| gauge.kind.is_guest() && gauge.id == GaugeId::new(gauge.kind, &bundle.id));
    if gauge.kind.is_guest() {
        let rivals = parts
            .gauges
            .iter()
            .filter(|other| other.gauge.kind == gauge.kind && other.gauge.live)
            .count();
        let owner = bundle.map_or_else(
            || words::middle(&gauge.thing, 32),
            |bundle| words::bundle_name(&bundle.profile, &PathText::new(&bundle.path).path),
        );
        if !gauge.live {
            name = format!("{name} ({owner}, not in use)");
        } else if rivals > 1 {
            name = format!("{name} ({owner})");
        }
    }
    let mut status = GaugeStatus::new(gauge, name, &judged.forecast, judged.judgement);
    if let Some(bundle) = bundle {
        status.detail = PathText::new(&bundle.path).path;
    }
    status.snoozed_until = parts.latch.snoozed_until(&gauge.id, parts.at);
    status
}

fn bundle_view(bundle: &Bundle, disks: &[BundleDisk]) -> BundleView {
    let is_of = |disk: &&BundleDisk| {
        let kind = match disk.role {
            Role::SessionData => GaugeKind::GuestSessions,
            _ => GaugeKind::GuestSystem,
        };
        disk.disk.0 == GaugeId::new(kind, &bundle.id).0
    };
    BundleView {
        disks: disks.iter().filter(is_of).cloned().collect(),
        ..BundleView::from(bundle)
    }
}

fn meter_status((meter, rate): &(Meter, Option<f64>)) -> MeterStatus {
    MeterStatus::new(meter, words::meter_name(meter.kind, &meter.thing), *rate)
}

#[cfg(test)]
mod tests;

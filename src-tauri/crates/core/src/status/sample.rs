//! Statuses for tests of notices, words and the snapshot.

use crate::forecast::{Forecast, NoForecast};
use crate::gauge::{Gauge, GaugeId, GaugeKind, Level, UnknownReason};
use crate::notice::Latch;
use crate::settings::Thresholds;
use crate::status::{GaugeStatus, Judged, Parts, Status};
use crate::time::{DAY, Time};
use crate::verdict::judge;
use crate::words;

pub(crate) const NOW: Time = Time(1_795_000_000);
pub(crate) const GB: u64 = 1_000_000_000;

pub(crate) fn gauge(kind: GaugeKind, thing: &str, used: u64, available: u64) -> Gauge {
    Gauge {
        id: GaugeId::new(kind, thing),
        kind,
        thing: thing.to_owned(),
        level: Ok(Level {
            used,
            available,
            limit: used + available,
        }),
        baseline: None,
        as_of: NOW,
        memory: false,
        live: true,
    }
}

/// A sessions disk of 9.3 GB with `permille` taken.
pub(crate) fn sessions(permille: u64) -> Gauge {
    let used = 9_300_000 * permille;
    gauge(
        GaugeKind::GuestSessions,
        "Claude",
        used,
        9_300_000_000 - used,
    )
}

pub(crate) fn unknown(gauge: Gauge, reason: UnknownReason) -> Gauge {
    Gauge {
        level: Err(reason),
        ..gauge
    }
}

/// Full in `days`, give or take a fifth.
pub(crate) fn filling(days: i64) -> Forecast {
    Forecast::Filling {
        rate: 0.54e9,
        earliest: NOW.plus(days * DAY - days * DAY / 5),
        likely: NOW.plus(days * DAY),
        latest: Some(NOW.plus(days * DAY + days * DAY / 5)),
    }
}

pub(crate) fn judged(gauge: Gauge, forecast: Forecast) -> Judged {
    let judgement = judge(&gauge, &forecast, None, &Thresholds::default(), NOW);
    Judged {
        gauge,
        forecast,
        judgement,
    }
}

pub(crate) fn steady(gauge: Gauge) -> Judged {
    let forecast = match gauge.level {
        Ok(_) => Forecast::Steady { rate: 0.0 },
        Err(_) => Forecast::Unknown(NoForecast::NoLevel),
    };
    judged(gauge, forecast)
}

pub(crate) fn one(gauge: Gauge, forecast: Forecast) -> GaugeStatus {
    let judged = judged(gauge, forecast);
    let gauge = &judged.gauge;
    let name = words::gauge_name(gauge.kind, &gauge.thing, gauge.memory);
    GaugeStatus::new(gauge, name, &judged.forecast, judged.judgement)
}

/// Parts with nothing in them but gauges, measured a minute ago.
pub(crate) fn parts<'a>(gauges: &'a [Judged], latch: &'a Latch) -> Parts<'a> {
    Parts {
        at: NOW,
        gauges,
        meters: &[],
        latch,
        bundles: &[],
        disks: &[],
        temp_roots: &[],
        shapes: &[],
        homes: &[],
        leftovers: None,
        gaps: &[],
        progress: None,
        measured_at: Some(NOW.plus(-60)),
        faults: &[],
        label: None,
    }
}

pub(crate) fn status(gauges: &[Judged]) -> Status {
    Status::assemble(&parts(gauges, &Latch::default()))
}

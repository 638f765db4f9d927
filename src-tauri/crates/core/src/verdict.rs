//! The judged state of a gauge, with hysteresis.
//!
//! Three yardsticks, each with a line for low and one for critical; the worst one counts:
//!
//! | gauge | percent of usable | available | time to full |
//! |---|---|---|---|
//! | sessions disk | yes, and a line for full | | yes |
//! | system disk | never: 86 % full on its first day (#37860) | yes, unless it holds no more than a fresh one | yes |
//! | host volume | never: a laptop sits at 85 % all year | yes, the line scales down with the volume | yes |
//! | inodes, of a volume or of either disk | yes | | yes |
//!
//! A system disk whose release is known ([`crate::baseline`]) is as good as fresh while it uses at most
//! [`FRESH_MARGIN`] points more than a fresh one: however little that leaves is what the app ships, and
//! no cleaning makes more of it. Only one that is truly full is critical all the same. One of an
//! unknown release is judged by what is available alone.
//!
//! Time counts only where the forecast is known, its band is narrow and half is taken already: a
//! fresh disk being unpacked does not alarm (#89869, #81427).
//!
//! Memory: a state is left only when the same yardstick has recovered by the re-arm margin: 3 points of
//! percent, 20 % of available bytes, twice the time. A gauge without a number is `Unknown`; the
//! caller keeps the last known judgement as `before` ([`crate::notice::Latch::before`]), so that a
//! look that failed neither ends an incident nor begins a second one.

use serde::{Deserialize, Serialize};

use crate::bytes::ratio_part;
use crate::forecast::{Forecast, NoForecast};
use crate::gauge::{Gauge, GaugeKind, Level};
use crate::settings::Thresholds;
use crate::time::{DAY, HOUR, Time};

/// The judged state of a gauge. The order is that of "which matters more".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing to do.
    Ok,
    /// No number; never taken for fine.
    Unknown,
    /// It will get tight.
    Low,
    /// Work fails soon or already does.
    Critical,
}

/// What made a gauge low or critical; the words follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Percent of what is usable.
    Percent,
    /// Too little available, in absolute terms.
    Available,
    /// Time to full.
    Time,
    /// Full: nothing, or next to nothing, is available.
    Full,
}

/// A verdict with what made it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The state.
    pub verdict: Verdict,
    /// What made it low or critical.
    pub cause: Option<Cause>,
    /// At or over the line where it is told once more (sessions disk: 99 %).
    pub full: bool,
}

/// What a system disk may use above a fresh one and still count as fresh, in points of what is usable.
pub const FRESH_MARGIN: f64 = 5.0;
/// Re-arm margin of percent lines, in points.
const PERCENT_MARGIN: f64 = 3.0;
/// Re-arm margin of lines in bytes, as a factor.
const AVAILABLE_MARGIN: f64 = 1.2;
/// Re-arm margin of lines in time, as a factor.
const TIME_MARGIN: f64 = 2.0;
/// Percent taken below which time to full says nothing.
const TIME_PERCENT: f64 = 50.0;
/// The late end of the band may lie this many times the line ahead; beyond it the band is too wide.
const TIGHT: f64 = 4.0;
/// Available bytes that are next to nothing on any disk.
const NOTHING_BYTES: u64 = 10_000_000;
/// Inodes that are next to nothing.
const NOTHING_INODES: u64 = 100;

/// Judges one gauge. `before` is the last known judgement of this gauge: a state is left only when
/// the number has recovered by the re-arm margin, so that a number swinging around a line does not flap.
#[must_use]
pub fn judge(
    gauge: &Gauge,
    forecast: &Forecast,
    before: Option<Judgement>,
    thresholds: &Thresholds,
    now: Time,
) -> Judgement {
    let level = match gauge.level {
        // A filesystem without a size (a virtual one) can be called neither fine nor full.
        Ok(level) if level.limit > 0 => level,
        _ => {
            return Judgement {
                verdict: Verdict::Unknown,
                cause: None,
                full: false,
            };
        }
    };
    let before = before.filter(|before| before.verdict >= Verdict::Low);

    if is_full(gauge.kind, level, before, thresholds) {
        return Judgement {
            verdict: Verdict::Critical,
            cause: Some(Cause::Full),
            full: true,
        };
    }
    let (low, critical) = lines(gauge, level, thresholds);
    for (verdict, line, seconds) in [
        (
            Verdict::Critical,
            critical,
            hours(thresholds.critical_hours),
        ),
        (Verdict::Low, low, days(thresholds.low_days)),
    ] {
        // Only the yardstick that was over its line gets the margin.
        let held = |cause| {
            before.is_some_and(|before| {
                let same = before.cause == Some(cause) || before.cause == Some(Cause::Full);
                before.verdict >= verdict && same
            })
        };
        let line_held = held(line.cause());
        let cause = if line.is_over(level, line_held) && !is_fresh(gauge, level, line_held) {
            Some(line.cause())
        } else if is_soon(forecast, level, seconds, held(Cause::Time), now) {
            Some(Cause::Time)
        } else {
            None
        };
        if cause.is_some() {
            return Judgement {
                verdict,
                cause,
                full: false,
            };
        }
    }
    Judgement {
        verdict: Verdict::Ok,
        cause: None,
        full: false,
    }
}

/// A line on a level.
#[derive(Clone, Copy, Debug)]
enum Line {
    /// At or over this percent; 0 is switched off.
    Percent(u8),
    /// Below this many available.
    Available(u64),
}

impl Line {
    const fn cause(self) -> Cause {
        match self {
            Self::Percent(_) => Cause::Percent,
            Self::Available(_) => Cause::Available,
        }
    }

    fn is_over(self, level: Level, held: bool) -> bool {
        match self {
            Self::Percent(0) => false,
            Self::Percent(line) => {
                let margin = if held { PERCENT_MARGIN } else { 0.0 };
                level.percent() >= f64::from(line) - margin
            }
            Self::Available(line) => {
                let margin = if held { AVAILABLE_MARGIN } else { 1.0 };
                ratio_part(level.available) < ratio_part(line) * margin
            }
        }
    }
}

/// The lines for low and critical.
fn lines(gauge: &Gauge, level: Level, thresholds: &Thresholds) -> (Line, Line) {
    match gauge.kind {
        GaugeKind::GuestSessions => (
            Line::Percent(thresholds.sessions_low_percent),
            Line::Percent(thresholds.sessions_critical_percent),
        ),
        GaugeKind::GuestSystem => (
            Line::Available(thresholds.system_low_available),
            Line::Available(thresholds.system_critical_available),
        ),
        GaugeKind::HostBytes => {
            // A tenth and a twenty-fifth where that is less: 15 GB are nothing special on a memory
            // stick. Full memory ends programs, not only writes (#40108): twice as early there.
            let part = if gauge.memory { 2 } else { 1 };
            let low = (level.limit / 10).saturating_mul(part);
            let critical = (level.limit / 25).saturating_mul(part);
            (
                Line::Available(thresholds.host_low_available.min(low)),
                Line::Available(thresholds.host_critical_available.min(critical)),
            )
        }
        GaugeKind::HostInodes | GaugeKind::GuestSessionsInodes | GaugeKind::GuestSystemInodes => (
            Line::Percent(thresholds.inodes_low_percent),
            Line::Percent(thresholds.inodes_critical_percent),
        ),
    }
}

/// Whether a system disk holds no more than a fresh one of its release, give or take a little.
fn is_fresh(gauge: &Gauge, level: Level, held: bool) -> bool {
    let Some(baseline) = gauge
        .baseline
        .filter(|_| gauge.kind == GaugeKind::GuestSystem)
    else {
        return false;
    };
    let usable = level.used.saturating_add(level.available);
    let margin = FRESH_MARGIN - if held { PERCENT_MARGIN } else { 0.0 };
    ratio_part(level.used) <= ratio_part(baseline) + ratio_part(usable) * margin / 100.0
}

/// Whether nothing, or next to nothing, can be written.
fn is_full(
    kind: GaugeKind,
    level: Level,
    before: Option<Judgement>,
    thresholds: &Thresholds,
) -> bool {
    let held = before.is_some_and(|before| before.full);
    let nothing = if kind.in_bytes() {
        NOTHING_BYTES
    } else {
        NOTHING_INODES
    };
    let nothing = nothing.min(level.used.saturating_add(level.available) / 100);
    level.available == 0
        || Line::Available(nothing).is_over(level, held)
        || (kind == GaugeKind::GuestSessions
            && Line::Percent(thresholds.sessions_full_percent).is_over(level, held))
}

/// Whether it will be full within `line` seconds.
fn is_soon(forecast: &Forecast, level: Level, line: i64, held: bool, now: Time) -> bool {
    let margin = if held { PERCENT_MARGIN } else { 0.0 };
    if line <= 0 || level.percent() < TIME_PERCENT - margin {
        return false;
    }
    let within = |moment: Time, factor: f64| {
        let left = u64::try_from(moment.since(now)).unwrap_or(0);
        ratio_part(left) <= ratio_part(line.unsigned_abs()) * factor
    };
    match *forecast {
        Forecast::Filling { likely, latest, .. } => {
            let tight = latest.is_some_and(|latest| within(latest, TIGHT));
            (within(likely, 1.0) && tight) || (held && within(likely, TIME_MARGIN))
        }
        Forecast::Steady { .. } | Forecast::Shrinking { .. } => false,
        // Not knowing for a while is no recovery; a history that begins anew, or that contradicts
        // itself, is.
        Forecast::Unknown(reason) => match reason {
            NoForecast::Stale | NoForecast::TooShort | NoForecast::NoLevel => held,
            NoForecast::TooFew | NoForecast::TooNoisy => false,
        },
    }
}

fn hours(count: u8) -> i64 {
    i64::from(count).saturating_mul(HOUR)
}

fn days(count: u8) -> i64 {
    i64::from(count).saturating_mul(DAY)
}

#[cfg(test)]
mod tests;

//! A past for a machine: sixteen days since a reset, the way such days look.
//!
//! Values end at what the machine really shows now, so that the next measurement continues the line.

use sandtray_core::gauge::{GaugeId, GaugeKind, MeterKind};
use sandtray_core::history::{Event, EventKind, Unit};
use sandtray_core::machine::Machine;
use sandtray_core::status::Status;
use sandtray_core::time::{DAY, HOUR, MINUTE, Time};
use sandtray_host::error::Failure;
use sandtray_host::store::{History, SeriesMeta};

/// When the sessions disk was last reset.
pub const RESET: i64 = 16 * DAY;
/// How far back the past goes.
const SPAN: i64 = 19 * DAY;
/// The rate at which the last two days are kept; before them a point each quarter of an hour.
const FINE: i64 = 2 * DAY;

/// Writes the past of everything that `status` shows into the machine's history.
///
/// # Errors
/// Where the history cannot be written.
pub fn write(machine: &Machine, status: &Status) -> Result<(), Failure> {
    let now = status.at;
    let mut history = History::open(&machine.own_data, now);
    for gauge in &status.gauges {
        let Some(used) = gauge.used else { continue };
        let meta = SeriesMeta {
            id: gauge.id.clone(),
            name: gauge.name.clone(),
            unit: if gauge.kind.in_bytes() {
                Unit::Bytes
            } else {
                Unit::Entries
            },
            limit: gauge.limit,
        };
        let shape = match gauge.kind {
            GaugeKind::GuestSessions | GaugeKind::GuestSessionsInodes => Shape::Sessions,
            GaugeKind::GuestSystem | GaugeKind::GuestSystemInodes => Shape::Flat,
            GaugeKind::HostBytes | GaugeKind::HostInodes => Shape::Slow,
        };
        history.import(&meta, shape.line(now, used))?;
        if gauge.kind == GaugeKind::GuestSessions {
            history.mark(reset(now, gauge.id.clone()));
        }
    }
    for meter in &status.meters {
        let Some(value) = meter.value else { continue };
        let meta = SeriesMeta {
            id: meter.id.clone(),
            name: meter.name.clone(),
            unit: if meter.kind.in_bytes() {
                Unit::Bytes
            } else {
                Unit::Entries
            },
            limit: None,
        };
        let shape = match meter.kind {
            MeterKind::BundleAllocated => Shape::Sessions,
            MeterKind::RootAllocated | MeterKind::RootEntries => Shape::Litter,
        };
        history.import(&meta, shape.line(now, value))?;
    }
    Ok(())
}

fn reset(now: Time, id: GaugeId) -> Event {
    Event {
        at: now.plus(-RESET),
        id,
        kind: EventKind::SteppedDown,
    }
}

/// How a quantity came to what it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Full, emptied by the reset, and filling on every working day since.
    Sessions,
    /// As it is now, from the first day.
    Flat,
    /// A little more every day.
    Slow,
    /// Growing by day, tidied once.
    Litter,
}

impl Shape {
    /// The values in order of time, without the one of now: that one is measured.
    fn line(self, now: Time, last: u64) -> Vec<(Time, u64)> {
        let mut line = Vec::new();
        let mut ago = SPAN;
        while ago >= MINUTE {
            line.push((now.plus(-ago), scaled(last, self.part(now, ago))));
            ago -= if ago > FINE { 15 * MINUTE } else { MINUTE };
        }
        line
    }

    /// The share of today's value, so many seconds ago.
    fn part(self, now: Time, ago: i64) -> f64 {
        let days = |seconds: i64| {
            // Spans of weeks in seconds are exact.
            f64::from(i32::try_from(seconds).unwrap_or(i32::MAX)) / 86_400.0
        };
        let wave = (days(ago) * 2.9).sin();
        match self {
            Self::Sessions if ago > RESET => 1.105 + 0.003 * wave,
            // The work of the days since the reset, over that of all sixteen.
            Self::Sessions => {
                let all = worked(now, RESET, 0);
                0.02 + 0.98 * worked(now, RESET, ago) / all
            }
            Self::Flat => 1.0,
            Self::Slow => 1.0 - 0.0016 * days(ago) - 0.0009 * (1.0 - (days(ago) * 1.7).cos()),
            Self::Litter if ago > 9 * DAY => 0.62 - 0.03 * (days(ago) - 9.0) + 0.004 * wave,
            Self::Litter => 0.30 + 0.70 * worked(now, 9 * DAY, ago) / worked(now, 9 * DAY, 0),
        }
    }
}

/// Work done between two moments, in days: more from nine to seven, little at night, half at weekends.
fn worked(now: Time, from: i64, to: i64) -> f64 {
    const STEP: i64 = HOUR;
    let mut sum = 0.0;
    let mut ago = from;
    while ago > to {
        let at = now.plus(-ago).0;
        let hour = at.rem_euclid(DAY) / HOUR;
        let weekday = (at.div_euclid(DAY) + 3).rem_euclid(7);
        let busy: f64 = if (9..19).contains(&hour) { 1.0 } else { 0.35 };
        let week: f64 = if weekday >= 5 { 0.75 } else { 1.0 };
        let covered = STEP.min(ago - to);
        sum += busy * week * f64::from(i32::try_from(covered).unwrap_or(0)) / 86_400.0;
        ago -= STEP;
    }
    sum
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a made-up past needs no exact bytes"
)]
fn scaled(value: u64, part: f64) -> u64 {
    (value as f64 * part.max(0.0)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_795_900_000);

    #[test]
    fn a_past_ends_where_the_present_begins_and_never_jumps_but_at_the_reset() {
        for shape in [Shape::Sessions, Shape::Flat, Shape::Slow, Shape::Litter] {
            let line = shape.line(NOW, 1_000_000);
            let (at, last) = *line.last().unwrap();
            assert!(
                NOW.since(at) <= MINUTE && (990_000..=1_000_000).contains(&last),
                "{shape:?} {last}"
            );
            for pair in line.windows(2) {
                let [(before, old), (after, new)] = pair else {
                    unreachable!()
                };
                assert!(before < after);
                let at_reset = shape == Shape::Sessions
                    && NOW.since(*before) >= RESET
                    && NOW.since(*after) <= RESET;
                let tidied = shape == Shape::Litter && NOW.since(*after).abs_diff(9 * DAY) <= 900;
                assert!(
                    at_reset || tidied || old.abs_diff(*new) < 5_000,
                    "{shape:?}: {old} to {new}"
                );
            }
        }
    }
}

//! Where a gauge's history leads.
//!
//! The slope is robust (Theil–Sen: the median of pairwise slopes), so one odd measurement moves
//! nothing; the band is the spread of those slopes. What a straight line must not be drawn through
//! is taken out first:
//!
//! * A drop of a fifth of the limit (reset, reformat, a big clean-up) restarts the history (#30215).
//! * One rise that stands alone (an install, an unpacked image, #65577) is a new baseline, no trend.
//! * Teeth (the app's janitor prunes, growth goes on) that are large beside what is left are neither
//!   steady nor shrinking: unknown.
//!
//! Three further windows (a week, a day, two hours) catch what the long one is too slow for: growth
//! that began today fills a disk today (#44622). They bring the warning forward; only a quiet week
//! opens the late end of the band.
//!
//! How far ahead it speaks depends on how long it looked: `HORIZON` times the span, and without
//! bound once it saw `LONG` days. Idle days count as they are: the answer is in calendar time.

mod trend;

use serde::{Deserialize, Serialize};

use crate::bytes::{ratio_part, whole_part};
use crate::gauge::Level;
use crate::history::Point;
use crate::time::{DAY, HOUR, MINUTE, Time};
use trend::{Sample, Trend};

/// Why there is no forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum NoForecast {
    /// Fewer points than a slope needs.
    TooFew,
    /// The points span too short a time.
    TooShort,
    /// The slopes contradict each other.
    TooNoisy,
    /// The newest point is too old.
    Stale,
    /// The gauge itself is unknown.
    NoLevel,
}

/// Where the fill rate leads. Rates are units per day (bytes or inodes), signed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Forecast {
    /// It grows; full within the band.
    Filling {
        /// Units per day.
        rate: f64,
        /// Earliest end of the band.
        earliest: Time,
        /// Most likely moment.
        likely: Time,
        /// Latest end of the band; none where the slow end never fills it.
        latest: Option<Time>,
    },
    /// It stays where it is, or would need more than ten years.
    Steady {
        /// Units per day, near zero.
        rate: f64,
    },
    /// It gets emptier.
    Shrinking {
        /// Units per day, below zero.
        rate: f64,
    },
    /// Nothing can be said.
    Unknown(NoForecast),
}

/// Points a slope needs.
const FEWEST: usize = 3;
/// The shortest span that says anything: growth that fills a disk within hours.
const SHORTEST: i64 = 30 * MINUTE;
/// The shortest span that may be called steady or shrinking.
const CALM: i64 = 6 * HOUR;
/// The oldest point that counts.
const WINDOW: i64 = 35 * DAY;
/// Shorter windows, for growth that began or stopped lately.
const RECENT: [i64; 3] = [7 * DAY, DAY, 2 * HOUR];
/// How many times its span a forecast may reach ahead.
const HORIZON: f64 = 20.0;
/// The span from which it may reach ahead without that bound, in days.
const LONG: f64 = 14.0;
/// Days after which "it fills" means "it does not".
const TEN_YEARS: f64 = 3652.0;

/// Says where `points` (of used) lead, given the level now.
///
/// Points of several tiers may be mixed; they are thinned evenly in time, so that two days of
/// minutes do not outweigh a month. Points after `now` (the clock went back) are left out. A point
/// stands at the start of its span, so across a change of tier the slope is low by at most one
/// span's growth. The cost is a few thousand slopes (a quarter of a millisecond for 5,600
/// points): once a minute and gauge is plenty.
#[must_use]
pub fn forecast(points: &[Point], level: Level, now: Time) -> Forecast {
    let samples = match usable(points, level.limit, now) {
        Ok(samples) => samples,
        Err(reason) => return Forecast::Unknown(reason),
    };
    let Some(mut base) = Trend::of(&samples, level.limit) else {
        return Forecast::Unknown(NoForecast::TooFew);
    };
    let available = ratio_part(level.available);

    let mut soonest: Option<Trend> = None;
    for span in RECENT {
        let Some(recent) = tail(&samples, span).and_then(|tail| Trend::of(tail, level.limit))
        else {
            continue;
        };
        // One Sunday is no change of habit; a whole week is.
        if span == 7 * DAY && recent.hi < base.lo {
            base.lo = base.lo.min(recent.lo);
        }
        let days = available / recent.mid;
        let faster = recent.lo > base.hi.max(0.0) && recent.mid > 2.0 * base.mid;
        if faster
            && recent.goes_on
            && days <= HORIZON * recent.span
            && soonest.is_none_or(|soonest| recent.mid > soonest.mid)
        {
            soonest = Some(recent);
        }
    }
    decide(soonest.unwrap_or(base), level, now)
}

/// The signed rate of a series without a limit, in units per day; none where it cannot be told.
#[must_use]
pub fn rate(points: &[Point], now: Time) -> Option<f64> {
    let largest = points.iter().map(|point| point.last).max()?;
    let samples = usable(points, largest, now).ok()?;
    let trend = Trend::of(&samples, largest)?;
    (!trend.contradicts()).then_some(trend.mid)
}

/// The samples since the last step down, thinned; or why they say nothing.
fn usable(points: &[Point], limit: u64, now: Time) -> Result<Vec<Sample>, NoForecast> {
    let samples = trend::samples(points, now, WINDOW);
    let Some(newest) = samples.last() else {
        // All there is lies before the window: it was watched once, long ago.
        let old = points.iter().any(|point| point.at < now);
        return Err(if old {
            NoForecast::Stale
        } else {
            NoForecast::TooFew
        });
    };
    let newest = newest.day;
    let samples = trend::since_last_drop(&samples, limit);
    let span = trend::span(&samples);
    if samples.len() < FEWEST {
        return Err(NoForecast::TooFew);
    }
    if span < trend::days(SHORTEST) {
        return Err(NoForecast::TooShort);
    }
    // Daily samples are not stale after a quarter of three days.
    let patience = (span / 4.0)
        .max(2.0 * trend::usual_step(&samples))
        .max(trend::days(HOUR))
        .min(trend::days(2 * DAY));
    if -newest > patience {
        return Err(NoForecast::Stale);
    }
    Ok(samples)
}

/// The samples of the last `span` seconds, where that is clearly less than all of them.
fn tail(samples: &[Sample], span: i64) -> Option<&[Sample]> {
    let newest = samples.last()?.day;
    let from = newest - trend::days(span);
    if trend::span(samples) < 1.5 * trend::days(span) {
        return None;
    }
    let start = samples.partition_point(|sample| sample.day < from);
    let tail = samples.get(start..)?;
    let long_enough = trend::span(tail) >= trend::days(SHORTEST);
    (tail.len() >= FEWEST && long_enough).then_some(tail)
}

fn decide(trend: Trend, level: Level, now: Time) -> Forecast {
    let available = ratio_part(level.available);
    let limit = ratio_part(level.limit);
    let rate = trend.mid;
    // Below this a change is noise: a thousandth of the whole, less where little is left.
    let floor = (limit / 1000.0).min(available / 20.0);
    let moves = rate.abs() * trend.span >= floor && !trend.contradicts();

    if moves && rate > 0.0 {
        return fills(trend, available, now);
    }
    if trend.teeth && trend.swing * 4.0 > available {
        return Forecast::Unknown(NoForecast::TooNoisy);
    }
    if trend.span < trend::days(CALM) {
        return Forecast::Unknown(NoForecast::TooShort);
    }
    if moves && rate < 0.0 {
        Forecast::Shrinking { rate }
    } else if trend.contradicts() && trend.swing * 4.0 > available {
        Forecast::Unknown(NoForecast::TooNoisy)
    } else {
        Forecast::Steady { rate }
    }
}

fn fills(trend: Trend, available: f64, now: Time) -> Forecast {
    let rate = trend.mid;
    let days = available / rate;
    if trend.span < 1.0 && !trend.goes_on {
        // It grew and stopped: an install, not a habit.
        return Forecast::Unknown(NoForecast::TooNoisy);
    }
    if trend.span < LONG && days > HORIZON * trend.span {
        return Forecast::Unknown(NoForecast::TooShort);
    }
    if days > TEN_YEARS {
        return Forecast::Steady { rate };
    }
    // Less than a week does not know its weekend yet.
    let doubt = if trend.span < 7.0 && days > trend.span {
        rate / 4.0
    } else {
        0.0
    };
    let slow = trend.lo - doubt;
    let latest =
        (slow > 0.0 && available / slow <= TEN_YEARS).then(|| after(now, available / slow));
    Forecast::Filling {
        rate,
        earliest: after(now, available / (trend.hi + doubt)),
        likely: after(now, days),
        latest,
    }
}

/// The moment `days` after `now`.
fn after(now: Time, days: f64) -> Time {
    let seconds = whole_part(days * trend::SECONDS_A_DAY);
    now.plus(i64::try_from(seconds).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;

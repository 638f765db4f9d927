//! Spans of time as a person says them.

use crate::status::{ForecastState, ForecastView};
use crate::time::{DAY, HOUR, MINUTE, Time};

/// A unit, with the span from which it is used.
const UNITS: [(i64, i64, &str); 5] = [
    // A month and a year as the calendar has them on average.
    (730 * DAY, 31_556_952, "year"),
    (63 * DAY, 2_629_746, "month"),
    (14 * DAY, 7 * DAY, "week"),
    (36 * HOUR, DAY, "day"),
    (0, HOUR, "hour"),
];

fn unit_of(seconds: i64) -> (i64, &'static str) {
    UNITS
        .into_iter()
        .find(|(from, _, _)| seconds >= *from)
        .map_or((HOUR, "hour"), |(_, unit, name)| (unit, name))
}

fn rounded(seconds: i64, unit: i64) -> i64 {
    seconds
        .max(0)
        .saturating_add(unit / 2)
        .checked_div(unit)
        .unwrap_or_default()
}

fn plural(count: i64, name: &str) -> String {
    if count == 1 {
        format!("{count} {name}")
    } else {
        format!("{count} {name}s")
    }
}

/// A span ahead: `in about 3 days`, `in about an hour`, `within the hour`.
#[must_use]
pub fn about(seconds: i64) -> String {
    if seconds < 45 * MINUTE {
        return "within the hour".to_owned();
    }
    let (unit, name) = unit_of(seconds);
    match (rounded(seconds, unit), name) {
        (1, "hour") => "in about an hour".to_owned(),
        (1, name) => format!("in about a {name}"),
        (count, name) => format!("in about {}", plural(count, name)),
    }
}

/// When a forecast fills its gauge: `in about 3 days`, `in 2 to 4 weeks`, `in 3 months or later`;
/// none where it does not fill.
#[must_use]
pub fn until(forecast: &ForecastView, now: Time) -> Option<String> {
    if forecast.state != ForecastState::Filling {
        return None;
    }
    let likely = forecast.full_at?.since(now);
    let (unit, name) = unit_of(likely);
    let ahead = |at: Option<Time>| at.map(|at| at.since(now));
    let (earliest, latest) = (ahead(forecast.earliest), ahead(forecast.latest));
    // Within a third of it, "about" says all.
    let near = |end: Option<i64>| {
        end.is_some_and(|end| {
            i128::from(end.abs_diff(likely)).saturating_mul(3) <= i128::from(likely)
        })
    };
    if likely < 45 * MINUTE || (near(earliest) && near(latest)) {
        return Some(about(likely));
    }
    let count = |end: i64| rounded(end, unit);
    Some(match (earliest.map(count), latest.map(count)) {
        (Some(from), Some(to)) if from >= 1 && from < to && to <= from.saturating_mul(3) => {
            format!("in {from} to {}", plural(to, name))
        }
        (Some(from), _) if from >= 1 && from < count(likely) => {
            format!("in {} or later", plural(from, name))
        }
        _ => about(likely),
    })
}

/// How long ago: `12 s ago`, `3 min ago`, `5 h ago`, `2 days ago`; `just now` for the last moments
/// and for what lies ahead of a clock that was set back.
#[must_use]
pub fn age(seconds: i64) -> String {
    if seconds < 5 {
        "just now".to_owned()
    } else if seconds < MINUTE {
        format!("{seconds} s ago")
    } else if seconds < HOUR {
        format!("{} min ago", seconds / MINUTE)
    } else if seconds < 2 * DAY {
        format!("{} h ago", seconds / HOUR)
    } else {
        format!("{} ago", plural(seconds / DAY, "day"))
    }
}

//! Percents and rates.

use crate::bytes::{decimal, grouped, ratio_part, whole_part};
use crate::forecast::NoForecast;
use crate::status::{ForecastState, ForecastView, GaugeStatus};
use crate::time::Time;

use super::span;

/// The percent of a gauge, cut, not rounded: 79.6 is `79 %` as long as it is not judged by the line
/// at 80, and `100 %` is only what has nothing left. `unknown` where there is none.
#[must_use]
pub fn percent(gauge: &GaugeStatus) -> String {
    let Some(percent) = gauge.percent else {
        return "unknown".to_owned();
    };
    let most = if gauge.available == Some(0) { 100 } else { 99 };
    let whole = whole_part(percent).min(most);
    if whole == 0 && gauge.used.is_some_and(|used| used > 0) {
        "<1 %".to_owned()
    } else {
        format!("{whole} %")
    }
}

/// How far a system disk is from a fresh one of its release, in points of what is usable: `3 % above a
/// fresh one`. None where its release is not known.
#[must_use]
pub fn fresh(gauge: &GaugeStatus) -> Option<String> {
    let (baseline, used) = (gauge.baseline?, gauge.used?);
    let usable = ratio_part(used.saturating_add(gauge.available?));
    let points = (ratio_part(used) - ratio_part(baseline)) / usable * 100.0;
    let whole = whole_part(points.abs().round());
    Some(match (whole, points > 0.0) {
        (0, _) => "as full as a fresh one".to_owned(),
        (_, true) => format!("{whole} % above a fresh one"),
        (_, false) => format!("{whole} % below a fresh one"),
    })
}

/// A rate with its sign: `+540 MB a day`, `-177 files a day`, `no change`.
#[must_use]
pub fn rate(per_day: f64, in_bytes: bool) -> String {
    let size = whole_part(per_day.abs().round());
    let sign = match (size, per_day > 0.0) {
        (0, _) => return "no change".to_owned(),
        (_, true) => '+',
        (_, false) => '-',
    };
    if in_bytes {
        format!("{sign}{} a day", decimal(size))
    } else {
        format!("{sign}{} files a day", grouped(size))
    }
}

/// A forecast in one phrase: `+540 MB a day, full in about 3 days`, `steady`, `not known yet: …`.
#[must_use]
pub fn forecast(forecast: &ForecastView, in_bytes: bool, now: Time) -> String {
    let moving = forecast.rate_per_day.map(|per_day| rate(per_day, in_bytes));
    match (forecast.state, moving) {
        (ForecastState::Filling, Some(rate)) => match span::until(forecast, now) {
            Some(until) => format!("{rate}, full {until}"),
            None => rate,
        },
        (ForecastState::Shrinking, Some(rate)) => format!("{rate}, getting emptier"),
        (ForecastState::Steady, _) => "steady".to_owned(),
        _ => match forecast.reason {
            Some(NoForecast::TooNoisy) => "no clear trend: it goes up and down".to_owned(),
            Some(NoForecast::Stale) => "no trend: the last measurement is too old".to_owned(),
            Some(NoForecast::NoLevel) => "no trend: it cannot be read now".to_owned(),
            Some(NoForecast::TooFew | NoForecast::TooShort) | None => {
                "trend not known yet: watched too briefly".to_owned()
            }
        },
    }
}

//! The judged state of a gauge, with hysteresis.

use serde::{Deserialize, Serialize};

use crate::forecast::Forecast;
use crate::gauge::Gauge;
use crate::settings::Thresholds;
use crate::time::Time;

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

/// Judges one gauge. `before` is the last judgement of this gauge: a state is left only when the
/// number has recovered by the re-arm margin, so that a number swinging around a line does not flap.
#[must_use]
pub fn judge(
    _gauge: &Gauge,
    _forecast: &Forecast,
    _before: Option<Judgement>,
    _thresholds: &Thresholds,
    _now: Time,
) -> Judgement {
    Judgement {
        verdict: Verdict::Unknown,
        cause: None,
        full: false,
    }
}

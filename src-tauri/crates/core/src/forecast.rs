//! Where a gauge's history leads.

use serde::{Deserialize, Serialize};

use crate::gauge::Level;
use crate::history::Point;
use crate::time::Time;

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

/// Says where `points` (of used, in order of time) lead, given the level now.
#[must_use]
pub fn forecast(_points: &[Point], _level: Level, _now: Time) -> Forecast {
    Forecast::Unknown(NoForecast::TooFew)
}

//! Moments and spans, in whole seconds. Time is always an argument here; only host reads a clock.

use serde::{Deserialize, Serialize};

/// A moment: seconds since 1970-01-01T00:00:00Z. May lie in the past of an earlier one when the
/// machine's clock is set back.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "number"))]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// This moment moved by `seconds`, clamped to what the type can hold.
    #[must_use]
    pub const fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// Seconds from `earlier` to this moment; negative when the clock went back.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Seconds in a minute.
pub const MINUTE: i64 = 60;
/// Seconds in an hour.
pub const HOUR: i64 = 3_600;
/// Seconds in a day.
pub const DAY: i64 = 86_400;

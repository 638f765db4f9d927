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

impl Time {
    /// The moment as a date and a time of day, UTC: `2026-11-29 19:59`. Proleptic Gregorian.
    #[must_use]
    pub fn utc(self) -> String {
        let days = self.0.div_euclid(DAY);
        let minutes = self.0.rem_euclid(DAY) / MINUTE;
        // Days since 0000-03-01, so that leap days end their years; all below is far from overflow.
        let day = days.saturating_add(719_468);
        let era = day.div_euclid(146_097);
        let of_era = day.rem_euclid(146_097);
        let year_of_era = (of_era
            .saturating_sub(of_era / 1460)
            .saturating_add(of_era / 36_524)
            .saturating_sub(of_era / 146_096))
            / 365;
        let of_year = of_era.saturating_sub(
            year_of_era
                .saturating_mul(365)
                .saturating_add(year_of_era / 4)
                .saturating_sub(year_of_era / 100),
        );
        let shifted = of_year.saturating_mul(5).saturating_add(2) / 153;
        let day = of_year
            .saturating_sub(shifted.saturating_mul(153).saturating_add(2) / 5)
            .saturating_add(1);
        let (month, more) = if shifted < 10 {
            (shifted.saturating_add(3), 0)
        } else {
            (shifted.saturating_sub(9), 1)
        };
        let year = era
            .saturating_mul(400)
            .saturating_add(year_of_era)
            .saturating_add(more);
        let (hour, minute) = (minutes / 60, minutes % 60);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }
}

/// Seconds in a minute.
pub const MINUTE: i64 = 60;
/// Seconds in an hour.
pub const HOUR: i64 = 3_600;
/// Seconds in a day.
pub const DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_utc_dates() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00"),
            (-1, "1969-12-31 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (1_796_068_740, "2026-11-30 19:59"),
            (4_107_542_399, "2100-02-28 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(Time(seconds).utc(), text);
        }
        // Far out it is nonsense, but no panic.
        assert!(!Time(i64::MAX).utc().is_empty() && !Time(i64::MIN).utc().is_empty());
    }
}

//! History as ranges of points: what the store keeps and what a chart asks for.

use serde::{Deserialize, Serialize};

use crate::gauge::GaugeId;
use crate::time::{DAY, HOUR, MINUTE, Time};

/// A resolution the history keeps, each in a ring of fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// One point a minute for 48 hours.
    Minute,
    /// One point a quarter of an hour for 30 days.
    Quarter,
    /// One point each six hours for two years.
    SixHours,
}

impl Tier {
    /// All tiers, finest first.
    pub const ALL: [Self; 3] = [Self::Minute, Self::Quarter, Self::SixHours];

    /// Seconds a point covers.
    #[must_use]
    pub const fn step(self) -> i64 {
        match self {
            Self::Minute => MINUTE,
            Self::Quarter => 15 * MINUTE,
            Self::SixHours => 6 * HOUR,
        }
    }

    /// Points the ring holds.
    #[must_use]
    pub const fn slots(self) -> i64 {
        match self {
            Self::Minute => 48 * 60,
            Self::Quarter => 30 * 24 * 4,
            Self::SixHours => 2 * 365 * 4,
        }
    }

    /// The start of the point that covers `at`.
    #[must_use]
    pub const fn start(self, at: Time) -> Time {
        Time(at.0.saturating_sub(at.0.rem_euclid(self.step())))
    }

    /// The place in the ring of the point that covers `at`.
    #[must_use]
    pub const fn slot(self, at: Time) -> i64 {
        at.0.div_euclid(self.step()).rem_euclid(self.slots())
    }
}

/// What a chart's span shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Range {
    /// The last hour.
    #[serde(rename = "1h")]
    Hour,
    /// The last 24 hours.
    #[serde(rename = "24h")]
    Day,
    /// The last seven days.
    #[serde(rename = "7d")]
    Week,
    /// The last 30 days.
    #[serde(rename = "30d")]
    Month,
    /// The last year.
    #[serde(rename = "1y")]
    Year,
}

impl Range {
    /// Seconds the range covers.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        match self {
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 30 * DAY,
            Self::Year => 365 * DAY,
        }
    }

    /// The finest tier that covers the range with a number of points worth drawing.
    #[must_use]
    pub const fn tier(self) -> Tier {
        match self {
            Self::Hour | Self::Day => Tier::Minute,
            Self::Week | Self::Month => Tier::Quarter,
            Self::Year => Tier::SixHours,
        }
    }
}

/// One stored point. A span without a measurement has no point: a gap is explicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Point {
    /// Start of the span.
    pub at: Time,
    /// Smallest value in it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub min: u64,
    /// Largest value in it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub max: u64,
    /// Last value in it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub last: u64,
    /// How many measurements it holds.
    pub count: u32,
}

impl Point {
    /// A point of a single value.
    #[must_use]
    pub const fn single(at: Time, value: u64) -> Self {
        Self {
            at,
            min: value,
            max: value,
            last: value,
            count: 1,
        }
    }

    /// Takes one more value of the same span.
    pub fn add(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.last = value;
        self.count = self.count.saturating_add(1);
    }

    /// Takes a later point whose span lies within this one's.
    pub fn merge(&mut self, later: &Self) {
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
        self.last = later.last;
        self.count = self.count.saturating_add(later.count);
    }
}

/// The unit of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Entries or inodes.
    Entries,
}

/// What happened to the storage at a moment, for a mark on the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A gauge's used fell by more than a fifth of its limit at once: a reset, a reformat, a clean-up.
    SteppedDown,
    /// A gauge came up for the first time.
    Appeared,
    /// A gauge that was there is gone.
    Vanished,
}

/// A mark on the chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Event {
    /// When.
    pub at: Time,
    /// On what.
    pub id: GaugeId,
    /// What.
    pub kind: EventKind,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Series {
    /// The gauge or meter it belongs to.
    pub id: GaugeId,
    /// Its name as surfaces show it.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// What it can hold, for a gauge.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub limit: Option<u64>,
    /// Points in order of time; a missing span is a gap.
    pub points: Vec<Point>,
}

/// What a chart draws: answer to `history`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct History {
    /// The contract's number.
    pub schema: u32,
    /// What was asked for.
    pub range: Range,
    /// Start of the range.
    pub from: Time,
    /// End of the range: now.
    pub to: Time,
    /// Seconds a point covers.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub step: i64,
    /// One line for every gauge and meter that has a point in the range or exists now.
    pub series: Vec<Series>,
    /// Marks in the range.
    pub events: Vec<Event>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_points_equals_adding_their_values() {
        let mut all = Point::single(Time(0), 5);
        all.add(9);
        all.add(2);
        let mut first = Point::single(Time(0), 5);
        let mut later = Point::single(Time(60), 9);
        later.add(2);
        first.merge(&later);
        assert_eq!(first, all);
    }

    #[test]
    fn each_ring_covers_the_span_its_doc_says() {
        for (tier, days) in [
            (Tier::Minute, 2),
            (Tier::Quarter, 30),
            (Tier::SixHours, 730),
        ] {
            assert_eq!(tier.step() * tier.slots(), days * DAY);
        }
    }

    #[test]
    fn slots_wrap_and_work_before_1970() {
        for tier in Tier::ALL {
            let round = tier.step() * tier.slots();
            for at in [-1, 0, 59, 1_795_000_000] {
                assert_eq!(tier.slot(Time(at)), tier.slot(Time(at + round)));
                assert!(tier.start(Time(at)) <= Time(at));
                assert!((0..tier.slots()).contains(&tier.slot(Time(at))));
            }
        }
    }
}

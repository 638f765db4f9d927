//! What is recorded and not yet on disk: for an instant in every round, and for as long as the disk
//! refuses. Bounded like the finest ring: 48 hours of minutes.

use std::collections::VecDeque;

use sandtray_core::history::{Event, Point, Tier};
use sandtray_core::inside::DiskId;
use sandtray_core::inside::growth::Snapshot;
use sandtray_core::time::{MINUTE, Time};

/// Events that wait at most.
const EVENTS: usize = 512;

/// Readings of guest disks that wait at most.
const SNAPSHOTS: usize = 8;

/// Points of one minute, by number of the series.
#[derive(Debug)]
pub(super) struct Minute {
    /// Minutes since 1970.
    pub(super) number: i64,
    pub(super) points: Vec<(usize, Point)>,
}

/// The waiting minutes and events, oldest first.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) minutes: VecDeque<Minute>,
    pub(super) events: VecDeque<Event>,
    pub(super) snapshots: VecDeque<(DiskId, Snapshot)>,
}

impl Pending {
    /// Adds a value of a series.
    pub(super) fn add(&mut self, series: usize, at: Time, value: u64) {
        let number = at.0.div_euclid(MINUTE);
        if self.minutes.back().is_none_or(|last| last.number != number) {
            let most = usize::try_from(Tier::Minute.slots()).unwrap_or(usize::MAX);
            while self.minutes.len() >= most {
                self.minutes.pop_front();
            }
            self.minutes.push_back(Minute {
                number,
                points: Vec::new(),
            });
        }
        if let Some(last) = self.minutes.back_mut() {
            match last.points.iter_mut().find(|(of, _)| *of == series) {
                Some((_, point)) => point.add(value),
                None => last
                    .points
                    .push((series, Point::single(Tier::Minute.start(at), value))),
            }
        }
    }

    /// Adds an event.
    pub(super) fn mark(&mut self, event: Event) {
        if self.events.len() >= EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    /// Adds a reading of a guest disk.
    pub(super) fn keep(&mut self, disk: DiskId, snapshot: Snapshot) {
        if self.snapshots.len() >= SNAPSHOTS {
            self.snapshots.pop_front();
        }
        self.snapshots.push_back((disk, snapshot));
    }

    /// Folds the waiting points of a series into those of a tier.
    pub(super) fn merge_into(
        &self,
        points: &mut Vec<Point>,
        series: usize,
        tier: Tier,
        from: Time,
        to: Time,
    ) {
        for minute in &self.minutes {
            for (_, point) in minute.points.iter().filter(|(of, _)| *of == series) {
                let start = tier.start(point.at);
                if start < tier.start(from) || start > to {
                    continue;
                }
                match points.binary_search_by_key(&start, |point| point.at) {
                    Ok(place) => points[place].merge(point),
                    Err(place) => points.insert(
                        place,
                        Point {
                            at: start,
                            ..*point
                        },
                    ),
                }
            }
        }
    }

    /// Whether points of the series wait.
    pub(super) fn holds(&self, series: usize) -> bool {
        self.minutes
            .iter()
            .any(|minute| minute.points.iter().any(|(of, _)| *of == series))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_48_hours_and_no_more() {
        let mut pending = Pending::default();
        for minute in 0..3_000 {
            pending.add(0, Time(minute * 60), minute.cast_unsigned());
        }
        let mut points = Vec::new();
        pending.merge_into(&mut points, 0, Tier::Minute, Time(0), Time(i64::MAX));
        assert_eq!(points.len(), 2_880);
        assert_eq!(points.first().map(|point| point.last), Some(120));
        assert_eq!(points.last().map(|point| point.last), Some(2_999));
        assert!(pending.holds(0) && !pending.holds(1));
    }

    #[test]
    fn values_of_a_minute_are_one_point_and_fold_into_coarser_tiers() {
        let mut pending = Pending::default();
        for (second, value) in [(900, 5), (910, 9), (960, 1)] {
            pending.add(2, Time(second), value);
        }
        let mut points = Vec::new();
        pending.merge_into(&mut points, 2, Tier::Quarter, Time(950), Time(2_000));
        let whole = Point {
            at: Time(900),
            min: 1,
            max: 9,
            last: 1,
            count: 3,
        };
        assert_eq!(points, [whole]);
    }
}

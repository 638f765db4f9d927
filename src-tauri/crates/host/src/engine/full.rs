//! A full measurement: every bundle and every temp root, on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sandtray_core::gauge::{Meter, UnknownReason};
use sandtray_core::measurement::Gap;
use sandtray_core::status::{Progress, Shape};
use sandtray_core::time::Time;

use super::targets::{Target, targets};
use crate::locate::Located;
use crate::walk::{self, Cancel, Tree};

/// Most groups of like names that a status carries.
const MOST_SHAPES: usize = 12;
/// Fewer alike are no group worth a line.
const LEAST_ALIKE: u64 = 20;

/// How far a measurement is; shared with the thread that measures.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) cancel: Cancel,
    done: AtomicU32,
    total: u32,
    entries: walk::Progress,
    since: Time,
}

impl Pace {
    /// How far it is now.
    pub(super) fn progress(&self) -> Progress {
        Progress {
            done: self.done.load(Ordering::Relaxed),
            total: self.total,
            entries: self.entries.entries(),
            since: self.since,
        }
    }
}

/// What a full measurement gave.
#[derive(Debug, Default)]
pub(super) struct Full {
    pub(super) meters: Vec<Meter>,
    pub(super) shapes: Vec<Shape>,
    pub(super) gaps: Vec<Gap>,
    pub(super) took: Duration,
    pub(super) cancelled: bool,
}

/// What is to be measured, and the handle to watch it by; `entries` counts along.
pub(super) fn plan(located: &Located, now: Time, entries: &walk::Progress) -> (Plan, Arc<Pace>) {
    let targets = targets(located);
    let pace = Arc::new(Pace {
        cancel: Cancel::default(),
        done: AtomicU32::new(0),
        total: u32::try_from(targets.len()).unwrap_or(u32::MAX),
        entries: entries.clone(),
        since: now,
    });
    (
        Plan {
            targets,
            pace: Arc::clone(&pace),
        },
        pace,
    )
}

/// A measurement that has not begun.
pub(super) struct Plan {
    targets: Vec<Target>,
    pace: Arc<Pace>,
}

impl Plan {
    /// Measures everything; a root that cannot be opened is unknown and a gap.
    pub(super) fn run(self, now: impl Fn() -> Time) -> Full {
        let began = Instant::now();
        let mut full = Full::default();
        for target in &self.targets {
            if self.pace.cancel.is_cancelled() {
                break;
            }
            self.measure(target, now(), &mut full);
            self.pace.done.fetch_add(1, Ordering::Relaxed);
        }
        full.shapes
            .sort_by_key(|shape| std::cmp::Reverse(shape.count));
        full.shapes.truncate(MOST_SHAPES);
        full.took = began.elapsed();
        full.cancelled = self.pace.cancel.is_cancelled();
        full
    }

    fn measure(&self, target: &Target, now: Time, full: &mut Full) {
        let options = walk::Options {
            cancel: self.pace.cancel.clone(),
            progress: self.pace.entries.clone(),
            details: target.crowds,
            ..walk::Options::default()
        };
        let (mut allocated, mut entries) = (Ok(0u64), Ok(0u64));
        let mut complete = true;
        for path in &target.paths {
            match walk::measure(path, &options) {
                Ok(tree) => {
                    allocated = allocated.map(|sum| sum.saturating_add(tree.usage.allocated.0));
                    entries = entries.map(|sum| sum.saturating_add(tree.usage.entries));
                    complete &= tree.usage.complete;
                    full.shapes.extend(shapes(&tree));
                    full.gaps.extend(tree.gaps);
                }
                // A job that ended since takes its folder along.
                Err(failure)
                    if target.paths.len() > 1 && failure.reason() == UnknownReason::Missing => {}
                Err(failure) => {
                    (allocated, entries) = (Err(failure.reason()), Err(failure.reason()));
                    complete = false;
                    full.gaps.push((&failure).into());
                }
            }
        }
        full.meters.extend(target.kinds.iter().map(|kind| Meter {
            id: kind.id(&target.token),
            kind: *kind,
            thing: target.thing.display().to_string(),
            value: if kind.in_bytes() { allocated } else { entries },
            complete,
            as_of: now,
        }));
    }
}

/// The groups of like names worth a line.
fn shapes(tree: &Tree) -> Vec<Shape> {
    let siblings = tree.details.iter().flat_map(|details| &details.siblings);
    siblings
        .flat_map(|siblings| siblings.shapes.iter().map(|shape| (&siblings.path, shape)))
        .filter(|(_, shape)| shape.entries >= LEAST_ALIKE)
        .map(|(path, shape)| Shape {
            path: path.clone(),
            shape: shape.shape.clone(),
            count: shape.entries,
        })
        .collect()
}

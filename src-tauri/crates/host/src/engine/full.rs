//! A full measurement: every bundle and every temp root, on a thread of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sandtray_core::gauge::{Meter, MeterKind};
use sandtray_core::measurement::Gap;
use sandtray_core::status::{Progress, Shape};
use sandtray_core::time::Time;

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

struct Target {
    /// What is walked.
    path: PathBuf,
    /// What the meter is named after.
    thing: PathBuf,
    token: String,
    bytes: MeterKind,
    entries: Option<MeterKind>,
}

/// What is to be measured, and the handle to watch it by; `entries` counts along.
pub(super) fn plan(located: &Located, now: Time, entries: &walk::Progress) -> (Plan, Arc<Pace>) {
    let bundles = located.bundles.iter().map(|bundle| Target {
        // The whole of `vm_bundles`: prefetched releases lie beside the bundle, in `warm`.
        path: bundle
            .path
            .parent()
            .filter(|parent| parent.ends_with("vm_bundles"))
            .unwrap_or(&bundle.path)
            .to_owned(),
        thing: bundle.path.clone(),
        token: bundle.id.clone(),
        bytes: MeterKind::BundleAllocated,
        entries: None,
    });
    let roots = located.temp_roots.iter().map(|root| Target {
        path: root.path.clone(),
        thing: root.path.clone(),
        token: root.id.clone(),
        bytes: MeterKind::RootAllocated,
        entries: Some(MeterKind::RootEntries),
    });
    let targets: Vec<Target> = bundles.chain(roots).collect();
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
            details: target.entries.is_some(),
            ..walk::Options::default()
        };
        let measured = walk::measure(&target.path, &options);
        let kinds = [Some(target.bytes), target.entries].into_iter().flatten();
        full.meters.extend(kinds.map(|kind| Meter {
            id: kind.id(&target.token),
            kind,
            thing: target.thing.display().to_string(),
            value: match &measured {
                Ok(tree) if kind.in_bytes() => Ok(tree.usage.allocated.0),
                Ok(tree) => Ok(tree.usage.entries),
                Err(failure) => Err(failure.reason()),
            },
            complete: measured.as_ref().is_ok_and(|tree| tree.usage.complete),
            as_of: now,
        }));
        match measured {
            Ok(tree) => {
                full.shapes.extend(shapes(&tree));
                full.gaps.extend(tree.gaps);
            }
            Err(failure) => full.gaps.push((&failure).into()),
        }
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

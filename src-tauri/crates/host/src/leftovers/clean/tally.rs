//! What a clean-up has done so far.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::view::{CleanPart, CleanProgress, LEFTOVERS_SCHEMA};
use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;

use crate::leftovers::plan::{Part, Plan, count, length};
use crate::leftovers::remove::Skip;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(200);
/// Failures that a receipt names; the rest is counted.
const FAILURES: usize = 50;

/// What was done so far.
pub(super) struct Tally<'a> {
    pub(super) progress: CleanProgress,
    told: Instant,
    report: &'a mut dyn FnMut(&CleanProgress),
    pub(super) parts: Vec<CleanPart>,
    pub(super) skipped: BTreeMap<String, u64>,
    pub(super) failed: Vec<Gap>,
    pub(super) more_failed: u64,
    pub(super) expected: Allocated,
    pub(super) parked: bool,
    pub(super) cancelled: bool,
}

impl<'a> Tally<'a> {
    pub(super) fn new(plan: &Plan, report: &'a mut dyn FnMut(&CleanProgress)) -> Self {
        Self {
            progress: CleanProgress {
                schema: LEFTOVERS_SCHEMA,
                id: plan.id.clone(),
                total: plan.count(),
                ..CleanProgress::default()
            },
            told: Instant::now(),
            report,
            parts: Vec::new(),
            skipped: BTreeMap::new(),
            failed: Vec::new(),
            more_failed: 0,
            expected: Allocated::ZERO,
            parked: false,
            cancelled: false,
        }
    }

    /// Tells how far it is.
    pub(super) fn tell(&mut self) {
        self.told = Instant::now();
        (self.report)(&self.progress);
    }

    pub(super) fn begin(&mut self, part: &Part) {
        self.progress.class = part.class.name.to_owned();
        self.progress.title = part.class.title.to_owned();
        self.tell();
        self.parts.push(CleanPart {
            class: part.class.name.to_owned(),
            title: part.class.title.to_owned(),
            root: PathText::new(&part.base),
            tier: part.class.tier,
            count: 0,
            kept: Vec::new(),
            allocated: Allocated::ZERO,
            shared: Allocated::ZERO,
            inodes: 0,
            parks: part.parks,
            cost: part.class.cost.to_owned(),
        });
    }

    fn done(&mut self) {
        self.progress.done = self.progress.done.saturating_add(1);
        if self.told.elapsed() >= TELL {
            self.tell();
        }
    }

    pub(super) fn gone(&mut self, allocated: Allocated, inodes: u64, parks: bool) {
        self.progress.removed = self.progress.removed.saturating_add(1);
        if let Some(part) = self.parts.last_mut() {
            part.count = part.count.saturating_add(1);
            part.allocated += allocated;
            part.inodes = part.inodes.saturating_add(inodes);
        }
        if parks {
            self.parked = true;
        } else {
            self.expected += allocated;
        }
        self.done();
    }

    pub(super) fn skip(&mut self, skip: Skip) {
        match skip {
            // Somebody else was faster: that is what was wanted.
            Skip::Gone => return self.gone(Allocated::ZERO, 0, false),
            Skip::Cancelled => {
                self.cancelled = true;
                return;
            }
            skip => {
                let part = skip.removed();
                self.expected += part.allocated;
                for gap in skip.failed() {
                    if self.failed.len() < FAILURES {
                        self.failed.push(gap.clone());
                    } else {
                        self.more_failed = self.more_failed.saturating_add(1);
                    }
                }
                if let Skip::Partly(partly) = &skip {
                    self.more_failed = self.more_failed.saturating_add(partly.more_failed);
                    if matches!(partly.why, Skip::Cancelled) {
                        self.cancelled = true;
                    }
                }
                count(&mut self.skipped, skip.to_string(), 1);
            }
        }
        self.progress.skipped = self.progress.skipped.saturating_add(1);
        self.done();
    }

    /// Leaves the rest of a part for one reason.
    pub(super) fn leave(&mut self, how_many: usize, skip: &Skip) {
        let many = length(how_many);
        count(&mut self.skipped, skip.to_string(), many);
        self.progress.skipped = self.progress.skipped.saturating_add(many);
        self.progress.done = self.progress.done.saturating_add(many);
    }
}

//! Carries a plan out: every candidate is judged once more right before it goes.
//!
//! Works at zero bytes and zero inodes free: nothing is written but a receipt at the end, and where even
//! that finds no room the receipt is only told. What was begun and cut off needs no repair: what is gone is
//! gone, the rest is found again by the next look.

mod tally;

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::evidence::{Evidence, Hold, How};
use sandtray_core::leftover::judge::{Judged, judge};
use sandtray_core::leftover::view::{CleanProgress, CleanReceipt, CleanedBy, LEFTOVERS_SCHEMA};
use sandtray_core::leftover::{Class, Gate};
use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;
use sandtray_core::words;

use self::tally::Tally;
use super::evidence;
use super::parked::Place;
use super::plan::{Part, Plan, reasons};
use super::receipts;
use super::remove::{self, Base, Met, Skip, Target};
use super::scan::Scene;
use super::volumes::Room;
use crate::machine;
use crate::walk::Cancel;

/// Evidence older than this is gathered anew.
const FRESH: Duration = Duration::from_secs(2);
/// How many candidates are written down together before the first of them is parked.
const BATCH: usize = 256;
/// A gain far below what was expected is explained, where this much was expected.
const WORTH_A_WORD: u64 = 50_000_000;

/// Evidence that is never older than [`FRESH`] when it is asked.
struct Watch<'a> {
    scene: &'a Scene,
    evidence: Evidence,
    gathered: Instant,
}

impl<'a> Watch<'a> {
    fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            evidence: scene.evidence(),
            gathered: Instant::now(),
        }
    }

    fn fresh(&mut self) -> &Evidence {
        if self.gathered.elapsed() > FRESH {
            self.evidence = self.scene.evidence();
            self.gathered = Instant::now();
        }
        &self.evidence
    }

    /// Whether a file that belongs to a candidate may go: the candidate is still dead, and nobody holds
    /// this very file.
    fn ask(&mut self, candidate: &Candidate, met: &Met<'_>) -> Result<(), Skip> {
        let now = machine::now(&self.scene.machine);
        let known = self.fresh();
        if met.depth == 0 {
            match judge(candidate, known, now) {
                Judged::Dead => {}
                Judged::Live(reason) | Judged::Unknown(reason) => return Err(Skip::Asked(reason)),
            }
            // Windows answers for one file at a time, and only now.
            let path = candidate.base.join(&candidate.path);
            if let Some(hold) = evidence::held_now(&path) {
                return Err(Skip::Asked(words::leftovers::held(&hold.name, hold.pid)));
            }
        }
        match known.held.get(&met.id) {
            Some(hold) if minds(candidate.class, hold) => {
                Err(Skip::Asked(words::leftovers::held(&hold.name, hold.pid)))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a hold keeps a file of this class: where only writers count, readers do not.
fn minds(class: &Class, hold: &Hold) -> bool {
    let only_writers =
        class.gates.contains(&Gate::NoWriter) && !class.gates.contains(&Gate::NotHeld);
    !only_writers || hold.how != How::Read
}

/// Applies a plan. Never fails as a whole: what did not go is in the receipt with its reason.
pub fn apply(
    scene: &Scene,
    plan: &Plan,
    by: CleanedBy,
    cancel: &Cancel,
    report: &mut dyn FnMut(&CleanProgress),
) -> CleanReceipt {
    let begun_at = machine::now(&scene.machine);
    let room = Room::measure(plan.parts.iter().map(|part| part.base.as_ref()));
    let mut tally = Tally::new(plan, report);
    remove::with_low_priority(|| {
        let mut watch = Watch::new(scene);
        for part in plan.parts.iter().filter(|part| !part.going.is_empty()) {
            tally.begin(part);
            carry_out(scene, plan, part, &mut watch, cancel, &mut tally);
            if tally.cancelled {
                break;
            }
        }
    });
    tally.tell();
    let receipt = receipt(scene, plan, by, begun_at, &room, tally);
    remember(scene, receipt)
}

fn carry_out(
    scene: &Scene,
    plan: &Plan,
    part: &Part,
    watch: &mut Watch<'_>,
    cancel: &Cancel,
    tally: &mut Tally<'_>,
) {
    let base = match Base::open(&part.base, &scene.machine) {
        Ok(base) => base,
        Err(skip) => return tally.leave(part.going.len(), &skip),
    };
    let mut place = None;
    if part.parks {
        match Place::open(&scene.machine, &plan.id, part.class, &part.base, plan.at) {
            Ok(open) => place = Some(open),
            Err(failure) => {
                let gap = Gap::from(&failure);
                return tally.leave(part.going.len(), &Skip::Failed(gap));
            }
        }
    }
    let mut coming = part.going.iter();
    let mut left = part.going.len();
    loop {
        let batch: Vec<Candidate> = coming.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return;
        }
        if let Some(place) = &place
            && let Err(failure) = place.announce(&batch)
        {
            let gap = Gap::from(&failure);
            return tally.leave(left, &Skip::Failed(gap));
        }
        left = left.saturating_sub(batch.len());
        for candidate in &batch {
            if cancel.is_cancelled() {
                tally.cancelled = true;
                break;
            }
            one(candidate, &base, place.as_mut(), watch, cancel, tally);
            if tally.cancelled {
                break;
            }
        }
        if let Some(Err(skip)) = place.as_ref().map(Place::settle) {
            tally.skip(skip);
        }
        if tally.cancelled {
            return;
        }
    }
}

/// One candidate goes, or stays with its reason.
fn one(
    candidate: &Candidate,
    base: &Base,
    place: Option<&mut Place>,
    watch: &mut Watch<'_>,
    cancel: &Cancel,
    tally: &mut Tally<'_>,
) {
    let target = Target {
        path: &candidate.path,
        id: candidate.id,
        kind: candidate.class.kind,
        removal: candidate.class.removal,
        touched: candidate.touched,
        own_repository: !candidate.class.gates.contains(&Gate::NoRepository),
    };
    let mut ask = |met: &Met<'_>| watch.ask(candidate, met);
    let parks = place.is_some();
    let done = match place {
        Some(place) => place
            .take(base, &target, cancel, &mut ask)
            .map(|()| (candidate.allocated, candidate.inodes)),
        None => base
            .remove(&target, cancel, &mut ask)
            .map(|removed| (removed.allocated, removed.inodes)),
    };
    match done {
        Ok((allocated, inodes)) => tally.gone(allocated, inodes, parks),
        Err(skip) => tally.skip(skip),
    }
}

fn receipt(
    scene: &Scene,
    plan: &Plan,
    by: CleanedBy,
    begun_at: sandtray_core::time::Time,
    room: &Room,
    tally: Tally<'_>,
) -> CleanReceipt {
    let gained = room.gained();
    let mut notes = Vec::new();
    if tally.expected.0 > WORTH_A_WORD {
        notes.extend(words::leftovers::shortfall(tally.expected, gained.bytes));
    }
    if tally.parked {
        notes.push(words::leftovers::NOTE_PARKED.to_owned());
    }
    if tally.progress.removed > 0 && evidence::is_wsl() {
        notes.push(words::leftovers::NOTE_WSL.to_owned());
    }
    let mut receipt = CleanReceipt {
        schema: LEFTOVERS_SCHEMA,
        id: plan.id.clone(),
        by,
        begun_at,
        ended_at: machine::now(&scene.machine),
        outcome: String::new(),
        parts: tally.parts,
        removed: tally.progress.removed,
        skipped: reasons(&tally.skipped),
        failed: tally.failed,
        more_failed: tally.more_failed,
        freed_measured: gained.bytes,
        inodes_freed: gained.inodes,
        parked: tally.parked.then(|| plan.id.clone()),
        cancelled: tally.cancelled,
        notes,
    };
    receipt.outcome = words::leftovers::outcome(&receipt);
    receipt
}

/// Writes the receipt down, if there is room for it.
fn remember(scene: &Scene, mut receipt: CleanReceipt) -> CleanReceipt {
    if let Err(error) = receipts::add(&scene.machine, &receipt) {
        receipt
            .notes
            .push(words::leftovers::not_recorded(&error.to_string()));
    }
    receipt
}

/// A failure to park as the skip it is.
pub(super) fn failed(operation: &str, path: &Path, error: &io::Error) -> Skip {
    Skip::Failed(Gap {
        operation: operation.to_owned(),
        path: PathText::new(path),
        cause: error.to_string(),
    })
}

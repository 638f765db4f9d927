//! What would go: the one value behind a preview and the clean-up that follows it.
//!
//! A plan holds every candidate that was proven dead when it was made. Applying it asks for each of them
//! once more, right before it goes; what was not in the plan does not go, however dead it may be by then.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::evidence::Evidence;
use sandtray_core::leftover::judge::{Judged, judge};
use sandtray_core::leftover::view::{CleanPart, CleanPreview, LEFTOVERS_SCHEMA, ReasonCount};
use sandtray_core::leftover::{Class, Removal, Tier};
use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;
use sandtray_core::words;

use super::going::Going;
use super::scan::{Scene, scan};
use crate::machine;
use crate::walk::Cancel;

/// Reasons that a part tells; the rest is counted.
const REASONS: usize = 20;

/// What is asked for.
pub struct Wish<'a> {
    /// Classes that are looked for at all.
    pub wants: &'a dyn Fn(&Class) -> bool,
    /// Whether a candidate was chosen.
    pub takes: &'a dyn Fn(&Candidate) -> bool,
    /// What would be parked is removed for good instead.
    pub for_good: bool,
}

impl std::fmt::Debug for Wish<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wish")
            .field("for_good", &self.for_good)
            .finish_non_exhaustive()
    }
}

/// Candidates of one class in one folder.
#[derive(Debug)]
pub struct Part {
    /// What they are.
    pub class: &'static Class,
    /// The folder that is opened to remove them.
    pub base: Arc<Path>,
    /// They are parked rather than removed.
    pub parks: bool,
    /// Those that go.
    pub going: Going,
    /// Those that were chosen and stay, with the reasons.
    pub kept: BTreeMap<String, u64>,
}

/// A clean-up that was planned.
#[derive(Debug)]
pub struct Plan {
    /// Its id.
    pub id: String,
    /// When it was made.
    pub at: Time,
    /// Its parts, in the order in which they go: what needs no thought first.
    pub parts: Vec<Part>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

/// Looks, judges and puts together what would go.
#[must_use]
pub fn plan(
    scene: &Scene,
    wish: &Wish<'_>,
    evidence: &Evidence,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64),
) -> Plan {
    let at = machine::now(&scene.machine);
    let mut parts: BTreeMap<(Tier, &'static str, Arc<Path>), Part> = BTreeMap::new();
    let looked = scan(scene, wish.wants, cancel, progress, &mut |candidate| {
        if !(wish.takes)(&candidate) {
            return;
        }
        let class = candidate.class;
        let part = parts
            .entry((class.tier, class.name, Arc::clone(&candidate.base)))
            .or_insert_with(|| Part {
                class,
                base: Arc::clone(&candidate.base),
                parks: parks(class) && !wish.for_good,
                going: Going::default(),
                kept: BTreeMap::new(),
            });
        let reason = match judge(&candidate, evidence, at) {
            Judged::Dead if class.removal == Removal::Never => {
                words::leftovers::never_ours().to_owned()
            }
            Judged::Dead => {
                part.going.push(candidate);
                return;
            }
            Judged::Live(reason) | Judged::Unknown(reason) => reason,
        };
        count(&mut part.kept, reason, 1);
    });
    Plan {
        id: id(at),
        at,
        parts: parts.into_values().collect(),
        gaps: looked.gaps,
    }
}

/// What may be wanted again is parked first; what is proven worthless is not.
const fn parks(class: &Class) -> bool {
    !matches!(class.tier, Tier::Automatic)
}

/// Counts a reason; beyond [`REASONS`] different ones they are only counted.
pub(super) fn count(reasons: &mut BTreeMap<String, u64>, reason: String, times: u64) {
    let reason = if reasons.len() < REASONS || reasons.contains_key(&reason) {
        reason
    } else {
        words::leftovers::other_reasons().to_owned()
    };
    let counted = reasons.entry(reason).or_default();
    *counted = counted.saturating_add(times);
}

/// Reasons for a surface, most frequent first.
pub(super) fn reasons(reasons: &BTreeMap<String, u64>) -> Vec<ReasonCount> {
    let mut list: Vec<ReasonCount> = reasons
        .iter()
        .map(|(reason, count)| ReasonCount {
            reason: reason.clone(),
            count: *count,
        })
        .collect();
    list.sort_by_key(|reason| Reverse(reason.count));
    list
}

/// Unlike every other of this user's: by the moment, and by the process that made it.
fn id(at: Time) -> String {
    format!("leftovers-{}", crate::act::plan::name(at))
}

impl Part {
    /// Their blocks, and among them those that other names reach too.
    fn sizes(&self) -> (Allocated, Allocated, u64) {
        self.going.iter().fold(
            (Allocated::ZERO, Allocated::ZERO, 0_u64),
            |(allocated, shared, inodes), candidate| {
                (
                    allocated + candidate.allocated,
                    shared + candidate.shared,
                    inodes.saturating_add(candidate.inodes),
                )
            },
        )
    }

    fn view(&self) -> CleanPart {
        let (allocated, shared, inodes) = self.sizes();
        CleanPart {
            class: self.class.name.to_owned(),
            title: self.class.title.to_owned(),
            root: PathText::new(&self.base),
            tier: self.class.tier,
            count: length(self.going.len()),
            kept: reasons(&self.kept),
            allocated,
            shared,
            inodes,
            parks: self.parks,
            cost: self.class.cost.to_owned(),
        }
    }
}

pub(super) fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl Plan {
    /// How many candidates go.
    #[must_use]
    pub fn count(&self) -> u64 {
        let counts = self.parts.iter().map(|part| length(part.going.len()));
        counts.fold(0, u64::saturating_add)
    }

    /// What a person reads before it is applied.
    #[must_use]
    pub fn preview(&self) -> CleanPreview {
        let parts: Vec<CleanPart> = self.parts.iter().map(Part::view).collect();
        let now = || parts.iter().filter(|part| !part.parks);
        let parked = parts.iter().filter(|part| part.parks);
        let count = self.count();
        let mut notes = Vec::new();
        if parts.iter().any(|part| part.parks && part.count > 0) {
            notes.push(words::leftovers::NOTE_PARKED.to_owned());
        }
        if now().any(|part| part.shared.0 > 0) {
            notes.push(words::leftovers::NOTE_AT_MOST.to_owned());
        }
        if super::evidence::is_wsl() {
            notes.push(words::leftovers::NOTE_WSL.to_owned());
        }
        CleanPreview {
            schema: LEFTOVERS_SCHEMA,
            id: if count > 0 {
                self.id.clone()
            } else {
                String::new()
            },
            count,
            frees: now().map(|part| part.allocated).sum(),
            frees_inodes: now().map(|part| part.inodes).fold(0, u64::saturating_add),
            parks: parked.map(|part| part.allocated).sum(),
            notes,
            refusals: Vec::new(),
            parts,
        }
    }
}

//! What there is, judged and counted for surfaces.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::evidence::Evidence;
use sandtray_core::leftover::judge::{Judged, judge};
use sandtray_core::leftover::tally::{Tally, group_id};
use sandtray_core::leftover::view::{
    CandidatePage, CandidateView, LEFTOVERS_SCHEMA, LeftoversView, Standing,
};
use sandtray_core::paths::{PathText, token};
use sandtray_core::words;

use super::evidence;
use super::scan::{Scene, scan};
use crate::machine;
use crate::walk::Cancel;

/// Candidates of a group that are kept for the window; the rest is looked for again when it is asked for.
pub const KEPT: usize = 500;
/// Gaps that are named.
const GAPS: usize = 50;

/// What a look found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// For surfaces.
    pub view: LeftoversView,
    /// The largest candidates of every group, largest first.
    pub largest: BTreeMap<String, Vec<CandidateView>>,
}

/// Looks at everything and judges it.
#[must_use]
pub fn look(scene: &Scene, cancel: &Cancel, progress: &mut dyn FnMut(u64)) -> Found {
    let at = machine::now(&scene.machine);
    let evidence = scene.evidence();
    let mut tally = Tally::default();
    let mut largest: BTreeMap<String, Vec<CandidateView>> = BTreeMap::new();
    let mut looked = scan(scene, &|_| true, cancel, progress, &mut |candidate| {
        let judged = judge(&candidate, &evidence, at);
        let list = largest
            .entry(group_id(candidate.class, &candidate.root))
            .or_default();
        keep(list, view(&candidate, &judged));
        tally.add(&candidate, &judged, at);
    });
    for list in largest.values_mut() {
        sort(list);
        list.truncate(KEPT);
    }
    let named = looked.gaps.len().min(GAPS);
    let more_gaps = super::plan::length(looked.gaps.len().saturating_sub(named));
    looked.gaps.truncate(named);
    let roots: Vec<PathBuf> = scene.roots.iter().map(|root| root.path.clone()).collect();
    let memory = |id: &str| scene.roots.iter().any(|root| root.id == id && root.memory);
    Found {
        view: LeftoversView {
            schema: LEFTOVERS_SCHEMA,
            at,
            classes: tally.finish(&memory),
            deleted_open: evidence::deleted_open(&scene.machine, &roots),
            gaps: looked.gaps,
            more_gaps,
            complete: looked.complete,
            notes: notes(scene, &evidence),
        },
        largest,
    }
}

/// A page of a group's candidates, looked for again: all of those whose path holds `search`.
#[must_use]
pub fn page(
    scene: &Scene,
    wanted: &str,
    search: &str,
    (offset, limit): (usize, usize),
    cancel: &Cancel,
) -> CandidatePage {
    let at = machine::now(&scene.machine);
    let evidence = scene.evidence();
    let class = wanted.split_once(':').map_or(wanted, |(class, _)| class);
    let most = offset.saturating_add(limit);
    let (mut total, mut found) = (0_u64, Vec::new());
    let wants = |row: &sandtray_core::leftover::Class| row.name == class;
    let _looked = scan(scene, &wants, cancel, &mut |_| {}, &mut |candidate| {
        if group_id(candidate.class, &candidate.root) != wanted {
            return;
        }
        let seen = view(&candidate, &judge(&candidate, &evidence, at));
        if !seen.path.path.to_lowercase().contains(search) {
            return;
        }
        total = total.saturating_add(1);
        found.push(seen);
        if found.len() > most.saturating_mul(2).max(KEPT) {
            sort(&mut found);
            found.truncate(most);
        }
    });
    sort(&mut found);
    CandidatePage {
        group: wanted.to_owned(),
        candidates: found.into_iter().skip(offset).take(limit).collect(),
        total,
    }
}

fn keep(list: &mut Vec<CandidateView>, seen: CandidateView) {
    list.push(seen);
    // Twice the room, so that sorting is seldom.
    if list.len() > KEPT.saturating_mul(2) {
        sort(list);
        list.truncate(KEPT);
    }
}

fn sort(list: &mut [CandidateView]) {
    list.sort_by(|a, b| {
        (b.allocated, b.inodes)
            .cmp(&(a.allocated, a.inodes))
            .then_with(|| a.path.path.cmp(&b.path.path))
    });
}

/// The handle of a candidate: stable as long as it is where it is.
#[must_use]
pub fn handle(candidate: &Candidate) -> String {
    token(&candidate.base.join(&candidate.path))
}

fn view(candidate: &Candidate, judged: &Judged) -> CandidateView {
    let (standing, reason) = match judged {
        Judged::Dead => (Standing::Dead, String::new()),
        Judged::Live(reason) => (Standing::Live, reason.clone()),
        Judged::Unknown(reason) => (Standing::Unknown, reason.clone()),
    };
    CandidateView {
        id: handle(candidate),
        path: PathText::new(&candidate.path),
        standing,
        reason,
        apparent: candidate.apparent,
        allocated: candidate.allocated,
        inodes: candidate.inodes,
        touched: candidate.touched,
        from: words::leftovers::origin(candidate).unwrap_or_default(),
    }
}

/// What a person should know beside the numbers.
fn notes(scene: &Scene, evidence: &Evidence) -> Vec<String> {
    let mut notes: Vec<String> = evidence
        .missing
        .iter()
        .map(|(signal, cause)| words::leftovers::missing(*signal, cause))
        .collect();
    if scene.roots.iter().any(|root| root.memory) {
        notes.push(words::leftovers::NOTE_MEMORY.to_owned());
    }
    if evidence::is_wsl() {
        notes.push(words::leftovers::NOTE_WSL.to_owned());
    }
    notes
}

//! Gates about what uses a thing: descriptors, mounts, listeners, environments.

use super::{Judged, Says, live, unknown};
use crate::leftover::Kind;
use crate::leftover::candidate::Candidate;
use crate::leftover::evidence::{Evidence, Hold, How, Unseen};

/// No mount stands on it or in it. Taking away what a sandbox mounted something over switches its
/// protection off (facts §1.2). Where its place is not known, host's own look counts alone.
pub(super) fn no_mount_point(candidate: &Candidate, evidence: &Evidence) -> Says {
    match &candidate.inside {
        Some(place) if Evidence::is_mounted(&evidence.mount_points, place) => {
            live("something is mounted on it or in it")
        }
        _ => Judged::Dead,
    }
}

/// A bind mount holds no descriptor: only the mount tables show it (#96129).
pub(super) fn no_mount_source(candidate: &Candidate, evidence: &Evidence) -> Says {
    match &candidate.inside {
        None => unknown("its place in its filesystem is not known, so mounts cannot be compared"),
        Some(place) if Evidence::is_mounted(&evidence.mount_sources, place) => {
            live("a sandbox has it mounted")
        }
        Some(_) => Judged::Dead,
    }
}

pub(super) fn not_held(candidate: &Candidate, evidence: &Evidence) -> Says {
    match holder(candidate, evidence, |_| true) {
        Some((hold, inside)) => live(held(hold, inside)),
        None => unseen(candidate, evidence),
    }
}

/// Somebody who has it mapped may write it.
pub(super) fn no_writer(candidate: &Candidate, evidence: &Evidence) -> Says {
    match holder(candidate, evidence, |how| {
        matches!(how, How::Write | How::Mapped)
    }) {
        Some((hold, _)) => live(format!("{} ({}) writes to it", hold.name, hold.pid)),
        None => unseen(candidate, evidence),
    }
}

/// Who holds it, or something in it; of several the one with the lowest number, so that the words do not
/// depend on any order.
fn holder<'e>(
    candidate: &Candidate,
    evidence: &'e Evidence,
    counts: impl Fn(How) -> bool,
) -> Option<(&'e Hold, bool)> {
    let own = [(&candidate.id, false)];
    let members = candidate.content.members.iter();
    own.into_iter()
        .chain(members.map(|id| (id, *id != candidate.id)))
        .filter_map(|(id, inside)| Some((evidence.held.get(id)?, inside)))
        .filter(|(hold, _)| counts(hold.how))
        .min_by_key(|(hold, inside)| (*inside, hold.pid))
}

fn held(hold: &Hold, inside: bool) -> String {
    let what = match (hold.how, inside) {
        (How::Read | How::Write, false) => "has it open",
        (How::Read | How::Write, true) => "has something in it open",
        (How::Folder, false) => "works in it",
        (How::Folder, true) => "works in a folder in it",
        (How::Program, false) => "is running it",
        (How::Program, true) => "is running from it",
        (How::Mapped, false) => "has it loaded",
        (How::Mapped, true) => "has something in it loaded",
    };
    format!("{} ({}) {what}", hold.name, hold.pid)
}

/// A process that cannot be looked into may hold anything if it is kin, and what was there before it if its
/// ancestry is lost.
pub(super) fn unseen(candidate: &Candidate, evidence: &Evidence) -> Says {
    let may = |process: &&Unseen| process.kin || process.started >= candidate.born;
    match evidence
        .unseen
        .iter()
        .filter(may)
        .min_by_key(|process| process.pid)
    {
        Some(process) => unknown(format!(
            "{} ({}) may be using it and cannot be looked into",
            process.name, process.pid
        )),
        None => Judged::Dead,
    }
}

/// In another namespace a socket's path is another one; only its last name stays.
pub(super) fn no_listener(candidate: &Candidate, evidence: &Evidence) -> Says {
    let own = candidate.path.file_name();
    let own = own.map(|name| name.as_encoded_bytes());
    let inside = candidate.content.sockets.iter().map(Vec::as_slice);
    if own.is_none() {
        return unknown("it has no name to compare with sockets");
    }
    if own
        .into_iter()
        .chain(inside)
        .any(|name| evidence.listening.contains(name))
    {
        return live(match candidate.class.kind {
            Kind::Directory => "a program listens on a socket in it",
            Kind::File | Kind::Socket => "a program listens on it",
        });
    }
    Judged::Dead
}

pub(super) fn not_named(candidate: &Candidate, evidence: &Evidence) -> Says {
    let path = candidate.full_path();
    // Paths are ordered by component, so everything below it follows it.
    let next = evidence.named.range(path.clone()..).next();
    if next.is_some_and(|named| named.starts_with(&path)) {
        return live("the environment of a running program names it");
    }
    unseen(candidate, evidence)
}

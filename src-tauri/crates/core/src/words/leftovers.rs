//! Leftovers in words: what can go, what went, and what else a person should know.

use crate::bytes::{Allocated, decimal, grouped};
use crate::leftover::candidate::Candidate;
use crate::leftover::view::{
    CleanPart, CleanPreview, CleanReceipt, LeftoverSummary, LeftoversView,
};
use crate::leftover::{Signal, Tier};
use crate::measurement::Gap;

/// Less of the expected than this in percent came back: worth a word about the reason.
const SHORT: u64 = 80;

/// `1 leftover`, `4,300 leftovers`.
fn leftovers(count: u64) -> String {
    counted(count, "leftover", "leftovers")
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// `4,300 leftovers, 8.80 GB`; without a size where they have none: half of all leftovers are empty.
fn with_size(count: u64, size: Allocated) -> String {
    match size {
        Allocated::ZERO => leftovers(count),
        size => format!("{}, {size}", leftovers(count)),
    }
}

/// What may go by itself, and what waits for a choice: `4,300 leftovers can go, 8.80 GB; 95 more to choose
/// from, 4.60 GB`.
#[must_use]
pub fn headline(view: &LeftoversView) -> String {
    let sum = |tier: Tier| {
        let dead = || {
            let classes = view.classes.iter();
            classes.filter(move |class| class.tier == tier && class.removable)
        };
        let count = dead().map(|class| class.dead).fold(0, u64::saturating_add);
        let size: Allocated = dead().map(|class| class.dead_allocated).sum();
        (count, size)
    };
    let sized = |size: Allocated| match size {
        Allocated::ZERO => String::new(),
        size => format!(", {size}"),
    };
    let ((count, size), (asked, asked_size)) = (sum(Tier::Automatic), sum(Tier::Ask));
    match (count, asked) {
        (0, 0) if view.classes.iter().all(|class| class.count == 0) => {
            if view.complete {
                "No leftovers found".to_owned()
            } else {
                "No leftovers found where they could be looked for".to_owned()
            }
        }
        (0, 0) => "No leftover is proven dead".to_owned(),
        (0, _) => format!("{} to choose from{}", leftovers(asked), sized(asked_size)),
        (_, 0) => format!("{} can go{}", leftovers(count), sized(size)),
        _ => format!(
            "{} can go{}; {} more to choose from{}",
            leftovers(count),
            sized(size),
            grouped(asked),
            sized(asked_size)
        ),
    }
}

/// What a clean-up would do: `Removes 4,300 leftovers, at most 8.80 GB; moves aside 95 leftovers, 4.60
/// GB.`
#[must_use]
pub fn preview(preview: &CleanPreview) -> String {
    let (parked, removed) = split(&preview.parts);
    let at_most = |size: Allocated| match size {
        Allocated::ZERO => String::new(),
        size => format!(", at most {size}"),
    };
    let removes = format!("Removes {}{}", leftovers(removed), at_most(preview.frees));
    match (removed, parked) {
        (0, 0) => "Nothing goes.".to_owned(),
        (_, 0) => format!("{removes}."),
        (0, _) => format!("Moves aside {}.", with_size(parked, preview.parks)),
        _ => format!(
            "{removes}; moves aside {}.",
            with_size(parked, preview.parks)
        ),
    }
}

/// How many of the parts are parked, and how many removed.
fn split(parts: &[CleanPart]) -> (u64, u64) {
    parts.iter().fold((0, 0), |(parked, removed), part| {
        if part.parks {
            (part.count.saturating_add(parked), removed)
        } else {
            (parked, part.count.saturating_add(removed))
        }
    })
}

/// What a clean-up did, with the gain as measured.
#[must_use]
pub fn outcome(receipt: &CleanReceipt) -> String {
    let (parked, removed) = split(&receipt.parts);
    let did = match (removed, parked) {
        (0, 0) => "Nothing was removed".to_owned(),
        (_, 0) => format!("{} removed", leftovers(removed)),
        (0, _) => format!("{} moved aside", leftovers(parked)),
        _ => format!(
            "{} removed and {} moved aside",
            leftovers(removed),
            grouped(parked)
        ),
    };
    let kept: u64 = receipt
        .skipped
        .iter()
        .fold(0, |sum, skip| sum.saturating_add(skip.count));
    let shown = u64::try_from(receipt.failed.len()).unwrap_or(u64::MAX);
    let failed = shown.saturating_add(receipt.more_failed);
    let mut outcome = did;
    if kept > 0 {
        outcome.push_str(&format!(", {} kept", grouped(kept)));
    }
    if failed > 0 {
        outcome.push_str(&format!(", {} failed", grouped(failed)));
    }
    outcome.push('.');
    if removed > 0 {
        outcome.push_str(&freed(receipt.freed_measured, receipt.inodes_freed));
    }
    if receipt.cancelled {
        outcome.push_str(" It was stopped before its end.");
    }
    outcome
}

/// The gain as measured, as a sentence with a space before it; empty where it is not known.
fn freed(bytes: Option<i64>, inodes: Option<i64>) -> String {
    let gained = |measured: Option<i64>| {
        let gained = measured.map(|gain| u64::try_from(gain).unwrap_or_default());
        gained.filter(|gain| *gain > 0)
    };
    let slots = |inodes| counted(inodes, "more file", "more files");
    match (gained(bytes), gained(inodes)) {
        (Some(bytes), Some(inodes)) => format!(
            " {} became free, with room for {}.",
            decimal(bytes),
            slots(inodes)
        ),
        (Some(bytes), None) => format!(" {} became free.", decimal(bytes)),
        (None, Some(inodes)) => format!(" There is room for {}.", slots(inodes)),
        (None, None) if bytes.is_some() => {
            " The volume has not gained: others wrote meanwhile.".to_owned()
        }
        (None, None) => String::new(),
    }
}

/// Why less came back than the plan expected; none where it did, and where it was not measured.
#[must_use]
pub fn shortfall(expected: Allocated, measured: Option<i64>) -> Option<String> {
    let gained = u64::try_from(measured?).unwrap_or_default();
    let short = u128::from(gained).saturating_mul(100)
        < u128::from(expected.0).saturating_mul(u128::from(SHORT));
    short.then(|| {
        format!(
            "{} was expected and {} became free: other programs may have written meanwhile, or still have \
             removed files open, or a snapshot keeps them.",
            expected,
            decimal(gained)
        )
    })
}

/// Files that other names reach too.
pub const NOTE_AT_MOST: &str =
    "Some files are linked or cloned from elsewhere, so at most this becomes free.";

/// Parking gives nothing back yet.
pub const NOTE_PARKED: &str =
    "What is moved aside can be restored, and frees nothing until you discard it.";

/// A root in memory (#40108).
pub const NOTE_MEMORY: &str =
    "Some of these lie in memory: removing them gives back memory, not disk space.";

/// The disk of WSL2 (microsoft/WSL#4699, #10353).
pub const NOTE_WSL: &str = "This is WSL2: Windows does not get the space back by itself. To shrink the disk file, stop WSL \
     with \"wsl --shutdown\" and compact it.";

/// An ext4 folder stays as large as its longest list of names (T26 of the facts).
pub const NOTE_FOLDER: &str =
    "A folder that held very many entries stays a few MB large until it is made anew.";

/// Where a leftover comes from: its job, its session, its project; none where its place does not tell.
#[must_use]
pub fn origin(candidate: &Candidate) -> Option<String> {
    if let Some(job) = &candidate.origin.job {
        let name = job.file_name()?.to_string_lossy();
        return Some(format!("background job {name}"));
    }
    let session = candidate.session();
    let session = session.map(|id| id.get(..8).unwrap_or(id));
    match (candidate.origin.project.as_deref(), session) {
        (Some(project), Some(session)) => Some(format!("{project}, session {session}")),
        (Some(project), None) => Some(project.to_owned()),
        (None, Some(session)) => Some(format!("session {session}")),
        (None, None) => None,
    }
}

/// The tray's item: `Clean leftovers (4,300, 8.80 GB)…`.
#[must_use]
pub fn menu_item(summary: Option<&LeftoverSummary>) -> String {
    match summary.map_or((0, Allocated::ZERO), |sum| (sum.count, sum.allocated)) {
        (0, _) => "Clean leftovers…".to_owned(),
        (count, Allocated::ZERO) => format!("Clean leftovers ({})…", grouped(count)),
        (count, bytes) => format!("Clean leftovers ({}, {bytes})…", grouped(count)),
    }
}

/// What came back, and what stays aside because something new has its place.
#[must_use]
pub fn restored(back: u64, stayed: u64) -> String {
    let stays = match stayed {
        0 => String::new(),
        _ => format!(
            "; {} stay aside because something new stands in their place",
            grouped(stayed)
        ),
    };
    format!("{} moved back{stays}", leftovers(back))
}

/// What went for good, with the measured gain.
#[must_use]
pub fn discarded(gone: u64, freed: Option<i64>, stayed: u64) -> String {
    let gained = freed
        .and_then(|bytes| u64::try_from(bytes).ok())
        .filter(|bytes| *bytes > 0)
        .map_or_else(String::new, |bytes| {
            format!(", {} came free", decimal(bytes))
        });
    let stays = match stayed {
        0 => String::new(),
        _ => format!("; {} could not be removed", grouped(stayed)),
    };
    format!("{} removed for good{gained}{stays}", leftovers(gone))
}

/// A process has something open.
#[must_use]
pub fn held(name: &str, pid: u32) -> String {
    format!("{name} ({pid}) has it open")
}

/// The system refused to remove something; the path is told apart.
#[must_use]
pub fn refused(gap: &Gap) -> String {
    format!("the system refused: {}", gap.cause)
}

/// A signal is missing.
#[must_use]
pub fn missing(signal: Signal, cause: &str) -> String {
    let what = match signal {
        Signal::Held => "which files are open",
        Signal::Mounts => "what is mounted into sandboxes",
        Signal::Sockets => "which sockets are listened on",
        Signal::Sessions => "which sessions run",
        Signal::Environments => "what running programs were started with",
        Signal::Processes => "which processes run",
    };
    format!("It cannot be seen {what} ({cause}): what needs that proof is kept.")
}

/// A class of which nothing is ever removed.
#[must_use]
pub const fn never_ours() -> &'static str {
    "it may be somebody's work, and is only shown"
}

/// More different reasons than are told.
#[must_use]
pub const fn other_reasons() -> &'static str {
    "other reasons"
}

/// The receipt found no room.
#[must_use]
pub fn not_recorded(cause: &str) -> String {
    format!("This receipt could not be written down: {cause}")
}

#[cfg(test)]
mod tests;

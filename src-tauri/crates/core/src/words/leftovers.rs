//! Sentences about leftovers: what can go, what went, why something stays.

use crate::bytes::{Allocated, decimal, grouped};
use crate::leftover::Signal;
use crate::leftover::candidate::Origin;
use crate::leftover::view::{CleanReceipt, LeftoverSummary};
use crate::measurement::Gap;

/// What can go now: `4,300 leftovers can go, at most 8.80 GB`.
#[must_use]
pub fn headline(summary: &LeftoverSummary) -> String {
    let count = summary.count;
    match (count, summary.allocated.0) {
        (0, _) => "Nothing to clean".to_owned(),
        (_, 0) => format!(
            "{} can go, {} files and folders",
            many(count),
            grouped(summary.inodes)
        ),
        _ => format!("{} can go, at most {}", many(count), summary.allocated),
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

fn many(count: u64) -> String {
    if count == 1 {
        "1 leftover".to_owned()
    } else {
        format!("{} leftovers", grouped(count))
    }
}

/// How a clean-up ended.
#[must_use]
pub fn outcome(receipt: &CleanReceipt) -> String {
    let removed: u64 = sum(receipt, false);
    let parked: u64 = sum(receipt, true);
    let mut parts = Vec::new();
    if removed > 0 {
        let gained = receipt
            .freed_measured
            .and_then(|bytes| u64::try_from(bytes).ok())
            .filter(|bytes| *bytes > 0)
            .map_or_else(String::new, |bytes| {
                format!(", {} came free", decimal(bytes))
            });
        parts.push(format!("{} removed{gained}", many(removed)));
    }
    if parked > 0 {
        parts.push(format!("{} moved aside", many(parked)));
    }
    if parts.is_empty() {
        parts.push("Nothing was removed".to_owned());
    }
    let skipped: u64 = receipt
        .skipped
        .iter()
        .map(|skip| skip.count)
        .fold(0, u64::saturating_add);
    if skipped > 0 {
        parts.push(format!("{} kept", grouped(skipped)));
    }
    if receipt.cancelled {
        parts.push("stopped before the end".to_owned());
    }
    parts.join("; ")
}

fn sum(receipt: &CleanReceipt, parks: bool) -> u64 {
    let parts = receipt.parts.iter().filter(|part| part.parks == parks);
    parts.map(|part| part.count).fold(0, u64::saturating_add)
}

/// Where a candidate comes from; empty where that is not known.
#[must_use]
pub fn from(origin: &Origin) -> String {
    let mut parts = Vec::new();
    if let Some(project) = &origin.project {
        parts.push(format!("project {project}"));
    }
    if let Some(session) = &origin.session {
        let short: String = session.chars().take(8).collect();
        parts.push(format!("session {short}"));
    }
    if let Some(job) = origin.job.as_ref().and_then(|job| job.file_name()) {
        parts.push(format!("background job {}", job.display()));
    }
    parts.join(", ")
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

/// Parking frees nothing.
#[must_use]
pub const fn parking_frees_nothing() -> &'static str {
    "What is moved aside can come back; it frees nothing until you discard it."
}

/// Hard links and clones.
#[must_use]
pub const fn at_most() -> &'static str {
    "Some files have further names elsewhere: this much comes free at most."
}

/// The disk of WSL2 does not shrink (microsoft/WSL#4699).
#[must_use]
pub const fn wsl() -> &'static str {
    "This is WSL: what comes free in here can be used in here, but the disk file on Windows does not shrink."
}

/// A temp folder in memory (#40108).
#[must_use]
pub const fn memory() -> &'static str {
    "A temp folder here lives in memory: what lies in it takes RAM."
}

/// The gain is far below what was removed.
#[must_use]
pub fn less_than_expected(expected: Allocated) -> String {
    format!(
        "Less came free than the {expected} that were removed: something was written meanwhile, files have \
         further names or are still open, or a snapshot keeps them."
    )
}

/// The receipt found no room.
#[must_use]
pub fn not_recorded(cause: &str) -> String {
    format!("This receipt could not be written down: {cause}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leftover::Tier;
    use crate::leftover::view::{CleanPart, ReasonCount};
    use crate::paths::PathText;

    fn part(count: u64, parks: bool) -> CleanPart {
        CleanPart {
            class: "x".into(),
            title: "x".into(),
            root: PathText::default(),
            tier: Tier::Automatic,
            count,
            kept: Vec::new(),
            allocated: Allocated::ZERO,
            shared: Allocated::ZERO,
            inodes: count,
            parks,
            cost: String::new(),
        }
    }

    #[test]
    fn an_outcome_says_what_went_what_was_measured_and_what_stayed() {
        let mut receipt = CleanReceipt {
            parts: vec![part(4300, false), part(1, true)],
            freed_measured: Some(8_800_000_000),
            skipped: vec![ReasonCount {
                reason: "node (7) has it open".into(),
                count: 2,
            }],
            ..CleanReceipt::default()
        };
        assert_eq!(
            outcome(&receipt),
            "4,300 leftovers removed, 8.80 GB came free; 1 leftover moved aside; 2 kept"
        );
        receipt.freed_measured = Some(-5);
        receipt.parts.truncate(1);
        receipt.cancelled = true;
        assert_eq!(
            outcome(&receipt),
            "4,300 leftovers removed; 2 kept; stopped before the end"
        );
        assert_eq!(outcome(&CleanReceipt::default()), "Nothing was removed");
    }

    #[test]
    fn an_empty_look_offers_nothing() {
        let mut summary = LeftoverSummary::default();
        assert_eq!(headline(&summary), "Nothing to clean");
        assert_eq!(menu_item(None), "Clean leftovers…");
        summary.count = 4300;
        summary.inodes = 4300;
        assert_eq!(
            headline(&summary),
            "4,300 leftovers can go, 4,300 files and folders"
        );
        assert_eq!(menu_item(Some(&summary)), "Clean leftovers (4,300)…");
        summary.allocated = Allocated(8_800_000_000);
        assert_eq!(
            headline(&summary),
            "4,300 leftovers can go, at most 8.80 GB"
        );
        assert_eq!(
            menu_item(Some(&summary)),
            "Clean leftovers (4,300, 8.80 GB)…"
        );
    }

    #[test]
    fn where_it_comes_from_is_told_shortly() {
        let origin = Origin {
            project: Some("-home-you-webshop".into()),
            session: Some("0b5c1f8e-1111-4222-8333-123456789abc".into()),
            job: None,
        };
        assert_eq!(from(&origin), "project -home-you-webshop, session 0b5c1f8e");
        assert_eq!(from(&Origin::default()), "");
    }
}

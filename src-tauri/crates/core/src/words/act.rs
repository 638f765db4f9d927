//! Reset, restore and discard in words.

use crate::act::receipt::Rebuild;
use crate::act::recommend::Why;
use crate::act::sessions::Report;
use crate::act::steps::Step;
use crate::act::{ActKind, Scope};
use crate::bytes::grouped;

/// What an act is called.
#[must_use]
pub fn act_title(kind: ActKind, scope: Scope) -> String {
    match kind {
        ActKind::Reset => format!("Reset the {scope}"),
        ActKind::Restore => format!("Restore the {scope}"),
        ActKind::Trash => format!("Move the parked {scope} to the trash"),
        ActKind::Remove => format!("Remove the parked {scope} for good"),
    }
}

/// A step, as something that was done.
#[must_use]
pub const fn act_step(step: Step) -> &'static str {
    match step {
        Step::Quit => "Claude Desktop has quit",
        Step::Prove => "No program has the disks open",
        Step::Record => "Chats, tasks and projects are remembered for comparison",
        Step::Move => "The disks are moved aside",
        Step::ProveAgain => "No program came back in the meantime",
        Step::Latch => "The app may repair itself again",
        Step::Compare => "Chats, tasks and projects are compared",
        Step::Relaunch => "Claude Desktop is started again",
        Step::Watch => "The rebuild is watched",
        Step::Verify => "The result is measured",
        Step::PutBack => "The disks are put back",
        Step::StartAgain => "Claude Desktop is started again as before",
    }
}

/// Why a scope is recommended, or none.
#[must_use]
pub const fn scope_reason(why: Why) -> &'static str {
    match why {
        Why::SessionsFull => "only the sessions disk is filling up",
        Why::SystemFull => "only the system disk is filling up",
        Why::BothFull => {
            "both disks are filling up, and resetting the sessions alone would not be enough"
        }
        Why::Unreadable => "a disk cannot be read, so which one is broken cannot be told",
        Why::NeitherFull => "neither disk is filling up, so a reset would not help",
    }
}

/// How the rebuild stands.
#[must_use]
pub fn rebuild(rebuild: &Rebuild) -> String {
    match rebuild {
        Rebuild::Waiting => {
            "Claude builds the new disk when you open a Cowork task next; until then nothing happens."
                .to_owned()
        }
        Rebuild::Downloading { percent: Some(percent) } => {
            format!("Claude is downloading the system: {percent} %.")
        }
        Rebuild::Downloading { percent: None } => "Claude is downloading the system.".to_owned(),
        Rebuild::Unpacking => "Claude is unpacking the system.".to_owned(),
        Rebuild::Booting => "The sandbox is starting.".to_owned(),
        Rebuild::Ready => "The new disks are there and working.".to_owned(),
        Rebuild::Looping { cause } => {
            format!("Claude begins the rebuild again and again: {cause}.")
        }
        Rebuild::Failed { cause } => format!("The rebuild failed: {cause}."),
    }
}

/// What happened to chats, tasks and projects.
#[must_use]
pub fn sessions_report(report: &Report) -> String {
    let count = grouped(report.count);
    if !report.missing.is_empty() {
        return format!(
            "{} of {count} files of chats, tasks and projects are missing now.",
            grouped(u64::try_from(report.missing.len()).unwrap_or(u64::MAX))
        );
    }
    let mut text = if report.untouched {
        format!("Chats, tasks and projects are as they were: {count} files compared.")
    } else if report.differing.is_empty() {
        format!(
            "No difference was seen in chats, tasks and projects ({count} files), but some could not be read."
        )
    } else {
        format!(
            "{} of {count} files of chats, tasks and projects changed while Claude was closed. Sandtray writes none of them.",
            grouped(u64::try_from(report.differing.len()).unwrap_or(u64::MAX))
        )
    };
    if report.changed_by_app > 0 {
        text += &format!(
            " Claude itself has changed {} since it was started again.",
            grouped(report.changed_by_app)
        );
    }
    text
}

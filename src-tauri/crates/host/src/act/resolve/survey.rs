//! Where the files of an act are, and what follows from it.

use std::path::PathBuf;

use sandtray_core::act::crash::{Decision, Found, decide};
use sandtray_core::act::{Act, ActKind, Move};

use crate::act::plan::files_below;
use crate::act::{look, parked, path};

/// The files of an act that stand in its parked copy.
pub(in super::super) fn moved_aside(act: &Act) -> Vec<PathBuf> {
    let folder = act.parked.as_ref().and_then(path::exact);
    act.moves
        .iter()
        .filter_map(|step| path::exact(&step.to))
        .filter(|to| folder.as_ref().is_some_and(|folder| to.starts_with(folder)))
        .flat_map(|to| files_below(&to))
        .collect()
}

/// The act as its manifest has it, with the lengths from after the app was gone; else as it was begun.
pub(super) fn latest(act: &Act) -> Act {
    let copy = act.parked.as_ref().and_then(path::exact);
    let copy = copy.and_then(|folder| parked::read(&folder));
    copy.map(|copy| copy.manifest.act)
        .filter(|written| written.id == act.id && written.moves.len() == act.moves.len())
        .unwrap_or_else(|| act.clone())
}

/// Looks where the files of an act are, and decides.
pub(super) fn survey(act: &Act) -> Decision {
    let act = latest(act);
    let found: Vec<Found> = act.moves.iter().map(where_is).collect();
    let own: Vec<bool> = act
        .moves
        .iter()
        .enumerate()
        .map(|(at, step)| own(&act, at, step))
        .collect();
    decide(&found, &own)
}

fn where_is(step: &Move) -> Found {
    let (Some(from), Some(to)) = (path::exact(&step.from), path::exact(&step.to)) else {
        return Found::Unknown;
    };
    let (Ok(before), Ok(after)) = (look::at(&from), look::at(&to)) else {
        return Found::Unknown;
    };
    let is = |seen: Option<look::Seen>| {
        seen.is_some_and(|seen| {
            step.identity.is(seen.identity) && seen.folder == step.folder && !seen.link
        })
    };
    match (is(before), is(after), before) {
        (true, _, _) => Found::Before,
        (false, true, None) => Found::After,
        (false, true, Some(_)) => Found::AfterAndTaken,
        (false, false, _) => Found::Nowhere,
    }
}

/// Whether what stands on a move's old name is a file of a later move of the same act.
fn own(act: &Act, at: usize, step: &Move) -> bool {
    let Some(seen) = path::exact(&step.from).and_then(|path| look::at(&path).ok().flatten()) else {
        return false;
    };
    act.moves
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .any(|later| later.to == step.from && later.identity.is(seen.identity))
}

/// Where the files are and what is done about it.
pub(super) fn words(act: &Act, decision: &Decision) -> &'static str {
    if matches!(act.kind, ActKind::Trash | ActKind::Remove) {
        return "Discarding a parked copy was cut off; where removing it had begun, it goes on.";
    }
    match decision {
        Decision::NothingMoved => "It was cut off, and everything is where it was.",
        Decision::AllMoved => {
            "It was cut off after everything had moved. The parked copy is kept, and undo gives it back."
        }
        Decision::PutBack(_) => "It was cut off in the middle; what had moved goes back.",
        Decision::Taken(_) => {
            "It was cut off in the middle, and Claude Desktop has begun a new disk since. What had moved stays in the parked copy, and undo gives it back."
        }
        Decision::Lost(_) => {
            "It was cut off, and a file is neither where it was nor where it was to go. Nothing is moved; look at both places."
        }
    }
}

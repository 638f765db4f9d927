//! What an act left behind that ended in the middle, and what to do about it.
//!
//! Decided by where each file *is*, told by device, inode and length, never by path alone and never by
//! how far the journal says it came: the last line may be one rename behind the disk, or, after a
//! power loss, ahead of it.
//!
//! | killed in | where the files are | what is done |
//! |---|---|---|
//! | quitting, proving, recording | all in their old places | nothing; an empty folder for the copy goes |
//! | moving | some here, some there | put back, last first, where the old names are free |
//! | proving again and later | all in their new places | nothing; the copy stays, undo is offered |
//! | putting back | some here, some there | putting back goes on |
//! | any | an old name is taken by something new | the app began a new disk: the copy stays, undo is offered |
//! | any | one is in neither place | nothing moves; it is named |

use serde::{Deserialize, Serialize};

/// Where one file of an act was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// In its old place; the new name is free or something else's.
    Before,
    /// In its new place, and the old name is free.
    After,
    /// In its new place, and the old name is something else's.
    AfterAndTaken,
    /// In neither.
    Nowhere,
    /// It could not be looked at: counts as in neither, and nothing moves.
    Unknown,
}

/// What to do about an act that ended in the middle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing moved: it ends as interrupted, and all is as it was.
    NothingMoved,
    /// Everything moved: the copy stays, undo is offered.
    AllMoved,
    /// These moves are undone, in this order.
    PutBack(Vec<usize>),
    /// Nothing is touched: the copy stays as it is, undo is offered; an old name is taken.
    Taken(Vec<usize>),
    /// Nothing is touched: these are in neither place.
    Lost(Vec<usize>),
}

/// Decides. `found` is in the order of the moves.
///
/// A move's old name may be taken by a later move of the same act (a restore moves the new disk aside
/// and the old one into its place): undone last first, it is free when its turn comes. `own` says, for
/// each move, whether what stands on its old name is a file of this very act that will have left by
/// then.
#[must_use]
pub fn decide(found: &[Found], own: &[bool]) -> Decision {
    let which = |wanted: &dyn Fn(usize, Found) -> bool| -> Vec<usize> {
        found
            .iter()
            .enumerate()
            .filter(|(at, found)| wanted(*at, **found))
            .map(|(at, _)| at)
            .collect()
    };
    let lost = which(&|_, found| matches!(found, Found::Nowhere | Found::Unknown));
    if !lost.is_empty() {
        return Decision::Lost(lost);
    }
    let moved = which(&|_, found| matches!(found, Found::After | Found::AfterAndTaken));
    if moved.is_empty() {
        return Decision::NothingMoved;
    }
    if moved.len() == found.len() {
        return Decision::AllMoved;
    }
    let taken =
        which(&|at, found| found == Found::AfterAndTaken && !own.get(at).copied().unwrap_or(false));
    if !taken.is_empty() {
        return Decision::Taken(taken);
    }
    Decision::PutBack(moved.into_iter().rev().collect())
}

#[cfg(test)]
mod tests;

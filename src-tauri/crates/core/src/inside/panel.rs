//! What the window shows of a disk: session homes, or the system's folders.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Kind, Usage};
use crate::bytes::Allocated;
use crate::paths::PathText;
use crate::time::Time;

/// How many homes count as the newest: the ones a person is likely to be working in.
pub const NEWEST: usize = 10;

/// A session's home on the sessions disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct SessionHome {
    /// What to call it in commands.
    pub id: String,
    /// Its name.
    #[serde(flatten)]
    pub name: PathText,
    /// The guest's user it belongs to.
    pub uid: u32,
    /// When it was made.
    pub first_change: Time,
    /// The latest change of anything in it.
    pub last_change: Time,
    /// Its blocks in the guest.
    pub allocated: Allocated,
    /// Names in it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// Among the [`NEWEST`] by last change.
    pub newest: bool,
}

/// A top folder of the system disk, or a file beside them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct SystemDir {
    /// What to call it in commands.
    pub id: String,
    /// Its name.
    #[serde(flatten)]
    pub name: PathText,
    /// The latest change of anything in it.
    pub last_change: Time,
    /// Its blocks in the guest.
    pub allocated: Allocated,
    /// Names in it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
}

/// The homes on a sessions disk, largest first: every folder but `lost+found`.
#[must_use]
pub fn homes(usage: &Usage) -> Vec<SessionHome> {
    let mut homes: Vec<SessionHome> = usage
        .entries
        .iter()
        .filter(|entry| entry.kind == Kind::Dir && entry.name != b"lost+found")
        .map(|entry| SessionHome {
            id: entry.id(),
            name: PathText::from_bytes(&entry.name),
            uid: entry.uid,
            first_change: entry.first_change,
            last_change: entry.last_change,
            allocated: entry.allocated,
            entries: entry.entries,
            newest: false,
        })
        .collect();
    let mut changes: Vec<Time> = homes.iter().map(|home| home.last_change).collect();
    changes.sort_unstable_by_key(|change| Reverse(*change));
    // Where several share the last place, all of them have it.
    let last = changes
        .get(NEWEST.saturating_sub(1))
        .or(changes.last())
        .copied();
    for home in &mut homes {
        home.newest = last.is_some_and(|last| home.last_change >= last);
    }
    homes
}

/// The top folders and files of a system disk, largest first.
#[must_use]
pub fn dirs(usage: &Usage) -> Vec<SystemDir> {
    usage
        .entries
        .iter()
        .map(|entry| SystemDir {
            id: entry.id(),
            name: PathText::from_bytes(&entry.name),
            last_change: entry.last_change,
            allocated: entry.allocated,
            entries: entry.entries,
        })
        .collect()
}

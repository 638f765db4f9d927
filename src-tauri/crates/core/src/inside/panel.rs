//! What the window shows of the inside of a disk: session homes, the system's folders, what grew.
//!
//! The window names a disk by its [`DiskId`] and a folder or file by the id that a view gave it; it never
//! sends a path.

use std::cmp::Reverse;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::growth::Growth;
use super::{Entry, Kind, Orphans, Usage};
use crate::bytes::{Allocated, Apparent, Bytes};
use crate::disk::{Disk, Image};
use crate::measurement::Gap;
use crate::paths::PathText;
use crate::rescue::{Receipt, Refusal};
use crate::time::Time;
use crate::words::{self, GuestSizes};

/// How many homes count as the newest: the ones a person is likely to be working in.
pub const NEWEST: usize = 10;

/// Names a guest disk in commands. For a disk in its place it is the text of its gauge's id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
#[serde(transparent)]
pub struct DiskId(pub String);

impl fmt::Display for DiskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The three true sizes of a disk image, side by side (#65577).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DiskSizes {
    /// Length of the image file.
    pub apparent: Apparent,
    /// Blocks it takes on the host: a high-water mark, not use.
    pub allocated: Allocated,
    /// What the guest's filesystem says is in use; none where unknown.
    pub guest_used: Option<Bytes>,
    /// What the guest's filesystem can hold; none where unknown.
    pub guest_size: Option<Bytes>,
    /// Why they differ, and which of it can be given back.
    pub sentence: String,
}

impl DiskSizes {
    /// The sizes of an image and of the guest's filesystem on it, as far as it could be read.
    #[must_use]
    pub fn new(image: &Image, disk: Option<&Disk>) -> Self {
        let numbers = disk.and_then(|disk| disk.numbers.as_ref());
        let enlarged = disk.and_then(|disk| image.enlarged(disk));
        Self::made(
            image.apparent,
            image.allocated,
            numbers.map(|numbers| GuestSizes {
                used: numbers.used,
                size: numbers.size,
                overhead: numbers.whole.saturating_sub(numbers.size),
            }),
            enlarged,
        )
    }

    /// The sizes of an image that cannot be looked into now.
    #[must_use]
    pub fn unread(apparent: Apparent, allocated: Allocated) -> Self {
        Self::made(apparent, allocated, None, None)
    }

    fn made(
        apparent: Apparent,
        allocated: Allocated,
        guest: Option<GuestSizes>,
        enlarged: Option<Bytes>,
    ) -> Self {
        Self {
            apparent,
            allocated,
            guest_used: guest.map(|guest| guest.used),
            guest_size: guest.map(|guest| guest.size),
            sentence: words::sizes(apparent, allocated, guest, enlarged),
        }
    }
}

/// A folder or file of a disk, with everything below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct InsideEntry {
    /// What to call it in commands; good as long as the disk holds it there.
    pub id: String,
    /// Its name.
    #[serde(flatten)]
    pub name: PathText,
    /// What it is; only a folder can be opened.
    pub kind: Kind,
    /// The guest's user it belongs to.
    pub uid: u32,
    /// When it was made, or changed where that is earlier or all that is known.
    pub first_change: Time,
    /// The latest change of anything in it.
    pub last_change: Time,
    /// Its blocks in the guest.
    pub allocated: Allocated,
    /// Names below it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// A session home among the [`NEWEST`] by last change.
    pub newest: bool,
    /// Its name is encrypted in the guest.
    pub encrypted: bool,
}

/// A folder on the way from the top of the disk to the one that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Crumb {
    /// What to call it in commands.
    pub id: String,
    /// Its name.
    #[serde(flatten)]
    pub name: PathText,
}

/// One folder of one disk: answer to `inside`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct InsideView {
    /// The disk.
    pub disk: DiskId,
    /// The top folder is where the guest keeps session homes.
    pub sessions: bool,
    /// The image on the host.
    #[serde(flatten)]
    pub image: PathText,
    /// Its sizes.
    pub sizes: DiskSizes,
    /// When it was read.
    pub read_at: Time,
    /// From below the top of the disk down to this folder; empty at the top.
    pub trail: Vec<Crumb>,
    /// What is in the folder, largest first; `lost+found` is no session home.
    pub entries: Vec<InsideEntry>,
    /// All of it and the folder itself.
    pub allocated: Allocated,
    /// Deleted while open, anywhere on the disk: no folder accounts for it.
    pub orphans: Orphans,
    /// Neither deleted nor found in any folder that could be read.
    pub unreached: Orphans,
    /// What could not be read, the first hundred.
    pub gaps: Vec<Gap>,
    /// All that could not be read.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub damaged: u64,
    /// Nothing was damaged and nothing was cut short.
    pub complete: bool,
    /// Somebody asked to stop.
    pub cancelled: bool,
    /// What grew since about a day ago; only at the top, none where no earlier reading is kept.
    pub growth: Option<Growth>,
}

/// What is known of the homes on a sessions disk without opening it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct HomesSummary {
    /// The disk.
    pub disk: DiskId,
    /// How many homes there are.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Their blocks in the guest.
    pub allocated: Allocated,
    /// When the oldest was made; none where there is none.
    pub oldest: Option<Time>,
    /// When this was read.
    pub read_at: Time,
}

/// How far a reading of a disk's inside is; `inside-progress`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct InsideProgress {
    /// The disk.
    pub disk: DiskId,
    /// Inodes and names seen so far.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
}

/// How far a rescue is; `rescue-progress`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct RescueProgress {
    /// The disk.
    pub disk: DiskId,
    /// Entries copied so far.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// Bytes written so far.
    pub written: Bytes,
}

/// How a rescue ended: answer to `rescue`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum RescueEnd {
    /// It was done, as the receipt says.
    Done {
        /// What came out.
        receipt: Receipt,
    },
    /// Nothing was done.
    Refused {
        /// Why.
        refusal: Refusal,
    },
}

/// The children of a folder as the window lists them, largest first. At the top of a sessions disk they
/// are the homes: `lost+found` is left out and the newest are marked. `id` gives each entry its id.
#[must_use]
pub fn entries(
    usage: &Usage,
    homes: bool,
    mut id: impl FnMut(&Entry) -> String,
) -> Vec<InsideEntry> {
    let mut entries: Vec<InsideEntry> = usage
        .entries
        .iter()
        .filter(|entry| !homes || entry.name != b"lost+found")
        .map(|entry| InsideEntry {
            id: id(entry),
            name: PathText::from_bytes(&entry.name),
            kind: entry.kind,
            uid: entry.uid,
            first_change: entry.first_change,
            last_change: entry.last_change,
            allocated: entry.allocated,
            entries: entry.entries,
            newest: false,
            encrypted: entry.encrypted,
        })
        .collect();
    if homes {
        mark_newest(&mut entries);
    }
    entries
}

/// Where several share the last place among the newest, all of them have it.
fn mark_newest(entries: &mut [InsideEntry]) {
    let is_home = |entry: &InsideEntry| entry.kind == Kind::Dir;
    let mut changes: Vec<Time> = entries
        .iter()
        .filter(|entry| is_home(entry))
        .map(|entry| entry.last_change)
        .collect();
    changes.sort_unstable_by_key(|change| Reverse(*change));
    let last = changes
        .get(NEWEST.saturating_sub(1))
        .or(changes.last())
        .copied();
    for entry in entries {
        entry.newest = is_home(entry) && last.is_some_and(|last| entry.last_change >= last);
    }
}

/// Sums up the homes of a complete reading of a sessions disk's top; none where it is not complete.
#[must_use]
pub fn summary(disk: &DiskId, usage: &Usage, at: Time) -> Option<HomesSummary> {
    if !usage.complete {
        return None;
    }
    let homes = || {
        usage
            .entries
            .iter()
            .filter(|entry| entry.kind == Kind::Dir && entry.name != b"lost+found")
    };
    Some(HomesSummary {
        disk: disk.clone(),
        count: u64::try_from(homes().count()).unwrap_or(u64::MAX),
        allocated: homes().map(|entry| entry.allocated).sum(),
        oldest: homes().map(|entry| entry.first_change).min(),
        read_at: at,
    })
}

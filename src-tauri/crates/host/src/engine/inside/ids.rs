//! Ids of what views showed, and what they stand for.
//!
//! An id is good for one path and one inode of one disk, as long as the table holds it. It is made by a
//! keyed hash, so that whoever wrote the disk cannot choose names that fall together; two that do all the
//! same get different ids.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use sandtray_core::inside::{DiskId, join};

use crate::rescue::Known;

/// Ids that are kept beside those of the latest view; the oldest views give way.
const MOST: usize = 200_000;

/// The table.
#[derive(Debug)]
pub(super) struct Ids {
    hasher: RandomState,
    slots: HashMap<u64, Slot>,
    /// Number of the latest view.
    round: u64,
    most: usize,
}

/// A folder of a disk, shared by the ids of what is in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Folder {
    disk: DiskId,
    path: Vec<u8>,
}

#[derive(Debug)]
struct Slot {
    folder: Arc<Folder>,
    name: Box<[u8]>,
    inode: u32,
    /// The latest view that showed it.
    round: u64,
}

impl Default for Ids {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            slots: HashMap::new(),
            round: 0,
            most: MOST,
        }
    }
}

impl Ids {
    /// Begins a view.
    pub(super) fn begin(&mut self) {
        self.round = self.round.wrapping_add(1);
    }

    /// A folder to issue ids in.
    pub(super) fn folder(disk: &DiskId, path: &[u8]) -> Arc<Folder> {
        Arc::new(Folder {
            disk: disk.clone(),
            path: path.to_vec(),
        })
    }

    /// The id of a name in a folder; the same as long as path and inode are.
    pub(super) fn issue(&mut self, folder: &Arc<Folder>, name: &[u8], inode: u32) -> String {
        let key = (&folder.disk.0, &folder.path, name, inode);
        let mut number = self.hasher.hash_one(key);
        loop {
            match self.slots.get_mut(&number) {
                Some(slot)
                    if *slot.name == *name && slot.inode == inode && slot.folder == *folder =>
                {
                    slot.round = self.round;
                    break;
                }
                Some(_) => number = number.wrapping_add(1),
                None => {
                    let slot = Slot {
                        folder: Arc::clone(folder),
                        name: name.into(),
                        inode,
                        round: self.round,
                    };
                    self.slots.insert(number, slot);
                    break;
                }
            }
        }
        format!("{number:016x}")
    }

    /// Ends a view: where there are too many ids, those of the oldest views go.
    pub(super) fn end(&mut self) {
        while self.slots.len() > self.most {
            let oldest = self.slots.values().map(|slot| slot.round).min();
            let Some(oldest) = oldest.filter(|oldest| *oldest != self.round) else {
                return;
            };
            self.slots.retain(|_, slot| slot.round != oldest);
        }
    }

    /// What an id stands for on this disk.
    pub(super) fn find(&self, disk: &DiskId, id: &str) -> Option<Known> {
        // As issued and in no other spelling.
        let number = u64::from_str_radix(id, 16).ok()?;
        let slot = self.slots.get(&number)?;
        (slot.folder.disk == *disk && format!("{number:016x}") == id).then(|| Known {
            path: join(&slot.folder.path, &slot.name),
            inode: slot.inode,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str) -> DiskId {
        DiskId(name.to_owned())
    }

    #[test]
    fn an_id_leads_back_to_one_path_of_one_disk() {
        let mut ids = Ids::default();
        ids.begin();
        let (top, sub) = (
            Ids::folder(&disk("a"), b"/"),
            Ids::folder(&disk("a"), b"/x"),
        );
        let one = ids.issue(&top, b"same", 12);
        let two = ids.issue(&sub, b"same", 12);
        assert_ne!(one, two, "name and inode are the same, the folder is not");
        assert_eq!(ids.issue(&top, b"same", 12), one);
        let found = ids.find(&disk("a"), &two).unwrap();
        assert_eq!((&*found.path, found.inode), (&b"/x/same"[..], 12));
        assert_ne!(ids.issue(&top, b"same", 13), one);
        assert_eq!(ids.find(&disk("b"), &one), None);
        for odd in [
            "",
            "/etc/passwd",
            "../..",
            &one.to_uppercase(),
            &one[1..],
            "+1",
        ] {
            let same = odd == one;
            assert_eq!(ids.find(&disk("a"), odd).is_some(), same, "{odd}");
        }
    }

    #[test]
    fn ids_that_fall_together_are_told_apart() {
        let mut ids = Ids::default();
        let top = Ids::folder(&disk("a"), b"/");
        let first = ids.issue(&top, b"first", 1);
        let number = u64::from_str_radix(&first, 16).unwrap();
        // Somebody else has the number already.
        ids.slots.get_mut(&number).unwrap().name = (*b"other").into();
        let again = ids.issue(&top, b"first", 1);
        assert_ne!(first, again);
        assert_eq!(ids.find(&disk("a"), &first).unwrap().path, b"/other");
        assert_eq!(ids.find(&disk("a"), &again).unwrap().path, b"/first");
    }

    #[test]
    fn the_table_is_bounded_and_the_latest_view_is_whole() {
        let mut ids = Ids {
            most: 10,
            ..Ids::default()
        };
        let mut view = |folder: &str, count: u32| -> Vec<String> {
            ids.begin();
            let folder = Ids::folder(&disk("a"), folder.as_bytes());
            let issued = (0..count)
                .map(|inode| ids.issue(&folder, b"n", inode))
                .collect();
            ids.end();
            issued
        };
        let (old, older_but_seen) = (view("/old", 4), view("/seen", 4));
        assert_eq!(view("/seen", 4), older_but_seen);
        let large = view("/large", 6);
        let larger = view("/larger", 20);
        let good = |of: &[String]| {
            of.iter()
                .filter(|id| ids.find(&disk("a"), id).is_some())
                .count()
        };
        assert_eq!(good(&larger), 20);
        assert_eq!((good(&old), good(&older_but_seen), good(&large)), (0, 0, 0));
    }
}

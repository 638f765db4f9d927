//! Who holds what, by the file itself.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{major, makedev, minor};
use sandtray_core::leftover::evidence::{FileId, Hold, How};

use super::look::{self, Failed, Folder, failed};
use crate::act::app::proc::{Mapping, maps, undeleted};
use crate::leftovers::evidence::strength;

/// All that is held, with the strongest hold of each file.
#[derive(Debug, Default)]
pub(super) struct Holds {
    pub(super) held: BTreeMap<FileId, Hold>,
    /// Files that mappings were found to be: libraries are in every process.
    mapped: HashMap<((u32, u32), u64, PathBuf), FileId>,
    /// Kinds of the filesystems that were seen mounted, by number.
    pub(super) kinds: BTreeMap<(u32, u32), String>,
}

/// A file that is open and has no name any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deleted {
    /// The name it had, in the mounts of its holder.
    pub(super) path: PathBuf,
    pub(super) id: FileId,
    pub(super) size: u64,
    pub(super) blocks: u64,
    pub(super) pid: u32,
    pub(super) name: String,
}

/// The process that is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder<'a> {
    pub(super) pid: u32,
    pub(super) name: &'a str,
}

impl Holds {
    pub(super) fn add(&mut self, id: FileId, holder: Holder<'_>, how: How) {
        let known = self.held.get(&id);
        if known.is_some_and(|known| strength(known.how) >= strength(how)) {
            return;
        }
        self.held.insert(
            id,
            Hold {
                pid: holder.pid,
                name: holder.name.to_owned(),
                how,
            },
        );
    }

    /// Takes everything one process, or one thread of it, holds: its program first, which right after exec
    /// is not mapped yet. Answers whether all of it could be seen.
    pub(super) fn look(
        &mut self,
        folder: &Folder,
        holder: Holder<'_>,
        deleted: &mut Vec<Deleted>,
    ) -> bool {
        let mut whole = true;
        for (name, how) in [
            ("exe", How::Program),
            ("cwd", How::Folder),
            ("root", How::Folder),
        ] {
            match folder.follow(name, false) {
                Ok(seen) => self.add(seen.id, holder, how),
                Err(error) => whole &= failed(&error) == Failed::Gone,
            }
        }
        whole &= self.descriptors(folder, holder, deleted);
        match folder.read("maps") {
            Ok(text) => {
                for mapping in maps(&text) {
                    self.mapping(folder, &mapping, holder);
                }
            }
            Err(error) => whole &= failed(&error) == Failed::Gone,
        }
        whole
    }

    /// Takes what is open. Sockets and pipes are no files on disk, and their links say so.
    pub(super) fn descriptors(
        &mut self,
        folder: &Folder,
        holder: Holder<'_>,
        deleted: &mut Vec<Deleted>,
    ) -> bool {
        let names = match folder.names("fd") {
            Ok(names) => names,
            Err(error) => return failed(&error) == Failed::Gone,
        };
        let Ok(open) = folder.folder("fd") else {
            return names.is_empty();
        };
        let mut whole = true;
        for name in names {
            match self.descriptor(&open, &name, holder, deleted) {
                Ok(()) => {}
                // Closed since it was listed, or the process has ended.
                Err(error) => whole &= failed(&error) == Failed::Gone,
            }
        }
        whole
    }

    fn descriptor(
        &mut self,
        open: &Folder,
        name: &std::ffi::CStr,
        holder: Holder<'_>,
        deleted: &mut Vec<Deleted>,
    ) -> io::Result<()> {
        let shown = open.link(name)?;
        if !shown.as_bytes().starts_with(b"/") {
            return Ok(());
        }
        let (path, marked) = undeleted(shown.as_bytes());
        let seen = open.follow(name, marked)?;
        let how = match open.is_written(name) {
            true => How::Write,
            false => How::Read,
        };
        self.add(seen.id, holder, how);
        // A file may be called that; one without a name has no links either.
        if marked && seen.is_file && seen.links == 0 {
            deleted.push(Deleted {
                path,
                id: seen.id,
                size: seen.size,
                blocks: seen.blocks,
                pid: holder.pid,
                name: holder.name.to_owned(),
            });
        }
        Ok(())
    }

    /// Takes a mapped file by the numbers that the mapping shows. Where a filesystem may show others than
    /// `stat` does (btrfs, overlay) the file is looked at by its path, in the holder's own mounts, and
    /// both count.
    fn mapping(&mut self, folder: &Folder, mapping: &Mapping, holder: Holder<'_>) {
        let how = match mapping.written {
            true => How::Write,
            false => How::Mapped,
        };
        let shown = FileId {
            device: makedev(mapping.device.0, mapping.device.1),
            inode: mapping.inode,
        };
        self.add(shown, holder, how);
        if mapping.deleted || self.shows_itself(mapping.device) {
            return;
        }
        let key = (mapping.device, mapping.inode, mapping.path.clone());
        let known = self.mapped.get(&key).copied();
        let found = known.or_else(|| {
            let below = mapping.path.strip_prefix("/").ok()?;
            let path = Path::new("root").join(below);
            Some(folder.follow(path.as_path(), false).ok()?.id)
        });
        if let Some(id) = found {
            self.mapped.insert(key, id);
            self.add(id, holder, how);
        }
    }

    /// Whether a file lies on a filesystem that never waits for another machine or a user's program.
    pub(super) fn is_local(&self, id: FileId) -> bool {
        const LOCAL: [&str; 6] = ["tmpfs", "ramfs", "overlay", "btrfs", "zfs", "bcachefs"];
        let device = (major(id.device), minor(id.device));
        device.0 != 0
            || self
                .kinds
                .get(&device)
                .is_some_and(|kind| LOCAL.contains(&kind.as_str()))
    }

    /// Whether mappings of this filesystem show what `stat` shows: those on a disk of their own do, and of
    /// the others those that are known to.
    fn shows_itself(&self, device: (u32, u32)) -> bool {
        const PLAIN: [&str; 7] = ["tmpfs", "ramfs", "devtmpfs", "nfs", "nfs4", "9p", "zfs"];
        device.0 != 0
            || self
                .kinds
                .get(&device)
                .is_some_and(|kind| PLAIN.contains(&kind.as_str()))
    }
}

/// The id of a file by its path.
pub(super) fn id_of(path: &Path) -> Option<FileId> {
    Some(look::file(path, true).ok()?.id)
}

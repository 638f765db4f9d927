//! The walk: folder by folder, without recursion, deepest first out.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::ops::Add;

use sandtray_core::bytes::{Apparent, Bytes};
use sandtray_core::inside::join;
use sandtray_core::rescue::{Receipt, SkipReason};

use super::contents::{self, Stop};
use super::links::stays_inside;
use super::names::{self, Rule};
use super::target::{Folder, Identity, KEPT_OPEN, Kept, keep};
use super::{Chosen, Name, Options};
use crate::disk::ext4::{Ext4, Inode, Kind, flag};

/// Numbers tried where the target takes a name for one that is there.
const MOST_NUMBERS: u32 = 99;

/// A rescue under way.
pub(super) struct Copy<'a> {
    ext4: &'a Ext4<'a>,
    options: &'a Options,
    receipt: Receipt,
    /// Open folders from the target down to where we are.
    stack: Vec<Level>,
    /// Every inode that was met: one that comes again without having several names is damage.
    seen: BTreeSet<u32>,
    /// Where the first name of each file with several lies below the target.
    first_names: BTreeMap<u32, (Vec<Name>, Identity)>,
    buffer: Vec<u8>,
    /// What is copied is the whole disk, so that its top names may link to one another.
    whole: bool,
}

/// A folder that is being filled.
struct Level {
    /// None while it is let go.
    folder: Option<Folder>,
    identity: Identity,
    /// Its own name in the target; empty for the target itself.
    name: Name,
    /// Where in the disk.
    path: Vec<u8>,
    /// What is left to copy, last first.
    left: Vec<(Vec<u8>, u32)>,
    kept: Option<Kept>,
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        ext4: &'a Ext4<'a>,
        options: &'a Options,
        root: Folder,
        receipt: Receipt,
    ) -> Self {
        let identity = root.identity().unwrap_or(Identity {
            device: 0,
            number: 0,
        });
        let root = Level {
            folder: Some(root),
            identity,
            name: Name::new(),
            path: Vec::new(),
            left: Vec::new(),
            kept: None,
        };
        Self {
            ext4,
            options,
            receipt,
            stack: vec![root],
            seen: BTreeSet::new(),
            first_names: BTreeMap::new(),
            buffer: Vec::new(),
            whole: false,
        }
    }

    /// Copies one thing and everything below it.
    pub(super) fn run(&mut self, chosen: &Chosen) {
        self.whole = chosen.whole;
        self.entry(&chosen.path, &chosen.name, chosen.inode);
        while self.stack.len() > 1 && !self.stopped() {
            let Some(level) = self.stack.last_mut() else {
                break;
            };
            match level.left.pop() {
                Some((name, inode)) => {
                    let path = join(&level.path, &name);
                    self.entry(&path, &name, inode);
                }
                None => self.leave(),
            }
        }
        while self.stack.len() > 1 {
            self.leave();
        }
    }

    pub(super) fn finish(mut self) -> Receipt {
        let receipt = &mut self.receipt;
        receipt.complete = receipt.failed == 0 && receipt.stopped.is_none() && !receipt.cancelled;
        self.receipt
    }

    fn stopped(&mut self) -> bool {
        self.receipt.cancelled |= self.options.cancel.is_cancelled();
        self.receipt.cancelled || self.receipt.stopped.is_some()
    }

    fn entry(&mut self, path: &[u8], name: &[u8], number: u32) {
        if self.stopped() {
            return;
        }
        self.options.progress.add(1);
        let inode = match self.ext4.inode(number) {
            Ok(inode) => inode,
            Err(cause) => return self.receipt.fail("read", path, cause.to_string()),
        };
        if !self.seen.insert(number) {
            let again = inode.kind() != Kind::Dir && inode.links > 1;
            if !again {
                let cause = "ext4: it has more names than it should".to_owned();
                return self.receipt.fail("read", path, cause);
            }
        }
        match inode.kind() {
            Kind::Dir => self.folder(path, name, &inode),
            Kind::File => self.file(path, name, &inode),
            Kind::Symlink => self.link(path, name, &inode),
            Kind::Pipe | Kind::Socket | Kind::Device => {
                self.receipt.skip(path, SkipReason::SpecialFile, None);
            }
            Kind::Odd => {
                let cause = "ext4: it is nothing that is known".to_owned();
                self.receipt.fail("read", path, cause);
            }
        }
    }

    fn folder(&mut self, path: &[u8], name: &[u8], inode: &Inode) {
        if inode.has(flag::ENCRYPTED) {
            return self.receipt.skip(path, SkipReason::Encrypted, None);
        }
        let Some((own, folder)) = self.make(path, name, Folder::make_folder) else {
            return;
        };
        let identity = match folder.identity() {
            Ok(identity) => identity,
            Err(error) => return self.receipt.fail("write", path, error.to_string()),
        };
        self.receipt.dirs = self.receipt.dirs.saturating_add(1);
        let mut left = Vec::new();
        let mut damage = Vec::new();
        self.ext4.read_directory(
            inode,
            &mut |child| left.push((child.name.to_vec(), child.inode)),
            &mut |cause| damage.push(cause),
        );
        for cause in damage {
            self.receipt.fail("read", path, cause.to_string());
        }
        left.sort_unstable_by(|a, b| b.cmp(a));
        self.stack.push(Level {
            folder: Some(folder),
            identity,
            name: own,
            path: path.to_vec(),
            left,
            kept: Some(kept(inode)),
        });
        // The target itself is never let go: nothing above it is ours to search.
        if let Some(above) = self.stack.len().checked_sub(KEPT_OPEN)
            && above > 0
            && let Some(level) = self.stack.get_mut(above)
        {
            level.folder = None;
        }
    }

    /// Finishes the folder that is filled and goes back to the one above.
    fn leave(&mut self) {
        let Some(level) = self.stack.pop() else {
            return;
        };
        if let Some(above) = self.stack.last_mut()
            && above.folder.is_none()
        {
            // Found again through the one below, and only if it is the same.
            above.folder = level
                .folder
                .as_ref()
                .and_then(|folder| folder.parent().ok())
                .filter(|folder| {
                    folder
                        .identity()
                        .is_ok_and(|identity| identity == above.identity)
                });
        }
        if let (Some(folder), Some(kept)) = (level.folder, level.kept)
            && folder.finish(&kept).is_err()
        {
            self.receipt.unkept = self.receipt.unkept.saturating_add(1);
        }
    }

    fn file(&mut self, path: &[u8], name: &[u8], inode: &Inode) {
        if inode.has(flag::ENCRYPTED) {
            return self.receipt.skip(path, SkipReason::Encrypted, None);
        }
        if inode.links > 1 && self.further_name(path, name, inode) {
            return;
        }
        let Some((own, file)) = self.make(path, name, Folder::make_file) else {
            return;
        };
        let result = contents::copy(self.ext4, inode, &file, self.options, &mut self.buffer);
        match result {
            Ok(written) => {
                self.receipt.files = self.receipt.files.saturating_add(1);
                self.receipt.apparent = self.receipt.apparent.add(Apparent(inode.size));
                self.receipt.written = self.receipt.written.add(Bytes(written.bytes));
                if let Some(cause) = written.damage {
                    let text = format!("{cause} ({} damaged parts are holes)", written.damaged);
                    self.receipt.fail("read", path, text);
                }
                if keep(&file, &kept(inode)).is_err() {
                    self.receipt.unkept = self.receipt.unkept.saturating_add(1);
                }
                self.remember(inode, own, &file);
            }
            Err(stop) => {
                self.take_back(&own, &file);
                match stop {
                    Stop::Cancelled => self.receipt.cancelled = true,
                    Stop::Target(error) => self.refused(path, &error),
                }
            }
        }
    }

    /// A file that is not whole is not left lying about as if it were.
    fn take_back(&mut self, name: &Name, file: &File) {
        let folder = self.stack.last().and_then(|level| level.folder.as_ref());
        if let Some(Err(error)) = folder.map(|folder| folder.take_back(name, file)) {
            let path = self.stack.last().map(|level| level.path.clone());
            let path = path.unwrap_or_default();
            self.receipt
                .fail("remove what is not whole", &path, error.to_string());
        }
    }

    fn remember(&mut self, inode: &Inode, own: Name, file: &File) {
        if inode.links > 1
            && let Ok(identity) = Identity::of(file)
        {
            let way = self.stack.iter().skip(1).map(|level| level.name.clone());
            let way = way.chain([own]).collect();
            self.first_names.insert(inode.number, (way, identity));
        }
    }

    /// Gives a file that was made already a further name; false where that cannot be.
    fn further_name(&mut self, path: &[u8], name: &[u8], inode: &Inode) -> bool {
        let Some((way, identity)) = self.first_names.get(&inode.number).cloned() else {
            return false;
        };
        let Some((last, folders)) = way.split_last() else {
            return false;
        };
        let root = self.stack.first().and_then(|level| level.folder.as_ref());
        let mut at: Option<Folder> = None;
        for folder in folders {
            let next = at.as_ref().or(root).map(|above| above.enter(folder));
            match next {
                Some(Ok(next)) => at = Some(next),
                _ => return false,
            }
        }
        let Some(from) = at.as_ref().or(root) else {
            return false;
        };
        let into = self.stack.last().and_then(|level| level.folder.as_ref());
        let (own, changed) = names::fit(name, names::HERE);
        let made = into.is_some_and(|into| into.make_name(&own, from, last, identity).is_ok());
        if made {
            self.receipt.hard_links = self.receipt.hard_links.saturating_add(1);
            if changed {
                self.receipt.rename(path, &own.to_string_lossy());
            }
        }
        made
    }

    fn link(&mut self, path: &[u8], name: &[u8], inode: &Inode) {
        let target = match self.ext4.target(inode) {
            Ok(target) => target,
            Err(_) if inode.has(flag::ENCRYPTED) => {
                return self.receipt.skip(path, SkipReason::Encrypted, None);
            }
            Err(cause) => return self.receipt.fail("read", path, cause.to_string()),
        };
        // Folders between what is copied and the link. A link that is copied by itself leads out: its end
        // stays behind.
        let depth = self
            .stack
            .len()
            .saturating_sub(usize::from(!self.whole))
            .checked_sub(1);
        if !depth.is_some_and(|depth| stays_inside(&target, depth)) {
            return self
                .receipt
                .skip(path, SkipReason::LinkLeadsOut, Some(&target));
        }
        let modified = (inode.modified, inode.modified_nanos);
        let made = self.make(path, name, |folder, name| {
            match folder.make_link(name, &target, modified) {
                Err(error) if is_not_held(&error) => Ok(false),
                other => other.map(|()| true),
            }
        });
        match made {
            Some((_, true)) => self.receipt.symlinks = self.receipt.symlinks.saturating_add(1),
            Some((_, false)) => {
                self.receipt
                    .skip(path, SkipReason::LinkNotHeld, Some(&target));
            }
            // What refused it was recorded where it was tried.
            None => {}
        }
    }

    /// Makes something in the folder we are in, under a name that the target can hold.
    fn make<T>(
        &mut self,
        path: &[u8],
        name: &[u8],
        mut make: impl FnMut(&Folder, &std::ffi::OsStr) -> io::Result<T>,
    ) -> Option<(Name, T)> {
        let Some(folder) = self.stack.last().and_then(|level| level.folder.as_ref()) else {
            let cause = "its folder in the target is no longer there".to_owned();
            self.receipt.fail("write", path, cause);
            return None;
        };
        let (mut own, mut changed) = names::fit(name, names::HERE);
        let mut number = 1;
        let error = loop {
            let tried = if number == 1 {
                own.clone()
            } else {
                names::numbered(&own, number)
            };
            match make(folder, &tried) {
                Ok(made) => {
                    if changed || number > 1 {
                        self.receipt.rename(path, &tried.to_string_lossy());
                    }
                    return Some((tried, made));
                }
                // Another name that this target takes for the same: in another case, or cut.
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_NUMBERS =>
                {
                    number = number.saturating_add(1);
                }
                Err(error) if is_bad_name(&error) && names::fit(name, Rule::Strict).0 != own => {
                    (own, changed) = (names::fit(name, Rule::Strict).0, true);
                    number = 1;
                }
                Err(error) => break error,
            }
        };
        self.refused(path, &error);
        None
    }

    /// The target refused: this entry alone, or all that would follow.
    fn refused(&mut self, path: &[u8], error: &io::Error) {
        self.receipt.fail("write", path, error.to_string());
        if matches!(
            error.kind(),
            io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::ReadOnlyFilesystem
                | io::ErrorKind::StaleNetworkFileHandle
        ) {
            self.receipt.stopped = Some(error.to_string());
        }
    }
}

/// Filesystems of other systems refuse names they have no letters for; `exfat-fuse` says of those that they
/// are not there, which the folder is: it is open.
fn is_bad_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename | io::ErrorKind::NotFound
    ) || cfg!(unix) && error.raw_os_error() == Some(rustix_ilseq())
}

#[cfg(unix)]
const fn rustix_ilseq() -> i32 {
    rustix::io::Errno::ILSEQ.raw_os_error()
}

#[cfg(not(unix))]
const fn rustix_ilseq() -> i32 {
    i32::MAX
}

/// No links on this filesystem, or not for this user.
fn is_not_held(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
    )
}

const fn kept(inode: &Inode) -> Kept {
    Kept {
        mode: inode.mode & 0o777,
        modified: (inode.modified, inode.modified_nanos),
    }
}

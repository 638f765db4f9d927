//! Names of a folder, some at a time.

use std::ffi::CStr;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;

use rustix::fs::FileType;

use super::super::MetKind;

/// What a listing says of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Its inode, as far as the filesystem tells here: what it shows is checked before anything is done.
    pub(super) inode: u64,
    /// None where the filesystem does not tell.
    pub(super) kind: Option<MetKind>,
    at: usize,
}

/// Some names, with the place in the folder after them. Buffers are kept from one batch to the next.
#[derive(Debug, Default)]
pub(super) struct Batch {
    #[cfg(target_os = "linux")]
    pub(super) raw: Vec<MaybeUninit<u8>>,
    bytes: Vec<u8>,
    entries: Vec<Listed>,
    pub(super) next_at: u64,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// Adds a name, unless it is the folder's own or its parent's.
    pub(super) fn push(&mut self, name: &CStr, inode: u64, kind: Option<MetKind>) {
        if name == c"." || name == c".." {
            return;
        }
        let at = self.bytes.len();
        self.bytes.extend_from_slice(name.to_bytes_with_nul());
        self.entries.push(Listed { inode, kind, at });
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&CStr, Listed)> {
        self.entries.iter().filter_map(|listed| {
            let name = CStr::from_bytes_until_nul(self.bytes.get(listed.at..)?).ok()?;
            Some((name, *listed))
        })
    }
}

pub(super) fn kind(kind: FileType) -> MetKind {
    match kind {
        FileType::Directory => MetKind::Directory,
        FileType::RegularFile => MetKind::File,
        FileType::Socket => MetKind::Socket,
        FileType::Symlink => MetKind::Link,
        _ => MetKind::Other,
    }
}

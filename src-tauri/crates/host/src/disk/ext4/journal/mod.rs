//! The journal (jbd2): what was committed and is not in its place yet, laid over the disk in memory.
//!
//! ```text
//! inode → blocks (where the journal lies) → head (its superblock) → walk (transactions) → overlay
//! ```
//!
//! A mounted or crashed guest has the newest state of its metadata in the journal alone. A mount would
//! replay it, which is a write; here the newest copy of each block is found and read in place of the block.
//! So numbers and names are those of the last commit: at most a few seconds old on a running guest.

mod blocks;
mod head;
mod inode;
mod overlay;
mod walk;

use sandtray_core::time::Time;

use self::head::Head;
use self::overlay::Copies;
use super::superblock::Superblock;
use crate::disk::source::{ReadAt, fetch};
use crate::error::Cause;

pub(super) use self::inode::{JournalInode, group};
pub(in crate::disk) use self::overlay::Overlay;

/// The state a journal was in: equal before and after a look, nothing was committed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::disk) struct Mark {
    start: u64,
    sequence: u32,
    next: (u64, u32),
}

/// What a journal adds to its filesystem.
#[derive(Debug, Default)]
pub(in crate::disk) struct Journal {
    copies: Option<Copies>,
    pub(in crate::disk) mark: Option<Mark>,
    /// When the last transaction was committed.
    pub(in crate::disk) committed: Option<Time>,
    /// Why the filesystem may be newer than what is seen with this laid over it.
    pub(in crate::disk) lag: Option<String>,
}

impl Journal {
    /// Reads the journal of a filesystem that was not unmounted.
    ///
    /// # Errors
    /// Unsupported where it lies elsewhere or is of a kind we do not know, corrupt where it contradicts itself,
    /// or what reading says.
    pub(super) fn load(source: &dyn ReadAt, superblock: &Superblock) -> Result<Self, Cause> {
        let Some(inode) = JournalInode::find(source, superblock)? else {
            return Err(Cause::Unsupported(
                "an ext4 journal on another disk".to_owned(),
            ));
        };
        let blocks = inode.map(source, superblock)?;
        let size = superblock.block_size.get();
        let first = blocks
            .find(0)
            .ok_or_else(|| Cause::Corrupt("ext4 journal: it has no blocks".to_owned()))?;
        let bytes = fetch(source, first.saturating_mul(size), size, "journal")?;
        let head = Head::parse(&bytes, inode.blocks, size)?;
        let walked = walk::walk(source, superblock, &head, &blocks)?;
        Ok(Self {
            copies: Some(Copies {
                block_size: size,
                checksums: head.checksums,
                seed: head.seed,
                copies: walked.copies,
            }),
            mark: Some(Mark {
                start: head.start,
                sequence: head.sequence,
                next: walked.next,
            }),
            committed: walked.committed,
            lag: walked.lag,
        })
    }

    /// A journal that could not be read.
    pub(in crate::disk) fn unread(cause: &Cause) -> Self {
        Self {
            lag: Some(cause.to_string()),
            ..Self::default()
        }
    }

    /// The filesystem `base` as of the last commit.
    pub(in crate::disk) fn over<'a>(&'a self, base: &'a dyn ReadAt) -> Overlay<'a> {
        Overlay {
            base,
            copies: self
                .copies
                .as_ref()
                .filter(|copies| !copies.copies.is_empty()),
        }
    }
}

//! The ext family: numbers from superblock, group descriptors and journal.
//!
//! A filesystem that was not unmounted is seen through its journal ([`recover`]), so that its numbers are
//! those of the last commit.
//!
//! Everything equals what `statfs` gives on a mount of the same disk; the tests compare with the kernel.
//! Two reserves lie between free and available: the one set with `mke2fs -m` for root, and one that
//! the kernel keeps for itself wherever files are made of extents.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

mod directory;
mod feature;
mod groups;
mod inline;
mod inode;
mod journal;
mod overhead;
mod runs;
mod superblock;
mod tables;
mod tree;

use sandtray_core::bytes::Bytes;
use sandtray_core::disk::Numbers;

use self::overhead::Overhead;
use self::superblock::{AT, SIZE, Superblock};
use super::source::{ReadAt, fetch};
use crate::error::Cause;

pub(crate) use self::inode::{Inode, Kind, flag};
pub(super) use self::journal::{Journal, Mark};
pub(super) use self::superblock::{Identity, is_ext};
pub(crate) use self::tree::Ext4;
pub(super) use self::tree::{Found, ROOT};

/// The kernel keeps 2 % back, but at most this many clusters (`ext4_set_resv_clusters`).
const KERNEL_RESERVE: u64 = 4096;

/// The superblock among the first bytes of a partition.
///
/// # Errors
/// Corrupt where the partition ends before it.
pub(super) fn superblock(head: &[u8]) -> Result<&[u8], Cause> {
    head.get(AT..)
        .and_then(|rest| rest.get(..SIZE))
        .ok_or_else(|| Cause::Corrupt("it ends inside the ext4 superblock".to_owned()))
}

/// Reads the journal of the filesystem in `source` where it is needed; `bytes` is its superblock.
///
/// A journal that cannot be read is no failure: what lies in its place is older, and said to be
/// ([`Journal::lag`]).
///
/// # Errors
/// Corrupt or unsupported superblocks, and what reading says.
pub(super) fn recover(source: &dyn ReadAt, bytes: &[u8]) -> Result<Journal, Cause> {
    let superblock = Superblock::parse(bytes, source.length())?;
    // The kernel discards what is in a journal without this flag.
    if !superblock.has_incompat(feature::incompat::RECOVER)
        || !superblock.has_compat(feature::compat::HAS_JOURNAL)
    {
        return Ok(Journal::default());
    }
    match Journal::load(source, &superblock) {
        Err(Cause::Io(error)) => Err(Cause::Io(error)),
        Err(cause) => Ok(Journal::unread(&cause)),
        Ok(journal) => Ok(journal),
    }
}

/// How full the filesystem in `source` is, as of the last commit in `journal`.
///
/// # Errors
/// Corrupt, unsupported, or what reading says.
pub(super) fn numbers(source: &dyn ReadAt, journal: &Journal) -> Result<Numbers, Cause> {
    let source = &journal.over(source);
    let (at, size) = (u64::try_from(AT), u64::try_from(SIZE));
    let (at, size) = (at.unwrap_or(u64::MAX), size.unwrap_or(u64::MAX));
    let bytes = fetch(source, at, size, "ext4 superblock")?;
    let superblock = Superblock::parse(&bytes, source.length())?;
    let mut overhead = Overhead::new(&superblock);
    let journal_group = journal::group(&superblock).filter(|_| overhead.needs_journal());
    let mut journal_table = None;
    let (mut free_clusters, mut free_inodes) = (0_u64, 0_u64);
    groups::visit(source, &superblock, |group| {
        free_clusters = free_clusters.saturating_add(group.free_clusters);
        free_inodes = free_inodes.saturating_add(group.free_inodes);
        overhead.add(group);
        if journal_group == Some(group.number) {
            journal_table = Some(group.inode_table);
        }
    })?;
    let journal_blocks = match journal_table {
        Some(table) => journal::JournalInode::read(source, &superblock, table)?.blocks,
        None => 0,
    };

    let ratio = superblock.cluster_ratio;
    let free = free_clusters.saturating_mul(ratio.get());
    let size = superblock
        .blocks
        .checked_sub(overhead.blocks(journal_blocks))
        .filter(|size| free <= *size)
        .ok_or_else(|| {
            Cause::Corrupt(format!(
                "ext4: {free} free blocks do not fit into a filesystem of {}",
                superblock.blocks
            ))
        })?;
    let kernel = if superblock.has_incompat(feature::incompat::EXTENTS) {
        (superblock.blocks / ratio / 50)
            .min(KERNEL_RESERVE)
            .saturating_mul(ratio.get())
    } else {
        0
    };
    let kept = superblock.reserved.saturating_add(kernel);
    // No product can overflow: all counts are at most the blocks that were found to fit on the disk.
    let bytes = |blocks: u64| Bytes(blocks.saturating_mul(superblock.block_size.get()));
    Ok(Numbers {
        whole: bytes(superblock.blocks),
        size: bytes(size),
        used: bytes(size.saturating_sub(free)),
        reserved: bytes(superblock.reserved),
        available: bytes(free.saturating_sub(kept)),
        inodes: superblock.inodes,
        inodes_free: free_inodes,
        clean: superblock.clean,
        as_of: journal.committed.or(superblock.written),
        stale: journal.lag.is_some(),
    })
}

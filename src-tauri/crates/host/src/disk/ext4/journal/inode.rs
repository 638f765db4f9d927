//! The journal's inode: how large the journal is, and which blocks it takes.

use super::blocks::Blocks;
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::ext4::feature::ro_compat;
use crate::disk::ext4::groups;
use crate::disk::ext4::superblock::Superblock;
use crate::disk::source::{ReadAt, fetch, le16, le32};
use crate::error::Cause;

/// The inode of the internal journal, checked.
pub(in crate::disk::ext4) struct JournalInode {
    bytes: Vec<u8>,
    /// Blocks that the journal has.
    pub(in crate::disk::ext4) blocks: u64,
}

/// The group whose inode table holds the journal's inode; none without an internal journal.
pub(in crate::disk::ext4) fn group(superblock: &Superblock) -> Option<u64> {
    let index = superblock.journal_inode.checked_sub(1)?;
    Some(index / superblock.inodes_per_group)
}

impl JournalInode {
    /// Reads it from wherever the group descriptors say; none without an internal journal.
    ///
    /// # Errors
    /// As [`read`](Self::read), and what the descriptors are corrupt of.
    pub(super) fn find(
        source: &dyn ReadAt,
        superblock: &Superblock,
    ) -> Result<Option<Self>, Cause> {
        let Some(number) = group(superblock) else {
            return Ok(None);
        };
        let group = groups::one(source, superblock, number)?;
        Self::read(source, superblock, group.inode_table).map(Some)
    }

    /// Reads it from the inode table at `inode_table`.
    ///
    /// # Errors
    /// Corrupt where the inode does not match its checksum or is larger than the filesystem.
    pub(in crate::disk::ext4) fn read(
        source: &dyn ReadAt,
        superblock: &Superblock,
        inode_table: u64,
    ) -> Result<Self, Cause> {
        let size = superblock.inode_size.get();
        let index = superblock.journal_inode.saturating_sub(1) % superblock.inodes_per_group;
        let at = inode_table
            .saturating_mul(superblock.block_size.get())
            .saturating_add(index.saturating_mul(size));
        let bytes = fetch(source, at, size, "journal inode")?;
        check_sum(superblock, &bytes)?;
        let length = u64::from(le32(&bytes, 0x04)?) | u64::from(le32(&bytes, 0x6c)?) << 32;
        let blocks = length / superblock.block_size;
        if blocks > superblock.blocks {
            return Err(Cause::Corrupt(format!(
                "ext4: a journal of {blocks} blocks in a filesystem of {}",
                superblock.blocks
            )));
        }
        Ok(Self { bytes, blocks })
    }

    /// Where its blocks lie.
    ///
    /// # Errors
    /// Corrupt where the map contradicts itself.
    pub(super) fn map(
        &self,
        source: &dyn ReadAt,
        superblock: &Superblock,
    ) -> Result<Blocks, Cause> {
        const EXTENTS: u32 = 0x8_0000;
        let generation = le32(&self.bytes, 0x64)?;
        let root = self.bytes.get(0x28..0x64).unwrap_or_default();
        if le32(&self.bytes, 0x20)? & EXTENTS == 0 {
            Blocks::listed(source, superblock, root, self.blocks)
        } else {
            Blocks::of_extents(source, superblock, root, generation)
        }
    }
}

/// An inode's checksum is in two halves, the upper one only where the inode is large enough.
fn check_sum(superblock: &Superblock, inode: &[u8]) -> Result<(), Cause> {
    const LOW: usize = 0x7c;
    const HIGH: usize = 0x82;
    const OLD_SIZE: u16 = 128;
    if !superblock.has_ro_compat(ro_compat::METADATA_CSUM) {
        return Ok(());
    }
    let halves =
        inode.len() > usize::from(OLD_SIZE) && le16(inode, 0x80)?.saturating_add(OLD_SIZE) >= 0x84;
    let number = u32::try_from(superblock.journal_inode)
        .unwrap_or(u32::MAX)
        .to_le_bytes();
    let generation = le32(inode, 0x64)?.to_le_bytes();
    let mut unsigned = inode.to_vec();
    for at in [LOW, HIGH] {
        if let (true, Some(field)) = (
            at == LOW || halves,
            unsigned.get_mut(at..).and_then(<[u8]>::first_chunk_mut),
        ) {
            *field = [0; 2];
        }
    }
    let sum = crc32c(superblock.seed, &[&number, &generation, &unsigned]);
    let [a, b, c, d] = sum.to_le_bytes();
    let matches = agrees(u16::from_le_bytes([a, b]), le16(inode, LOW)?)
        && (!halves || agrees(u16::from_le_bytes([c, d]), le16(inode, HIGH)?));
    if matches {
        Ok(())
    } else {
        Err(Cause::Corrupt(
            "ext4: the journal's inode does not match its checksum".to_owned(),
        ))
    }
}

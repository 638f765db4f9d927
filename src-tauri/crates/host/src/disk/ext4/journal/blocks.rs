//! Which blocks of the filesystem the journal takes, as runs: from extents, or from ext3's lists of blocks.
//!
//! No recursion: nodes wait on a list, and how many are read is limited, so a tree that leads back into
//! itself ends.

use crate::disk::checksum::{agrees, crc32c};
use crate::disk::ext4::feature::ro_compat;
use crate::disk::ext4::superblock::Superblock;
use crate::disk::source::{ReadAt, fetch, le16, le32};
use crate::error::Cause;

const EXTENT_MAGIC: u16 = 0xf30a;
const EXTENT: usize = 12;
const DEEPEST: u16 = 5;
/// Longer ones are allocated but were never written.
const WRITTEN: u16 = 1 << 15;
/// A journal lies in a few runs; one of 1 GB in single blocks of ext3 has 256 lists.
const MOST_NODES: usize = 1 << 10;
const MOST_RUNS: usize = 1 << 16;

/// Blocks that follow one another both in the journal and on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u64,
    block: u64,
    count: u64,
}

/// The map from a journal's blocks to the filesystem's.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Blocks {
    runs: Vec<Run>,
}

impl Blocks {
    /// The block of the filesystem that holds block `index` of the journal.
    pub(super) fn find(&self, index: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.first <= index);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let within = index.checked_sub(run.first)?;
        (within < run.count).then(|| run.block.saturating_add(within))
    }

    /// Reads the extent tree whose root is in the inode.
    ///
    /// # Errors
    /// Corrupt where a node is none, lies outside the filesystem or does not match its checksum.
    pub(super) fn of_extents(
        source: &dyn ReadAt,
        superblock: &Superblock,
        root: &[u8],
        generation: u32,
    ) -> Result<Self, Cause> {
        let mut map = Self::default();
        let mut waiting = vec![(root.to_vec(), None)];
        let mut read = 0;
        while let Some((node, expected)) = waiting.pop() {
            let (count, depth) = (le16(&node, 2)?, le16(&node, 6)?);
            let capacity = node.len() / EXTENT;
            if le16(&node, 0)? != EXTENT_MAGIC
                || usize::from(count) >= capacity
                || depth > DEEPEST
                || expected.is_some_and(|expected| depth != expected)
            {
                return Err(corrupt("its map has a node that is none"));
            }
            let entries = node.chunks_exact(EXTENT).skip(1).take(usize::from(count));
            if depth == 0 {
                for entry in entries {
                    let length = le16(entry, 4)?;
                    if length == 0 || length > WRITTEN {
                        return Err(corrupt("it has a hole"));
                    }
                    map.add(
                        superblock,
                        Run {
                            first: u64::from(le32(entry, 0)?),
                            block: u64::from(le32(entry, 8)?) | u64::from(le16(entry, 6)?) << 32,
                            count: u64::from(length),
                        },
                    )?;
                }
                continue;
            }
            for entry in entries {
                read = next_node(read)?;
                let block = u64::from(le32(entry, 4)?) | u64::from(le16(entry, 8)?) << 32;
                let child = block_bytes(source, superblock, block)?;
                check_sum(superblock, generation, &child)?;
                waiting.push((child, depth.checked_sub(1)));
            }
        }
        map.runs.sort_unstable_by_key(|run| run.first);
        Ok(map)
    }

    /// Reads ext3's lists: twelve blocks, then lists of blocks one, two and three deep.
    ///
    /// # Errors
    /// Corrupt where a block lies outside the filesystem.
    pub(super) fn listed(
        source: &dyn ReadAt,
        superblock: &Superblock,
        root: &[u8],
        blocks: u64,
    ) -> Result<Self, Cause> {
        const DIRECT: usize = 12;
        let mut map = Self::default();
        let mut next = 0;
        let mut waiting = Vec::new();
        for (index, entry) in root.chunks_exact(4).enumerate().rev() {
            let depth = index.saturating_add(1).saturating_sub(DIRECT);
            waiting.push((u64::from(le32(entry, 0)?), depth));
        }
        let mut read = 0;
        while let Some((block, depth)) = waiting.pop() {
            if next >= blocks {
                break;
            }
            if block == 0 {
                return Err(corrupt("it has a hole"));
            }
            if depth == 0 {
                let run = Run {
                    first: next,
                    block,
                    count: 1,
                };
                map.add(superblock, run)?;
                next = next.saturating_add(1);
                continue;
            }
            read = next_node(read)?;
            let list = block_bytes(source, superblock, block)?;
            for entry in list.rchunks_exact(4) {
                waiting.push((u64::from(le32(entry, 0)?), depth.saturating_sub(1)));
            }
        }
        Ok(map)
    }

    /// Adds a run, joined to the last one where it continues it.
    fn add(&mut self, superblock: &Superblock, run: Run) -> Result<(), Cause> {
        let end = run.block.checked_add(run.count);
        if run.block == 0 || end.is_none_or(|end| end > superblock.blocks) {
            return Err(corrupt("it lies beyond the filesystem"));
        }
        if let Some(last) = self.runs.last_mut()
            && last.first.saturating_add(last.count) == run.first
            && last.block.saturating_add(last.count) == run.block
        {
            last.count = last.count.saturating_add(run.count);
            return Ok(());
        }
        if self.runs.len() >= MOST_RUNS {
            return Err(Cause::Unsupported(
                "an ext4 journal in more pieces than can be followed".to_owned(),
            ));
        }
        self.runs.push(run);
        Ok(())
    }
}

fn next_node(read: usize) -> Result<usize, Cause> {
    if read < MOST_NODES {
        Ok(read.saturating_add(1))
    } else {
        Err(corrupt("its map is endless"))
    }
}

fn block_bytes(source: &dyn ReadAt, superblock: &Superblock, block: u64) -> Result<Vec<u8>, Cause> {
    let size = superblock.block_size.get();
    if block == 0 || block >= superblock.blocks {
        return Err(corrupt("its map lies beyond the filesystem"));
    }
    fetch(source, block.saturating_mul(size), size, "journal map")
}

/// A node outside the inode ends in a checksum, after the last entry that would fit.
fn check_sum(superblock: &Superblock, generation: u32, node: &[u8]) -> Result<(), Cause> {
    if !superblock.has_ro_compat(ro_compat::METADATA_CSUM) {
        return Ok(());
    }
    let capacity = usize::from(le16(node, 4)?);
    let at = capacity.saturating_add(1).saturating_mul(EXTENT);
    let number = u32::try_from(superblock.journal_inode)
        .unwrap_or(u32::MAX)
        .to_le_bytes();
    let covered = node.get(..at).unwrap_or_default();
    let sum = crc32c(
        superblock.seed,
        &[&number, &generation.to_le_bytes(), covered],
    );
    if agrees(sum, le32(node, at)?) {
        Ok(())
    } else {
        Err(corrupt("its map does not match its checksum"))
    }
}

fn corrupt(text: &str) -> Cause {
    Cause::Corrupt(format!("ext4 journal: {text}"))
}

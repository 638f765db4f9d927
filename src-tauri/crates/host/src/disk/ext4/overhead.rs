//! Blocks that hold the filesystem itself: what `statfs` takes off the size.
//!
//! The same sum as the kernel's `ext4_calculate_overhead`, oddities included, because the number has to
//! equal the guest's own `df` to the byte.

use super::feature::{compat, incompat, ro_compat};
use super::groups::Group;
use super::superblock::Superblock;

/// Where superblocks and descriptors lie; derived from the superblock alone.
pub(super) struct Layout<'a> {
    superblock: &'a Superblock,
    /// The block that holds the superblock: 1 with blocks of 1 KiB, else 0.
    pub(super) superblock_block: u64,
    /// Blocks that all descriptors take together.
    pub(super) descriptor_blocks: u64,
    /// Descriptors in a block.
    per_block: u64,
}

impl<'a> Layout<'a> {
    pub(super) fn new(superblock: &'a Superblock) -> Self {
        let per_block = superblock.block_size.get() / superblock.descriptor_size;
        Self {
            superblock,
            superblock_block: u64::from(superblock.block_size.get() == 1024),
            descriptor_blocks: superblock.groups.div_ceil(per_block.max(1)),
            per_block,
        }
    }

    /// The first block of a group.
    pub(super) fn first_block(&self, group: u64) -> u64 {
        group
            .saturating_mul(self.superblock.blocks_per_group.get())
            .saturating_add(self.superblock.first_data_block)
    }

    /// Where the descriptor block `block` lies with meta_bg: in the first group that it describes.
    pub(super) fn meta_block(&self, block: u64) -> u64 {
        let group = block.saturating_mul(self.per_block);
        // With bigalloc and blocks of 1 KiB the superblock is in block 1 of a group that begins at 0.
        let shifted = block == 0
            && self.superblock.block_size.get() == 1024
            && self.superblock.first_data_block == 0;
        self.first_block(group)
            .saturating_add(u64::from(self.has_superblock(group)))
            .saturating_add(u64::from(shifted))
    }

    /// Whether a group carries a copy of the superblock.
    fn has_superblock(&self, group: u64) -> bool {
        let superblock = self.superblock;
        if group == 0 {
            true
        } else if superblock.has_compat(compat::SPARSE_SUPER2) {
            superblock.backup_groups.contains(&group)
        } else {
            group == 1
                || !superblock.has_ro_compat(ro_compat::SPARSE_SUPER)
                || [3, 5, 7].iter().any(|base| is_power(group, *base))
        }
    }

    /// Blocks that superblock and descriptors take at the start of a group.
    fn leading_blocks(&self, group: u64) -> u64 {
        let superblock = self.superblock;
        let copy = self.has_superblock(group);
        let meta_bg = superblock.has_incompat(incompat::META_BG);
        let metagroup = group.checked_div(self.per_block).unwrap_or_default();
        let descriptors = if meta_bg && metagroup >= superblock.first_meta_bg {
            let first = metagroup.saturating_mul(self.per_block);
            let last = first.saturating_add(self.per_block).saturating_sub(1);
            u64::from(group == first || group == first.saturating_add(1) || group == last)
        } else if !copy {
            0
        } else if meta_bg {
            superblock.first_meta_bg
        } else {
            self.descriptor_blocks
        };
        descriptors.saturating_add(u64::from(copy))
    }
}

fn is_power(mut value: u64, base: u64) -> bool {
    while value > 1 && value.checked_rem(base) == Some(0) {
        value = value.checked_div(base).unwrap_or_default();
    }
    value == 1
}

/// Sums up the overhead of all groups, in clusters.
pub(super) struct Overhead<'a> {
    layout: Layout<'a>,
    count: Count,
}

enum Count {
    /// mke2fs counted; only with bigalloc does the kernel believe it.
    Stored(u64),
    /// One block is one cluster, and no two tables share one.
    Sum(u64),
    /// Tables share clusters: ranges of clusters, to be merged.
    Shared(Vec<(u64, u64)>),
}

impl<'a> Overhead<'a> {
    pub(super) fn new(superblock: &'a Superblock) -> Self {
        let before = superblock.first_data_block / superblock.cluster_ratio;
        let stored = superblock.overhead_clusters;
        let count = if !superblock.has_ro_compat(ro_compat::BIGALLOC) {
            Count::Sum(before)
        } else if stored != 0 && stored <= superblock.blocks {
            Count::Stored(stored)
        } else {
            Count::Shared(Vec::new())
        };
        Self {
            layout: Layout::new(superblock),
            count,
        }
    }

    /// Adds a group.
    pub(super) fn add(&mut self, group: &Group) {
        let superblock = self.layout.superblock;
        let leading = self.layout.leading_blocks(group.number);
        match &mut self.count {
            Count::Stored(_) => {}
            Count::Sum(sum) => {
                let resize = if self.layout.has_superblock(group.number) {
                    superblock.reserved_gdt_blocks
                } else {
                    0
                };
                *sum = sum
                    .saturating_add(leading)
                    .saturating_add(resize)
                    .saturating_add(superblock.table_blocks)
                    .saturating_add(2);
            }
            Count::Shared(ranges) => {
                let start = self.layout.first_block(group.number);
                for (first, length) in [
                    (start, leading),
                    (group.block_bitmap, 1),
                    (group.inode_bitmap, 1),
                    (group.inode_table, superblock.table_blocks),
                ] {
                    if length > 0 {
                        let last = first.saturating_add(length).saturating_sub(1);
                        ranges.push((
                            first / superblock.cluster_ratio,
                            last / superblock.cluster_ratio,
                        ));
                    }
                }
            }
        }
    }

    /// The sum in blocks, with a journal of `journal` blocks where mke2fs did not count it.
    pub(super) fn blocks(self, journal: u64) -> u64 {
        let ratio = self.layout.superblock.cluster_ratio.get();
        let clusters = match self.count {
            Count::Stored(stored) => stored,
            Count::Sum(sum) => sum.saturating_add(journal),
            Count::Shared(ranges) => merged(ranges).saturating_add(journal.div_ceil(ratio)),
        };
        clusters.saturating_mul(ratio)
    }

    /// Whether [`blocks`](Self::blocks) wants to know the journal's size.
    pub(super) const fn needs_journal(&self) -> bool {
        !matches!(self.count, Count::Stored(_))
    }
}

/// How many clusters the ranges cover together.
fn merged(mut ranges: Vec<(u64, u64)>) -> u64 {
    ranges.sort_unstable();
    let mut covered = 0_u64;
    let mut next = 0;
    for (first, last) in ranges {
        let first = first.max(next);
        if let Some(more) = last.checked_sub(first) {
            covered = covered.saturating_add(more).saturating_add(1);
            next = last.saturating_add(1);
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_count_once() {
        assert_eq!(merged(vec![]), 0);
        assert_eq!(merged(vec![(5, 7), (0, 0), (6, 9), (0, 0), (8, 8)]), 6);
    }

    #[test]
    fn powers_are_of_the_base_alone() {
        let powers: Vec<u64> = (1..130).filter(|group| is_power(*group, 3)).collect();
        assert_eq!(powers, [1, 3, 9, 27, 81]);
        assert!(!is_power(0, 3));
    }
}

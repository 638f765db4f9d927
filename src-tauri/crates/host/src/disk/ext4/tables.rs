//! Where each group keeps its inodes, read so that one damaged descriptor costs one group and no more.
//!
//! Why not [`groups::visit`](super::groups::visit): numbers are right or absent, so it stops at the first
//! contradiction. Getting files out of a broken disk goes on: a damaged descriptor is replaced by its
//! copy, and where that is gone too, its group is missing and said to be.

use super::feature::{compat, incompat, ro_compat};
use super::groups::group;
use super::overhead::Layout;
use super::superblock::Superblock;
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{ReadAt, fetch, le16};
use crate::error::Cause;

const NO_INODES: u16 = 1;

/// One group's inodes.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Block of the bitmap that says which inodes are in use.
    pub(super) bitmap: u64,
    /// First block of the table.
    pub(super) start: u64,
    /// Inodes from the first to the last that was ever used.
    pub(super) slots: u64,
    /// The bitmap's checksum, and how many of its bits are kept.
    sum: Option<(u32, u32)>,
}

/// The tables of all groups, in order; none where a group's place is lost.
pub(super) struct Tables {
    pub(super) groups: Vec<Option<Table>>,
    /// What was wrong with each descriptor that is lost.
    pub(super) lost: Vec<Cause>,
}

impl Tables {
    /// Reads every descriptor.
    ///
    /// # Errors
    /// Corrupt where tables overlap: inodes would be counted twice, and a small disk could be made to
    /// take for ever.
    pub(super) fn read(source: &dyn ReadAt, superblock: &Superblock) -> Result<Self, Cause> {
        let layout = Layout::new(superblock);
        let meta_bg = superblock.has_incompat(incompat::META_BG);
        let size = usize::try_from(superblock.descriptor_size.get()).unwrap_or(usize::MAX);
        let mut tables = Self {
            groups: Vec::new(),
            lost: Vec::new(),
        };
        let mut number = 0_u64;
        for block in 0..layout.descriptor_blocks {
            let apart = meta_bg && block >= superblock.first_meta_bg;
            let at = if apart {
                layout.meta_block(block)
            } else {
                beside(layout.superblock_block, block)
            };
            let copy_at = (!apart).then(|| copy(superblock, &layout, block)).flatten();
            let bytes = read_block(source, superblock, at);
            let mut copy = None;
            let mut index = 0_usize;
            while number < superblock.groups && index.saturating_add(size) <= block_len(superblock)
            {
                let range = index..index.saturating_add(size);
                let of = |bytes: &Result<Vec<u8>, Cause>| match bytes {
                    Ok(bytes) => table(
                        superblock,
                        number,
                        bytes.get(range.clone()).unwrap_or_default(),
                    ),
                    Err(cause) => Err(Cause::Corrupt(cause.to_string())),
                };
                let found = of(&bytes).map_err(Some).or_else(|cause| {
                    // The copy was written when the disk was made: right about places, not about use.
                    let copy = copy.get_or_insert_with(|| match copy_at {
                        Some(at) => read_block(source, superblock, at),
                        None => Err(Cause::Corrupt("there is no copy".to_owned())),
                    });
                    of(copy)
                        .map(|table| Table {
                            slots: superblock.inodes_per_group.get(),
                            sum: None,
                            ..table
                        })
                        .map_err(|_| cause)
                });
                match found {
                    Ok(table) => tables.groups.push(Some(table)),
                    Err(cause) => {
                        tables.groups.push(None);
                        tables.lost.extend(cause);
                    }
                }
                number = number.saturating_add(1);
                index = index.saturating_add(size);
            }
        }
        tables.check(superblock)?;
        Ok(tables)
    }

    fn check(&self, superblock: &Superblock) -> Result<(), Cause> {
        let mut starts: Vec<u64> = self
            .groups
            .iter()
            .flatten()
            .map(|table| table.start)
            .collect();
        starts.sort_unstable();
        let overlap = starts.windows(2).any(|pair| match pair {
            [one, next] => next.saturating_sub(*one) < superblock.table_blocks,
            _ => false,
        });
        if overlap {
            return Err(Cause::Corrupt("ext4: two inode tables overlap".to_owned()));
        }
        Ok(())
    }
}

fn block_len(superblock: &Superblock) -> usize {
    usize::try_from(superblock.block_size.get()).unwrap_or(usize::MAX)
}

fn read_block(source: &dyn ReadAt, superblock: &Superblock, block: u64) -> Result<Vec<u8>, Cause> {
    let size = superblock.block_size.get();
    fetch(
        source,
        block.saturating_mul(size),
        size,
        "group descriptors",
    )
}

/// The block with descriptors `block` beside the superblock in `superblock_block`.
fn beside(superblock_block: u64, block: u64) -> u64 {
    superblock_block.saturating_add(1).saturating_add(block)
}

/// Where the copy of descriptor block `block` lies: beside the second superblock.
fn copy(superblock: &Superblock, layout: &Layout<'_>, block: u64) -> Option<u64> {
    let [backup, _] = superblock.backup_groups;
    let group = if superblock.has_compat(compat::SPARSE_SUPER2) {
        backup
    } else {
        1
    };
    (1..superblock.groups)
        .contains(&group)
        .then(|| beside(layout.first_block(group), block))
}

fn table(superblock: &Superblock, number: u64, bytes: &[u8]) -> Result<Table, Cause> {
    let group = group(superblock, number, bytes)?;
    let all = superblock.inodes_per_group.get();
    let (sums, old_sums) = (
        superblock.has_ro_compat(ro_compat::METADATA_CSUM),
        superblock.has_ro_compat(ro_compat::GDT_CSUM),
    );
    let wide = bytes.len() >= 64;
    let mut slots = all;
    if sums || old_sums {
        // Only with checksums do these two fields mean anything.
        let high = if wide { le16(bytes, 0x32)? } else { 0 };
        let unused = u64::from(le16(bytes, 0x1c)?) | u64::from(high) << 16;
        slots = all.saturating_sub(unused);
        if le16(bytes, 0x12)? & NO_INODES != 0 {
            slots = 0;
        }
    }
    if group.free_inodes == all {
        slots = 0;
    }
    let sum = if sums {
        let low = u32::from(le16(bytes, 0x1a)?);
        Some(if wide {
            (low | u32::from(le16(bytes, 0x3a)?) << 16, u32::MAX)
        } else {
            (low, 0xffff)
        })
    } else {
        None
    };
    Ok(Table {
        bitmap: group.inode_bitmap,
        start: group.inode_table,
        slots,
        sum,
    })
}

/// Reads which inodes of a group are in use.
///
/// # Errors
/// Corrupt where the bitmap does not match its checksum; what reading says.
pub(super) fn bitmap(
    source: &dyn ReadAt,
    superblock: &Superblock,
    table: &Table,
) -> Result<Vec<u8>, Cause> {
    let size = superblock.block_size.get();
    let length = superblock.inodes_per_group.get().div_ceil(8);
    let bytes = fetch(
        source,
        table.bitmap.saturating_mul(size),
        length,
        "inode bitmap",
    )?;
    match table.sum {
        Some((sum, kept)) if !agrees(crc32c(superblock.seed, &[&bytes]) & kept, sum) => Err(
            Cause::Corrupt("ext4: an inode bitmap does not match its checksum".to_owned()),
        ),
        _ => Ok(bytes),
    }
}

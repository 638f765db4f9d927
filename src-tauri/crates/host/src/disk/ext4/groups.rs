//! Group descriptors: how much of each group is free, and where its tables lie.
//!
//! Why not the superblock's own totals: a mounted filesystem brings them up to date only now and then
//! (the kernel itself sums the descriptors when it mounts).

use super::feature::{incompat, ro_compat};
use super::overhead::Layout;
use super::superblock::Superblock;
use crate::disk::checksum::{agrees, crc16, crc32c};
use crate::disk::source::{ReadAt, fetch, le16, le32};
use crate::error::Cause;

/// Bytes read at once; whole descriptors, as both are powers of two.
const CHUNK: u64 = 256 << 10;
const CHECKSUM_AT: usize = 0x1e;

/// One group, as its descriptor says.
pub(super) struct Group {
    pub(super) number: u64,
    pub(super) block_bitmap: u64,
    pub(super) inode_bitmap: u64,
    pub(super) inode_table: u64,
    pub(super) free_clusters: u64,
    pub(super) free_inodes: u64,
}

/// Reads every group's descriptor in order and hands it to `each`.
///
/// # Errors
/// Corrupt where a checksum does not match, a count is larger than its group or a table lies beyond
/// the filesystem; what reading says.
pub(super) fn visit(
    source: &dyn ReadAt,
    superblock: &Superblock,
    mut each: impl FnMut(&Group),
) -> Result<(), Cause> {
    let layout = Layout::new(superblock);
    let blocks = layout.descriptor_blocks;
    let meta_bg = superblock.has_incompat(incompat::META_BG);
    if meta_bg && superblock.first_meta_bg > blocks {
        return Err(corrupt(0, "lies in a block that is not there"));
    }
    // With meta_bg the blocks beyond `first_meta_bg` lie apart; all others follow the superblock.
    let together = if meta_bg {
        superblock.first_meta_bg
    } else {
        blocks
    };
    let mut run = Run {
        source,
        superblock,
        number: 0,
    };
    let beside = layout.superblock_block.saturating_add(1);
    run.read(beside, together, &mut each)?;
    for block in together..blocks {
        run.read(layout.meta_block(block), 1, &mut each)?;
    }
    Ok(())
}

/// Reads the descriptor of one group.
///
/// # Errors
/// As [`visit`].
pub(super) fn one(
    source: &dyn ReadAt,
    superblock: &Superblock,
    number: u64,
) -> Result<Group, Cause> {
    let layout = Layout::new(superblock);
    let size = superblock.descriptor_size.get();
    let per_block = superblock.block_size.get() / superblock.descriptor_size;
    let (Some(index), Some(within)) =
        (number.checked_div(per_block), number.checked_rem(per_block))
    else {
        return Err(corrupt(number, "lies nowhere"));
    };
    let block = if superblock.has_incompat(incompat::META_BG) && index >= superblock.first_meta_bg {
        layout.meta_block(index)
    } else {
        layout
            .superblock_block
            .saturating_add(1)
            .saturating_add(index)
    };
    let at = block
        .saturating_mul(superblock.block_size.get())
        .saturating_add(within.saturating_mul(size));
    let bytes = fetch(source, at, size, "group descriptors")?;
    group(superblock, number, &bytes)
}

/// Reads on, run by run, with the number of the next group.
struct Run<'a> {
    source: &'a dyn ReadAt,
    superblock: &'a Superblock,
    number: u64,
}

impl Run<'_> {
    /// Reads the descriptors in `count` blocks from `block` on, or as many as there are groups left.
    fn read(&mut self, block: u64, count: u64, each: &mut impl FnMut(&Group)) -> Result<(), Cause> {
        let superblock = self.superblock;
        let size = superblock.descriptor_size;
        let left = superblock
            .groups
            .saturating_sub(self.number)
            .saturating_mul(size.get());
        let mut at = block.saturating_mul(superblock.block_size.get());
        let mut rest = count.saturating_mul(superblock.block_size.get()).min(left);
        while rest > 0 {
            let chunk = rest.min(CHUNK);
            let bytes = fetch(self.source, at, chunk, "group descriptors")?;
            for descriptor in bytes.chunks_exact(usize::try_from(size.get()).unwrap_or(usize::MAX))
            {
                each(&group(superblock, self.number, descriptor)?);
                self.number = self.number.saturating_add(1);
            }
            at = at.saturating_add(chunk);
            rest = rest.saturating_sub(chunk);
        }
        Ok(())
    }
}

pub(super) fn group(superblock: &Superblock, number: u64, bytes: &[u8]) -> Result<Group, Cause> {
    check_sum(superblock, number, bytes)?;
    let wide = bytes.len() >= 64;
    let block = |low, high| -> Result<u64, Cause> {
        let high = if wide { le32(bytes, high)? } else { 0 };
        Ok(u64::from(le32(bytes, low)?) | u64::from(high) << 32)
    };
    let count = |low, high| -> Result<u64, Cause> {
        let high = if wide { le16(bytes, high)? } else { 0 };
        Ok(u64::from(le16(bytes, low)?) | u64::from(high) << 16)
    };
    let group = Group {
        number,
        block_bitmap: block(0x00, 0x20)?,
        inode_bitmap: block(0x04, 0x24)?,
        inode_table: block(0x08, 0x28)?,
        free_clusters: count(0x0c, 0x2c)?,
        free_inodes: count(0x0e, 0x2e)?,
    };
    let clusters = superblock.blocks_per_group.get() / superblock.cluster_ratio;
    if group.free_clusters > clusters || group.free_inodes > superblock.inodes_per_group.get() {
        return Err(corrupt(number, "has more free than it holds"));
    }
    for (first, length) in [
        (group.block_bitmap, 1),
        (group.inode_bitmap, 1),
        (group.inode_table, superblock.table_blocks),
    ] {
        let end = first.checked_add(length);
        if first <= superblock.first_data_block || end.is_none_or(|end| end > superblock.blocks) {
            return Err(corrupt(number, "points beyond the filesystem"));
        }
    }
    Ok(group)
}

/// Checks a descriptor against whichever checksum the filesystem uses, if any.
fn check_sum(superblock: &Superblock, number: u64, bytes: &[u8]) -> Result<(), Cause> {
    let group = u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    let before = bytes.get(..CHECKSUM_AT).unwrap_or_default();
    let after = bytes.get(0x20..).unwrap_or_default();
    let computed = if superblock.has_ro_compat(ro_compat::METADATA_CSUM) {
        let sum = crc32c(superblock.seed, &[&group, before, &[0; 2], after]);
        let [low, high, ..] = sum.to_le_bytes();
        u16::from_le_bytes([low, high])
    } else if superblock.has_ro_compat(ro_compat::GDT_CSUM) {
        crc16(&[&superblock.uuid, &group, before, after])
    } else {
        return Ok(());
    };
    if agrees(computed, le16(bytes, CHECKSUM_AT)?) {
        Ok(())
    } else {
        Err(corrupt(number, "does not match its checksum"))
    }
}

fn corrupt(number: u64, text: &str) -> Cause {
    Cause::Corrupt(format!("ext4: the descriptor of group {number} {text}"))
}

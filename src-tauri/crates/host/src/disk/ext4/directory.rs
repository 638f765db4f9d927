//! Names in directories.
//!
//! Hashed directories (`dir_index`) are read from end to end like the plain ones: their leaves are plain,
//! and the blocks of their index look to a plain reader like one empty name, which is how ext2 could
//! still read them.

use super::inode::has_sums;
use super::superblock::Superblock;
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{le16, le32};
use crate::error::Cause;

const HEAD: usize = 8;
const TAIL: usize = 12;
const TAIL_MARK: u8 = 0xde;

/// A name, as the disk has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    pub(crate) inode: u32,
    pub(crate) name: &'a [u8],
}

/// Reads the names out of one block of a directory, `.` and `..` left out.
///
/// `index` says that the block is the first one of a hashed directory.
///
/// # Errors
/// Corrupt where the block does not match its checksum or a length leads out of it; names before the
/// broken one have been handed out then.
pub(super) fn names<'a>(
    superblock: &Superblock,
    seed: u32,
    index: bool,
    block: &'a [u8],
    each: &mut impl FnMut(Name<'a>),
) -> Result<(), Cause> {
    if has_sums(superblock) && !index && !is_index(block)? {
        check_sum(seed, block)?;
    }
    walk(block, each)
}

/// Reads names that follow one another; also those of an inline directory.
pub(super) fn walk<'a>(block: &'a [u8], each: &mut impl FnMut(Name<'a>)) -> Result<(), Cause> {
    let mut at = 0_usize;
    while at.saturating_add(HEAD) <= block.len() {
        let entry = block.get(at..).unwrap_or_default();
        let inode = le32(entry, 0)?;
        let length = record_length(le16(entry, 4)?, block.len());
        let size = usize::from(entry.get(6).copied().unwrap_or_default());
        if length < HEAD || length > entry.len() || !length.is_multiple_of(4) {
            return Err(corrupt("an entry of a directory has a wrong length"));
        }
        if inode != 0 {
            let name = entry
                .get(HEAD..HEAD.saturating_add(size))
                .filter(|_| HEAD.saturating_add(size) <= length)
                .ok_or_else(|| corrupt("a name is longer than its place"))?;
            if !matches!(name, b"." | b".." | b"") {
                each(Name { inode, name });
            }
        }
        at = at.saturating_add(length);
    }
    Ok(())
}

/// 64 KiB do not fit into 16 bits, so two values stand for them.
fn record_length(length: u16, block: usize) -> usize {
    match length {
        0 | 0xffff if block >= 0x1_0000 => block,
        length if block >= 0x1_0000 => {
            let length = usize::from(length);
            length & 0xfffc | (length & 3) << 16
        }
        length => usize::from(length),
    }
}

/// Whether this is an inner block of a hash index: one empty entry as long as the block.
fn is_index(block: &[u8]) -> Result<bool, Cause> {
    Ok(le32(block, 0)? == 0 && record_length(le16(block, 4)?, block.len()) == block.len())
}

/// The checksum lies in an entry at the end that looks empty.
fn check_sum(seed: u32, block: &[u8]) -> Result<(), Cause> {
    let (covered, tail) = block
        .len()
        .checked_sub(TAIL)
        .and_then(|at| block.split_at_checked(at))
        .ok_or_else(|| corrupt("a block of a directory is too short"))?;
    let marked = le32(tail, 0)? == 0
        && usize::from(le16(tail, 4)?) == TAIL
        && tail.get(6..8) == Some(&[0, TAIL_MARK]);
    if !agrees(true, marked) || !agrees(crc32c(seed, &[covered]), le32(tail, 8)?) {
        return Err(corrupt(
            "a block of a directory does not match its checksum",
        ));
    }
    Ok(())
}

fn corrupt(text: &str) -> Cause {
    Cause::Corrupt(format!("ext4: {text}"))
}

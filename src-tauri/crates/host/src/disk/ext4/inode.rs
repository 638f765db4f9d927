//! Inodes: what a file is, how large, whose, since when, and where its bytes are described.
//!
//! Offsets are those of `struct ext4_inode`. Whether an inode is in use says the bitmap, not the inode:
//! a deleted one keeps its mode, and one deleted while open has no links and yet all its blocks.

use std::num::NonZeroU32;

use super::feature::{incompat, ro_compat};
use super::superblock::Superblock;
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{le16, le32};
use crate::error::Cause;

/// Where the fields beyond the first 128 bytes begin.
const OLD_SIZE: usize = 128;
const SUM_LOW: usize = 0x7c;
const SUM_HIGH: usize = 0x82;

/// Flags that change how contents or names are read.
pub(crate) mod flag {
    pub(crate) const ENCRYPTED: u32 = 0x800;
    pub(crate) const INDEX: u32 = 0x1000;
    pub(crate) const HUGE_FILE: u32 = 0x4_0000;
    pub(crate) const EXTENTS: u32 = 0x8_0000;
    /// Holds an attribute's value, belongs to no directory (`ea_inode`).
    pub(crate) const ATTRIBUTE: u32 = 0x20_0000;
    pub(crate) const INLINE: u32 = 0x1000_0000;
}

/// The types in the upper four bits of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Dir,
    Symlink,
    Pipe,
    Socket,
    Device,
    /// None of them: not an inode that anybody wrote.
    Odd,
}

impl Kind {
    pub(crate) const fn of(mode: u16) -> Self {
        match mode & 0xf000 {
            0x8000 => Self::File,
            0x4000 => Self::Dir,
            0xa000 => Self::Symlink,
            0x1000 => Self::Pipe,
            0xc000 => Self::Socket,
            0x2000 | 0x6000 => Self::Device,
            _ => Self::Odd,
        }
    }
}

/// One inode, its checksum checked.
#[derive(Clone, Debug)]
pub(crate) struct Inode {
    pub(crate) number: u32,
    pub(crate) mode: u16,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) links: u16,
    pub(crate) flags: u32,
    /// Length in bytes, holes included.
    pub(crate) size: u64,
    /// What `st_blocks` says: blocks of 512 bytes.
    pub(crate) sectors: u64,
    /// Seconds; the nanoseconds beside it.
    pub(crate) modified: i64,
    pub(crate) modified_nanos: u32,
    /// When it was made, where inodes are large enough to know.
    pub(crate) born: Option<i64>,
    /// Extents, block numbers, a short link's target, or the beginning of inline contents.
    pub(crate) map: [u8; 60],
    /// What checksums of its extents and directory blocks start from.
    pub(crate) seed: u32,
}

impl Inode {
    /// Reads inode `number` out of its bytes.
    ///
    /// # Errors
    /// Corrupt where its checksum does not match or it ends early.
    pub(super) fn parse(
        superblock: &Superblock,
        number: NonZeroU32,
        bytes: &[u8],
    ) -> Result<Self, Cause> {
        let seed = check_sum(superblock, number.get(), bytes)?;
        let half = |at| le16(bytes, at).map(u32::from);
        let word = |at| le32(bytes, at).map(u64::from);
        let mode = le16(bytes, 0x00)?;
        let flags = le32(bytes, 0x20)?;
        let large = Kind::of(mode) == Kind::File || superblock.has_incompat(incompat::LARGE_DIR);
        let size_high = if large { word(0x6c)? } else { 0 };
        let extra = extra_size(bytes)?;
        let (modified, modified_nanos) = time(bytes, extra, 0x10, 0x88)?;
        let born = if has_field(bytes, extra, 0x90) {
            Some(time(bytes, extra, 0x90, 0x94)?.0)
        } else {
            None
        };
        let size = word(0x04)? | size_high << 32;
        // Inline files have no blocks, and `stat` says that they do, so that `tar` and its like do not
        // take them for empty (`ext4_file_getattr`).
        let inline = if flags & flag::INLINE != 0 && Kind::of(mode) == Kind::File {
            size.div_ceil(512)
        } else {
            0
        };
        let map = bytes
            .get(0x28..)
            .and_then(<[u8]>::first_chunk)
            .copied()
            .ok_or_else(|| Cause::Corrupt("it ends inside an inode".to_owned()))?;
        Ok(Self {
            number: number.get(),
            mode,
            uid: half(0x02)? | half(0x78)? << 16,
            gid: half(0x18)? | half(0x7a)? << 16,
            links: le16(bytes, 0x1a)?,
            flags,
            size,
            sectors: sectors(superblock, flags, bytes)?.saturating_add(inline),
            modified,
            modified_nanos,
            born: born.filter(|seconds| *seconds != 0),
            map,
            seed,
        })
    }

    pub(crate) const fn kind(&self) -> Kind {
        Kind::of(self.mode)
    }

    pub(crate) const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// A short link keeps its target where others keep their block numbers.
    pub(super) const fn is_fast_link(&self) -> bool {
        matches!(self.kind(), Kind::Symlink)
            && self.size < 60
            && !self.has(flag::INLINE | flag::EXTENTS)
    }
}

/// `i_blocks`: 32 bits of sectors, 48 with `huge_file`, and then for some inodes of whole blocks.
fn sectors(superblock: &Superblock, flags: u32, bytes: &[u8]) -> Result<u64, Cause> {
    let low = u64::from(le32(bytes, 0x1c)?);
    if !superblock.has_ro_compat(ro_compat::HUGE_FILE) {
        return Ok(low);
    }
    let count = low | u64::from(le16(bytes, 0x74)?) << 32;
    Ok(if flags & flag::HUGE_FILE == 0 {
        count
    } else {
        count.saturating_mul(superblock.block_size.get() / 512)
    })
}

/// How many bytes beyond the first 128 are fields; the rest may hold attributes.
pub(super) fn extra_size(bytes: &[u8]) -> Result<usize, Cause> {
    if bytes.len() <= OLD_SIZE {
        return Ok(0);
    }
    let extra = usize::from(le16(bytes, 0x80)?);
    Ok(extra.min(bytes.len().saturating_sub(OLD_SIZE)))
}

fn has_field(bytes: &[u8], extra: usize, at: usize) -> bool {
    let end = at.saturating_add(4);
    end <= OLD_SIZE.saturating_add(extra) && end <= bytes.len()
}

/// A time: signed seconds, two more bits of them and the nanoseconds in the field `more`.
fn time(bytes: &[u8], extra: usize, at: usize, more: usize) -> Result<(i64, u32), Cause> {
    let seconds = i64::from(le32(bytes, at)?.cast_signed());
    if !has_field(bytes, extra, more) {
        return Ok((seconds, 0));
    }
    let more = le32(bytes, more)?;
    let epoch = i64::from(more & 3) << 32;
    Ok((seconds.saturating_add(epoch), (more >> 2).min(999_999_999)))
}

/// Whether inodes, extents and directories carry checksums.
pub(super) const fn has_sums(superblock: &Superblock) -> bool {
    superblock.has_ro_compat(ro_compat::METADATA_CSUM)
}

/// Checks the inode's checksum, if there are any; returns what its blocks' checksums start from.
fn check_sum(superblock: &Superblock, number: u32, bytes: &[u8]) -> Result<u32, Cause> {
    if !has_sums(superblock) {
        return Ok(0);
    }
    let part = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
    let seed = crc32c(superblock.seed, &[&number.to_le_bytes(), part(0x64, 0x68)]);
    let wide = has_field(bytes, extra_size(bytes)?, SUM_HIGH.saturating_sub(2));
    let sum = if wide {
        crc32c(
            seed,
            &[
                part(0, SUM_LOW),
                &[0; 2],
                part(0x7e, SUM_HIGH),
                &[0; 2],
                part(0x84, bytes.len()),
            ],
        )
    } else {
        crc32c(seed, &[part(0, SUM_LOW), &[0; 2], part(0x7e, bytes.len())])
    };
    let [a, b, c, d] = sum.to_le_bytes();
    let matches = agrees(u16::from_le_bytes([a, b]), le16(bytes, SUM_LOW)?)
        && (!wide || agrees(u16::from_le_bytes([c, d]), le16(bytes, SUM_HIGH)?));
    if matches {
        Ok(seed)
    } else {
        Err(Cause::Corrupt(format!(
            "ext4: inode {number} does not match its checksum"
        )))
    }
}

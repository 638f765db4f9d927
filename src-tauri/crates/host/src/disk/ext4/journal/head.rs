//! The journal's own superblock: its ring of blocks, its features, and where the log begins.

use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{be32, be64};
use crate::error::Cause;

pub(super) const MAGIC: u32 = 0xc03b_3998;

mod feature {
    // 0x01 says that there may be revoke blocks; they are read all the same.
    pub(super) const BITS_64: u32 = 0x02;
    pub(super) const ASYNC_COMMIT: u32 = 0x04;
    pub(super) const CSUM_V2: u32 = 0x08;
    pub(super) const CSUM_V3: u32 = 0x10;
    pub(super) const FAST_COMMIT: u32 = 0x20;
    pub(super) const KNOWN: u32 = 0x3f;
}

/// What begins every block of the journal that is not a copy of one of the filesystem's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    pub(super) kind: u32,
    pub(super) sequence: u32,
}

impl BlockHeader {
    pub(super) const DESCRIPTOR: u32 = 1;
    pub(super) const COMMIT: u32 = 2;
    pub(super) const REVOKE: u32 = 5;

    /// Reads it; none where the block does not carry the magic number.
    pub(super) fn parse(block: &[u8]) -> Result<Option<Self>, Cause> {
        Ok(if be32(block, 0)? == MAGIC {
            Some(Self {
                kind: be32(block, 4)?,
                sequence: be32(block, 8)?,
            })
        } else {
            None
        })
    }
}

/// How the blocks of a journal are checksummed.
///
/// The oldest kind, one sum over a whole transaction in its commit block, counts as none: the whole journal
/// would have to be read for it, and what was committed synchronously is on the disk before its commit block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checksums {
    None,
    /// Tags carry 16 bits of the checksum.
    Short,
    Full,
}

/// The journal's superblock, checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The ring: from the first block of the log up to, not including, the last.
    pub(super) first: u64,
    pub(super) last: u64,
    /// Where the log begins; 0 where there is nothing in it.
    pub(super) start: u64,
    /// The first transaction that may not be in its place yet.
    pub(super) sequence: u32,
    pub(super) checksums: Checksums,
    pub(super) seed: u32,
    /// Block numbers have 64 bits.
    pub(super) wide: bool,
    /// The first block of the area of fast commits.
    pub(super) fast_commits: Option<u64>,
}

impl Head {
    /// Reads the first block of a journal of `blocks` blocks of `block_size` bytes.
    ///
    /// # Errors
    /// Corrupt or unsupported, naming the field.
    pub(super) fn parse(block: &[u8], blocks: u64, block_size: u64) -> Result<Self, Cause> {
        const SUPERBLOCK_V1: u32 = 3;
        const SUPERBLOCK_V2: u32 = 4;
        const SIZE: usize = 1024;
        const CHECKSUM_AT: usize = 0xfc;
        let version = match BlockHeader::parse(block)?.map(|header| header.kind) {
            Some(SUPERBLOCK_V1) => 1,
            Some(SUPERBLOCK_V2) => 2,
            _ => return Err(corrupt("it has no superblock")),
        };
        let incompat = if version == 1 { 0 } else { be32(block, 0x28)? };
        let unknown = incompat & !feature::KNOWN;
        if unknown != 0 {
            return Err(unsupported(&format!("feature bits {unknown:#x}")));
        }
        let checksums = match incompat & (feature::CSUM_V2 | feature::CSUM_V3) {
            0 => Checksums::None,
            feature::CSUM_V2 => Checksums::Short,
            feature::CSUM_V3 => Checksums::Full,
            _ => return Err(corrupt("it has checksums of two kinds")),
        };
        if incompat & feature::ASYNC_COMMIT != 0 && checksums == Checksums::None {
            // Its commit blocks prove nothing without the oldest of all checksums.
            return Err(unsupported("asynchronous commits without checksums"));
        }
        let mut seed = 0;
        if checksums != Checksums::None {
            let kind = block.get(0x50).copied().unwrap_or_default();
            if kind != 4 {
                return Err(unsupported(&format!("checksums of kind {kind}")));
            }
            let whole = block.get(..SIZE).unwrap_or_default();
            let (before, after) = (
                whole.get(..CHECKSUM_AT).unwrap_or_default(),
                whole.get(0x100..).unwrap_or_default(),
            );
            let sum = crc32c(u32::MAX, &[before, &[0; 4], after]);
            if !agrees(sum, be32(block, CHECKSUM_AT)?) {
                return Err(corrupt("its superblock does not match its checksum"));
            }
            seed = crc32c(u32::MAX, &[block.get(0x30..0x40).unwrap_or_default()]);
        }
        if u64::from(be32(block, 0x0c)?) != block_size {
            return Err(corrupt("its blocks are of another size"));
        }
        let length = u64::from(be32(block, 0x10)?);
        if length > blocks {
            return Err(corrupt(&format!(
                "it claims {length} blocks and has {blocks}"
            )));
        }
        let (mut last, mut fast_commits) = (length, None);
        if incompat & feature::FAST_COMMIT != 0 {
            (last, fast_commits) = split(length, u64::from(be32(block, 0x54)?));
        }
        let first = u64::from(be32(block, 0x14)?);
        let start = u64::from(be32(block, 0x1c)?);
        if first == 0 || first >= last || start >= last || (start != 0 && start < first) {
            return Err(corrupt(&format!(
                "its log of blocks {first} to {last} begins at {start}"
            )));
        }
        Ok(Self {
            first,
            last,
            start,
            sequence: be32(block, 0x18)?,
            checksums,
            seed,
            wide: incompat & feature::BITS_64 != 0,
            fast_commits,
        })
    }

    /// Bytes of a tag in a descriptor block, without the id that may follow it.
    pub(super) const fn tag_size(&self) -> usize {
        match (self.checksums, self.wide) {
            (Checksums::Full, _) => 16,
            (Checksums::Short, true) => 14,
            (Checksums::Short, false) => 10,
            (Checksums::None, true) => 12,
            (Checksums::None, false) => 8,
        }
    }

    /// Bytes of a block's own checksum at its end.
    pub(super) const fn tail_size(&self) -> usize {
        match self.checksums {
            Checksums::None => 0,
            Checksums::Short | Checksums::Full => 4,
        }
    }

    /// Whether the checksum at the end of a descriptor or revoke block matches.
    pub(super) fn tail_agrees(&self, block: &[u8]) -> Result<bool, Cause> {
        let at = block.len().saturating_sub(4);
        self.agrees(block, at)
    }

    /// Whether a commit block's own checksum matches.
    pub(super) fn commit_agrees(&self, block: &[u8]) -> Result<bool, Cause> {
        self.agrees(block, 0x10)
    }

    /// When a commit block says it was written: seconds since 1970, by the guest's clock.
    pub(super) fn commit_time(block: &[u8]) -> Result<Option<i64>, Cause> {
        Ok(i64::try_from(be64(block, 0x30)?)
            .ok()
            .filter(|seconds| *seconds > 0))
    }

    fn agrees(&self, block: &[u8], at: usize) -> Result<bool, Cause> {
        if self.checksums == Checksums::None {
            return Ok(true);
        }
        let before = block.get(..at).unwrap_or_default();
        let after = block.get(at.saturating_add(4)..).unwrap_or_default();
        let sum = crc32c(self.seed, &[before, &[0; 4], after]);
        Ok(agrees(sum, be32(block, at)?))
    }
}

/// Where the log ends and the area of fast commits begins, as the kernel splits a journal.
fn split(length: u64, claimed: u64) -> (u64, Option<u64>) {
    const USUAL: u64 = 256;
    const LEAST_LOG: u64 = 1024;
    let area = if claimed == 0 { USUAL } else { claimed };
    match length.checked_sub(area) {
        Some(last) if last >= LEAST_LOG => (last, last.checked_add(1)),
        _ => (length, None),
    }
}

fn corrupt(text: &str) -> Cause {
    Cause::Corrupt(format!("ext4 journal: {text}"))
}

fn unsupported(text: &str) -> Cause {
    Cause::Unsupported(format!("ext4 journal: {text}"))
}

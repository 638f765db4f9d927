//! The filesystem with its journal laid over it in memory: what a mount would see, nothing written.

use std::collections::BTreeMap;
use std::io;

use super::head::{Checksums, MAGIC};
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{ReadAt, invalid};

/// A block's newest copy in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    /// The block of the filesystem that holds the copy.
    pub(super) at: u64,
    /// Its first four bytes looked like the journal's own and were zeroed.
    pub(super) escaped: bool,
    /// The transaction it is of: part of its checksum.
    pub(super) sequence: u32,
    pub(super) checksum: u32,
}

/// The newest copy of every block that a committed transaction holds and that was not revoked since.
#[derive(Debug)]
pub(super) struct Copies {
    pub(super) block_size: u64,
    pub(super) checksums: Checksums,
    pub(super) seed: u32,
    pub(super) copies: BTreeMap<u64, Copy>,
}

impl Copies {
    /// Reads a whole copy and makes it what it was before it was logged.
    ///
    /// Checked here and not when the journal is walked: of a journal of 64 MB a measurement needs a
    /// handful of blocks, every minute.
    fn read(&self, base: &dyn ReadAt, block: u64, copy: &Copy) -> io::Result<Vec<u8>> {
        let size = usize::try_from(self.block_size).unwrap_or(0);
        let mut bytes = vec![0; size];
        base.read_at(&mut bytes, copy.at.saturating_mul(self.block_size))?;
        let sum = || crc32c(self.seed, &[&copy.sequence.to_be_bytes(), &bytes]);
        let matches = match self.checksums {
            Checksums::None => true,
            Checksums::Short => agrees(sum() & 0xffff, copy.checksum),
            Checksums::Full => agrees(sum(), copy.checksum),
        };
        if !matches {
            return Err(invalid(format!(
                "ext4 journal: the copy of block {block} does not match its checksum"
            )));
        }
        if let (true, Some(start)) = (copy.escaped, bytes.first_chunk_mut()) {
            *start = MAGIC.to_be_bytes();
        }
        Ok(bytes)
    }
}

/// A filesystem as of the last commit in its journal.
pub(in crate::disk) struct Overlay<'a> {
    pub(super) base: &'a dyn ReadAt,
    pub(super) copies: Option<&'a Copies>,
}

impl ReadAt for Overlay<'_> {
    fn length(&self) -> u64 {
        self.base.length()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.base.read_at(buffer, offset)?;
        let Some(copies) = self.copies else {
            return Ok(());
        };
        let size = copies.block_size;
        // The base has answered, so the range is one of its own and the sum fits.
        let end = offset.saturating_add(u64::try_from(buffer.len()).unwrap_or(u64::MAX));
        let first = offset.checked_div(size).unwrap_or(0);
        for (&block, copy) in copies
            .copies
            .range(first..end.div_ceil(size.max(1)).max(first))
        {
            let bytes = copies.read(self.base, block, copy)?;
            let start = block.saturating_mul(size);
            let skipped = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let into = usize::try_from(start.saturating_sub(offset)).unwrap_or(usize::MAX);
            let (Some(bytes), Some(target)) = (bytes.get(skipped..), buffer.get_mut(into..)) else {
                continue;
            };
            for (byte, value) in target.iter_mut().zip(bytes) {
                *byte = *value;
            }
        }
        Ok(())
    }

    fn announce(&self, offset: u64, length: u64) {
        // Where a copy lies in the journal instead is read as before.
        self.base.announce(offset, length);
    }
}

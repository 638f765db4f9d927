//! Walks the log from its start through every transaction that was committed.
//!
//! A transaction is descriptor blocks with the copies they describe, blocks that revoke, and a commit
//! block; without the last it never happened. A revoked block was freed: copies of it up to and including that
//! transaction must not come back, or a file's bytes would be overwritten with old metadata.

use std::collections::BTreeMap;

use sandtray_core::time::Time;

use super::blocks::Blocks;
use super::head::{BlockHeader, Checksums, Head};
use super::overlay::Copy;
use crate::disk::ext4::superblock::Superblock;
use crate::disk::source::{ReadAt, be16, be32, be64, fetch, le16, le32};
use crate::error::Cause;

/// A journal of 1 GB in blocks of 4 KiB: the kernel's largest, and 20 MB of memory.
const MOST_COPIES: usize = 1 << 18;
/// Blocks that were freed, in all transactions together.
const MOST_REVOKED: u64 = 1 << 22;

/// What the log holds.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) copies: BTreeMap<u64, Copy>,
    /// Where the next transaction will begin, and its number.
    pub(super) next: (u64, u32),
    /// When the last one was committed.
    pub(super) committed: Option<Time>,
    /// Why there is more than what was read.
    pub(super) lag: Option<String>,
}

/// Walks the log.
///
/// # Errors
/// Corrupt where a committed transaction is impossible, unsupported where there is more than is followed,
/// or what reading says.
pub(super) fn walk(
    source: &dyn ReadAt,
    superblock: &Superblock,
    head: &Head,
    blocks: &Blocks,
) -> Result<Walked, Cause> {
    let mut walked = Walked {
        next: (head.start, head.sequence),
        ..Walked::default()
    };
    if head.start == 0 {
        return Ok(walked);
    }
    let mut log = Log {
        source,
        superblock,
        head,
        blocks,
        at: head.start,
        left: head.last.saturating_sub(head.first),
    };
    let mut pending = Pending::default();
    let mut revoked = 0_u64;
    while let Some((block, _)) = log.take()? {
        let (next_block, sequence) = (&block, walked.next.1);
        let Some(header) = BlockHeader::parse(next_block)? else {
            break;
        };
        if header.sequence != sequence {
            break;
        }
        match header.kind {
            // A stale block can carry the right number, so a wrong checksum is where the log ends.
            BlockHeader::DESCRIPTOR if head.tail_agrees(&block)? => {
                log.descriptor(&block, sequence, &mut pending)?;
                if pending.copies.len() > MOST_COPIES {
                    return Err(unsupported("a transaction too large to follow"));
                }
            }
            BlockHeader::REVOKE if head.tail_agrees(&block)? => {
                let more = log.revoke(&block, &mut pending)?;
                revoked = revoked.saturating_add(more);
                if revoked > MOST_REVOKED {
                    return Err(unsupported("more freed blocks than can be followed"));
                }
            }
            BlockHeader::COMMIT if head.commit_agrees(&block)? => {
                pending.apply(superblock, &mut walked.copies)?;
                if walked.copies.len() > MOST_COPIES {
                    return Err(unsupported("more blocks than can be followed"));
                }
                let time = Head::commit_time(&block)?.map(Time);
                walked.committed = time.or(walked.committed);
                walked.next = (log.at, sequence.wrapping_add(1));
            }
            BlockHeader::COMMIT => {
                walked.lag = Some("the last commit does not match its checksum".to_owned());
                break;
            }
            _ => break,
        }
    }
    if walked.lag.is_none() && log.has_fast_commits(walked.next.1)? {
        walked.lag = Some("fast commits are newer than what was read".to_owned());
    }
    Ok(walked)
}

/// A transaction of which the commit block has not been seen yet.
#[derive(Default)]
struct Pending {
    copies: Vec<(u64, Copy)>,
    revoked: Vec<u64>,
}

impl Pending {
    fn apply(
        &mut self,
        superblock: &Superblock,
        all: &mut BTreeMap<u64, Copy>,
    ) -> Result<(), Cause> {
        for (block, copy) in self.copies.drain(..) {
            if block >= superblock.blocks {
                return Err(Cause::Corrupt(
                    "ext4 journal: it holds a block beyond the filesystem".to_owned(),
                ));
            }
            all.insert(block, copy);
        }
        for block in self.revoked.drain(..) {
            all.remove(&block);
        }
        Ok(())
    }
}

/// The ring of blocks, read one after the other and once around at most.
struct Log<'a> {
    source: &'a dyn ReadAt,
    superblock: &'a Superblock,
    head: &'a Head,
    blocks: &'a Blocks,
    at: u64,
    left: u64,
}

impl Log<'_> {
    /// Steps over a block of the log; where in the filesystem it lies, or none once around.
    fn step(&mut self) -> Result<Option<u64>, Cause> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        let block = self.locate(self.at)?;
        self.left = left;
        self.at = self.at.saturating_add(1);
        if self.at >= self.head.last {
            self.at = self.head.first;
        }
        Ok(Some(block))
    }

    fn locate(&self, at: u64) -> Result<u64, Cause> {
        self.blocks
            .find(at)
            .ok_or_else(|| Cause::Corrupt("ext4 journal: it has a hole".to_owned()))
    }

    fn read(&self, block: u64) -> Result<Vec<u8>, Cause> {
        let size = self.superblock.block_size.get();
        fetch(self.source, block.saturating_mul(size), size, "journal")
    }

    /// Reads the next block.
    fn take(&mut self) -> Result<Option<(Vec<u8>, u64)>, Cause> {
        match self.step()? {
            Some(block) => Ok(Some((self.read(block)?, block))),
            None => Ok(None),
        }
    }

    /// Notes the copies that a descriptor block describes and steps over them.
    fn descriptor(
        &mut self,
        block: &[u8],
        sequence: u32,
        pending: &mut Pending,
    ) -> Result<(), Cause> {
        const HEADER: usize = 12;
        const ID: usize = 16;
        const ESCAPED: u32 = 1;
        const SAME_ID: u32 = 2;
        const LAST: u32 = 8;
        let size = self.head.tag_size();
        let end = block.len().saturating_sub(self.head.tail_size());
        let mut at = HEADER;
        while let Some(tag) = at
            .checked_add(size)
            .filter(|after| *after <= end)
            .and_then(|after| block.get(at..after))
        {
            let low = u64::from(be32(tag, 0)?);
            let (flags, high, checksum) = if self.head.checksums == Checksums::Full {
                (be32(tag, 4)?, be32(tag, 8)?, be32(tag, 12)?)
            } else {
                let high = if self.head.wide { be32(tag, 8)? } else { 0 };
                (u32::from(be16(tag, 6)?), high, u32::from(be16(tag, 4)?))
            };
            let high = if self.head.wide { high } else { 0 };
            let Some(copy) = self.step()? else {
                // More copies than blocks: never committed.
                return Ok(());
            };
            pending.copies.push((
                low | u64::from(high) << 32,
                Copy {
                    at: copy,
                    escaped: flags & ESCAPED != 0,
                    sequence,
                    checksum,
                },
            ));
            if flags & LAST != 0 {
                break;
            }
            let id = if flags & SAME_ID == 0 { ID } else { 0 };
            at = at.saturating_add(size).saturating_add(id);
        }
        Ok(())
    }

    /// Notes the blocks that are revoked; how many there are.
    fn revoke(&self, block: &[u8], pending: &mut Pending) -> Result<u64, Cause> {
        const HEADER: usize = 16;
        let end = usize::try_from(be32(block, 12)?).unwrap_or(usize::MAX);
        if end > block.len().saturating_sub(self.head.tail_size()) {
            return Err(Cause::Corrupt(
                "ext4 journal: it revokes more than fits into a block".to_owned(),
            ));
        }
        let records = block.get(HEADER..end).unwrap_or_default();
        let mut count = 0_u64;
        for record in records.chunks_exact(if self.head.wide { 8 } else { 4 }) {
            pending.revoked.push(if self.head.wide {
                be64(record, 0)?
            } else {
                u64::from(be32(record, 0)?)
            });
            count = count.saturating_add(1);
        }
        Ok(count)
    }

    /// Whether the area of fast commits continues the log: they begin with the number of the transaction that
    /// is still open.
    fn has_fast_commits(&self, sequence: u32) -> Result<bool, Cause> {
        const HEAD: u16 = 9;
        let Some(at) = self.head.fast_commits else {
            return Ok(false);
        };
        let block = self.read(self.locate(at)?)?;
        Ok(le16(&block, 0)? == HEAD && le32(&block, 8)? == sequence)
    }
}

fn unsupported(text: &str) -> Cause {
    Cause::Unsupported(format!("ext4 journal: {text}"))
}

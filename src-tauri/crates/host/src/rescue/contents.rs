//! The contents of one file: what was written of it, holes left out.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use std::fs::File;
use std::io;

use super::Options;
use super::target::{sparse, write_all_at};
use crate::disk::ext4::{Ext4, Inode, flag};
use crate::error::Cause;

const CHUNK: u64 = 1 << 20;

/// Why a file could not be finished.
pub(super) enum Stop {
    /// The target refuses.
    Target(io::Error),
    /// Somebody asked.
    Cancelled,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Target(error)
    }
}

/// What came out of a file.
#[derive(Default)]
pub(super) struct Written {
    pub(super) bytes: u64,
    /// The first thing that could not be read, and how many there were. There are holes in their place.
    pub(super) damage: Option<Cause>,
    pub(super) damaged: u64,
}

impl Written {
    fn broken(&mut self, cause: Cause) {
        self.damaged = self.damaged.saturating_add(1);
        self.damage.get_or_insert(cause);
    }
}

/// Copies the contents of `inode` into the empty `file`; its length is right whatever could be read.
pub(super) fn copy(
    ext4: &Ext4<'_>,
    inode: &Inode,
    file: &File,
    options: &Options,
    buffer: &mut Vec<u8>,
) -> Result<Written, Stop> {
    let mut written = Written::default();
    if inode.has(flag::INLINE) {
        match ext4.inline(inode) {
            Ok(bytes) => write(file, &bytes, 0, &mut written, options)?,
            Err(cause) => written.broken(cause),
        }
        file.set_len(inode.size)?;
        return Ok(written);
    }
    let block = ext4.block_size();
    let allocated = inode.sectors.saturating_mul(512);
    if allocated < inode.size {
        sparse(file);
    }
    file.set_len(inode.size)?;
    let most = (CHUNK / block_size(ext4)).max(1);
    for run in ext4.runs(inode) {
        if options.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let run = match run {
            Ok(run) => run,
            Err(cause) => {
                written.broken(cause);
                continue;
            }
        };
        let Some(physical) = run.physical else {
            continue;
        };
        let mut done = 0_u64;
        while done < run.length {
            if options.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let offset = run.logical.saturating_add(done).saturating_mul(block);
            let Some(left) = inode.size.checked_sub(offset).filter(|left| *left > 0) else {
                break;
            };
            let count = most.min(run.length.saturating_sub(done));
            let bytes = count.saturating_mul(block).min(left);
            let at = physical.saturating_add(done);
            let part = Part {
                at,
                count,
                offset,
                bytes,
            };
            if let Err(cause) = part.copy(ext4, file, buffer, &mut written, options)? {
                // Block by block: only what really cannot be read is lost.
                if count == 1 {
                    written.broken(cause);
                } else {
                    for step in 0..count {
                        let one = part.block(step, block);
                        if let Err(cause) = one.copy(ext4, file, buffer, &mut written, options)? {
                            written.broken(cause);
                        }
                    }
                }
            }
            done = done.saturating_add(count);
        }
    }
    Ok(written)
}

/// Blocks that are read at once.
struct Part {
    at: u64,
    count: u64,
    offset: u64,
    bytes: u64,
}

impl Part {
    /// Block `step` of it.
    fn block(&self, step: u64, size: u64) -> Self {
        let before = step.saturating_mul(size);
        Self {
            at: self.at.saturating_add(step),
            count: 1,
            offset: self.offset.saturating_add(before),
            bytes: self.bytes.saturating_sub(before).min(size),
        }
    }

    /// Copies it; the inner result is what reading says.
    fn copy(
        &self,
        ext4: &Ext4<'_>,
        file: &File,
        buffer: &mut Vec<u8>,
        written: &mut Written,
        options: &Options,
    ) -> Result<Result<(), Cause>, Stop> {
        let length = self.count.saturating_mul(ext4.block_size());
        buffer.resize(usize::try_from(length).unwrap_or(0), 0);
        if let Err(cause) = ext4.read_blocks(buffer, self.at) {
            return Ok(Err(cause));
        }
        let wanted = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        let bytes = buffer.get(..wanted).unwrap_or(buffer);
        write(file, bytes, self.offset, written, options)?;
        Ok(Ok(()))
    }
}

fn write(
    file: &File,
    bytes: &[u8],
    offset: u64,
    written: &mut Written,
    options: &Options,
) -> Result<(), Stop> {
    write_all_at(file, bytes, offset)?;
    let count = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    written.bytes = written.bytes.saturating_add(count);
    options.bytes.add(count);
    Ok(())
}

fn block_size(ext4: &Ext4<'_>) -> std::num::NonZeroU64 {
    std::num::NonZeroU64::new(ext4.block_size()).unwrap_or(std::num::NonZeroU64::MIN)
}

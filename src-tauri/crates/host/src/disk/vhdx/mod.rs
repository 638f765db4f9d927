//! VHDX, the format of the guest's disks on Windows: dynamic and fixed, never written.
//!
//! ```text
//! header (the current one of two) → log, laid over the file in memory → regions → metadata → BAT → blocks
//! ```
//!
//! A disk that is in use or was not closed properly has a log that must be replayed before anything else
//! is believed. Replaying would write into the user's file, so its sectors are laid over the file in
//! memory instead: [`Patches`] says where in the log the bytes of which place lie.
//!
//! Limits are those of the public specification; a differencing disk is named and refused.

mod bat;
mod header;
mod log;
mod metadata;
mod patches;

use std::io;

use self::bat::Bat;
use self::patches::Patches;
use super::source::{ReadAt, invalid};
use crate::error::Cause;

pub(super) use self::header::is_vhdx;

/// The map of one VHDX; the file itself stays with the caller.
pub(super) struct Vhdx {
    patches: Patches,
    bat: Bat,
    length: u64,
    block_size: u64,
}

impl Vhdx {
    /// Reads headers, log, metadata and the block allocation table.
    ///
    /// # Errors
    /// Corrupt, unsupported, or what reading says.
    pub(super) fn open(file: &dyn ReadAt) -> Result<Self, Cause> {
        let header = header::current(file)?;
        let patches = log::replay(file, &header)?;
        let patched = patches.over(file);
        let regions = header::regions(&patched)?;
        let metadata = metadata::parse(&patched, regions.metadata)?;
        let bat = Bat::open(&patched, &regions, &metadata)?;
        Ok(Self {
            patches,
            bat,
            length: metadata.length,
            block_size: metadata.block_size,
        })
    }

    /// Bytes of the virtual disk.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Fills `buffer` with the bytes of the virtual disk from `offset` on.
    ///
    /// # Errors
    /// What reading `file` says; `UnexpectedEof` beyond the disk, `InvalidData` where the map lies.
    pub(super) fn read_at(
        &self,
        file: &dyn ReadAt,
        buffer: &mut [u8],
        offset: u64,
    ) -> io::Result<()> {
        let end = u64::try_from(buffer.len())
            .ok()
            .and_then(|size| offset.checked_add(size));
        if end.is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let patched = self.patches.over(file);
        let (mut rest, mut at) = (buffer, offset);
        while !rest.is_empty() {
            let (Some(block), Some(within)) = (
                at.checked_div(self.block_size),
                at.checked_rem(self.block_size),
            ) else {
                return Err(invalid("VHDX: blocks of no bytes".to_owned()));
            };
            let left =
                usize::try_from(self.block_size.saturating_sub(within)).unwrap_or(usize::MAX);
            let (piece, after) = rest.split_at_mut(left.min(rest.len()));
            match self.bat.place(&patched, block)? {
                Some(place) => patched.read_at(piece, place.saturating_add(within))?,
                None => piece.fill(0),
            }
            at = at.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            rest = after;
        }
        Ok(())
    }

    /// Announces a read of the virtual disk, as far as it lies in one block.
    pub(super) fn announce(&self, file: &dyn ReadAt, offset: u64, length: u64) {
        let (Some(block), Some(within)) = (
            offset.checked_div(self.block_size),
            offset.checked_rem(self.block_size),
        ) else {
            return;
        };
        if let Ok(Some(place)) = self.bat.place(&self.patches.over(file), block) {
            let left = self.block_size.saturating_sub(within);
            file.announce(place.saturating_add(within), length.min(left));
        }
    }
}

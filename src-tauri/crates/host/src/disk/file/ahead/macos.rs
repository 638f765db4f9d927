//! macOS: `F_RDADVISE`, which answers before anything is read.

use std::fs::File;
use std::num::NonZeroU64;

use rustix::fs::fcntl_rdadvise;

/// Announces a read. That it cannot be is of no consequence.
pub(in crate::disk::file) fn announce(file: &File, offset: u64, length: NonZeroU64) {
    fcntl_rdadvise(file, offset, length.get()).ok();
}

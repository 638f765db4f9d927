//! Linux: `posix_fadvise`, which answers before anything is read.

use std::fs::File;
use std::num::NonZeroU64;

use rustix::fs::{Advice, fadvise};

/// Announces a read. That it cannot be is of no consequence.
pub(in crate::disk::file) fn announce(file: &File, offset: u64, length: NonZeroU64) {
    fadvise(file, offset, Some(length), Advice::WillNeed).ok();
}

//! Elsewhere: Windows has no such call for a file that is not mapped.

use std::fs::File;
use std::num::NonZeroU64;

/// Does nothing.
pub(in crate::disk::file) const fn announce(_file: &File, _offset: u64, _length: NonZeroU64) {}

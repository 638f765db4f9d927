//! Windows: attributes, and no owner by number.

use std::fs::Metadata;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

use sandtray_core::bytes::Allocated;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_COMPRESSED, FILE_ATTRIBUTE_ENCRYPTED, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_SPARSE_FILE,
};

pub(super) fn link(found: &Metadata) -> bool {
    found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0
}

pub(super) const fn owner(_found: &Metadata) -> Option<u32> {
    None
}

/// The length: a dynamic disk has no holes here, Hyper-V refuses those that have.
pub(super) fn allocated(found: &Metadata) -> Allocated {
    Allocated(found.len())
}

/// Attributes with which Hyper-V refuses a disk (#39010, #60645).
pub(in super::super) fn oddities(path: &Path) -> Vec<&'static str> {
    let attributes = std::fs::symlink_metadata(path).map_or(0, |found| found.file_attributes());
    [
        (FILE_ATTRIBUTE_COMPRESSED, "compressed"),
        (FILE_ATTRIBUTE_ENCRYPTED, "encrypted"),
        (FILE_ATTRIBUTE_SPARSE_FILE, "sparse"),
    ]
    .into_iter()
    .filter(|(bit, _)| attributes & bit != 0)
    .map(|(_, word)| word)
    .collect()
}

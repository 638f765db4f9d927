//! Linux and macOS: everything is in the inode.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use sandtray_core::bytes::Allocated;

pub(super) fn link(found: &Metadata) -> bool {
    found.is_symlink()
}

pub(super) fn owner(found: &Metadata) -> Option<u32> {
    Some(found.uid())
}

pub(super) fn allocated(found: &Metadata) -> Allocated {
    Allocated(found.blocks().saturating_mul(512))
}

/// Attributes a virtual disk must not have; only Windows has such.
pub(in super::super) const fn oddities(_path: &std::path::Path) -> Vec<&'static str> {
    Vec::new()
}

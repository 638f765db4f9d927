//! Linux, macOS and other Unixes.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use sandtray_core::bytes::Allocated;

use super::refused;
use crate::error::Cause;

/// Accepts regular files and block devices.
pub(super) fn check(metadata: &Metadata) -> Result<(), Cause> {
    let kind = metadata.file_type();
    if kind.is_file() || kind.is_block_device() {
        Ok(())
    } else if kind.is_dir() {
        Err(refused("a directory"))
    } else if kind.is_fifo() {
        Err(refused("a pipe"))
    } else if kind.is_socket() {
        Err(refused("a socket"))
    } else {
        Err(refused("a device"))
    }
}

/// Opens for reading; a pipe that took the file's place does not block.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// Blocks that an open file takes; a device takes all of its length.
pub(super) fn allocated(_path: &Path, opened: &Metadata, length: u64) -> io::Result<Allocated> {
    Ok(Allocated(if opened.is_file() {
        opened.blocks().saturating_mul(512)
    } else {
        length
    }))
}

/// Fills `buffer` from `offset` on.
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(buffer, offset)
}

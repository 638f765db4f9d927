//! VHDX files made up byte by byte: dynamic, with blocks out of order, and with logs.

use super::made::put;
use crate::disk::checksum::crc32c;
use crate::disk::container::Container;
use crate::disk::source::{ReadAt, fetch};
use crate::error::Cause;

pub(super) const MIB: usize = 1 << 20;
/// Where things lie, in order: headers, log, metadata, table of blocks, blocks.
pub(super) const LOG: usize = MIB;
pub(super) const METADATA: usize = 2 * MIB;
pub(super) const BAT: usize = 3 * MIB;
pub(super) const BLOCKS: usize = 4 * MIB;
pub(super) const LOG_ID: [u8; 16] = [0x1e; 16];

const REGIONS: [[u8; 16]; 2] = [
    *b"\x66\x77\xc2\x2d\x23\xf6\x00\x42\x9d\x64\x11\x5e\x9b\xfd\x4a\x08",
    *b"\x06\xa2\x7c\x8b\x90\x47\x9a\x4b\xb8\xfe\x57\x5f\x05\x0f\x88\x6e",
];
const ITEMS: [[u8; 16]; 5] = [
    *b"\x37\x67\xa1\xca\x36\xfa\x43\x4d\xb3\xb6\x33\xf0\xaa\x44\xe7\x6b",
    *b"\x24\x42\xa5\x2f\x1b\xcd\x76\x48\xb2\x11\x5d\xbe\xd8\x3b\xf4\xb8",
    *b"\xab\x12\xca\xbe\xe6\xb2\x23\x45\x93\xef\xc3\x09\xe0\x00\xc7\x46",
    *b"\x1d\xbf\x41\x81\x6f\xa9\x09\x47\xba\x47\xf2\x33\xa8\xfa\xab\x5f",
    *b"\xc7\x48\xa3\xcd\x5d\x44\x71\x44\x9c\xc9\xe9\x88\x52\x51\xc5\x56",
];

/// Makes the checksum of the `length` bytes at `at` right again.
pub(super) fn sign(file: &mut [u8], at: usize, length: usize) {
    put(file, at + 4, &[0; 4]);
    let sum = !crc32c(u32::MAX, &[&file[at..at + length]]);
    put(file, at + 4, &sum.to_le_bytes());
}

/// Signs both headers and both tables of regions.
pub(super) fn sign_all(file: &mut [u8]) {
    for at in [64 << 10, 128 << 10] {
        sign(file, at, 4096);
    }
    for at in [192 << 10, 256 << 10] {
        sign(file, at, 64 << 10);
    }
}

/// A dynamic disk in blocks of 1 MiB, the last block first in the file; blocks of zeroes are not in it.
pub(super) fn vhdx(disk: &[u8]) -> Vec<u8> {
    let mut file = vec![0; BLOCKS];
    put(&mut file, 0, b"vhdxfile");
    for (at, sequence) in [(64 << 10, 8_u64), (128 << 10, 7)] {
        put(&mut file, at, b"head");
        put(&mut file, at + 8, &sequence.to_le_bytes());
        put(&mut file, at + 0x42, &1_u16.to_le_bytes());
        put(&mut file, at + 0x44, &(MIB as u32).to_le_bytes());
        put(&mut file, at + 0x48, &(LOG as u64).to_le_bytes());
    }
    for at in [192 << 10, 256 << 10] {
        put(&mut file, at, b"regi");
        put(&mut file, at + 8, &[2]);
        for (index, place) in [BAT, METADATA].into_iter().enumerate() {
            let entry = at + 16 + index * 32;
            put(&mut file, entry, &REGIONS[index]);
            put(&mut file, entry + 16, &(place as u64).to_le_bytes());
            put(&mut file, entry + 24, &(MIB as u32).to_le_bytes());
            put(&mut file, entry + 28, &[1]);
        }
    }
    put(&mut file, METADATA, b"metadata");
    put(&mut file, METADATA + 10, &[ITEMS.len() as u8]);
    let values: [&[u8]; 5] = [
        &[0, 0, 0x10, 0, 0, 0, 0, 0],
        &(disk.len() as u64).to_le_bytes(),
        &[0x83; 16],
        &512_u32.to_le_bytes(),
        &4096_u32.to_le_bytes(),
    ];
    let mut at = 64 << 10;
    for (index, value) in values.into_iter().enumerate() {
        let entry = METADATA + 32 + index * 32;
        put(&mut file, entry, &ITEMS[index]);
        put(&mut file, entry + 16, &(at as u32).to_le_bytes());
        put(&mut file, entry + 20, &(value.len() as u32).to_le_bytes());
        put(&mut file, entry + 24, &[4]);
        put(&mut file, METADATA + at, value);
        at += value.len();
    }
    for (index, block) in disk.chunks(MIB).enumerate().rev() {
        let entry = if block.iter().all(|byte| *byte == 0) {
            [0_u64, 1, 2, 3, 5][index % 5]
        } else {
            let place = file.len() as u64;
            file.extend_from_slice(block);
            file.resize(file.len().next_multiple_of(MIB), 0);
            place | 6
        };
        put(&mut file, entry_at(index), &entry.to_le_bytes());
    }
    sign_all(&mut file);
    file
}

/// Where the entry of a block lies; one for a bitmap after each 4096.
pub(super) fn entry_at(block: usize) -> usize {
    BAT + (block + block / 4096) * 8
}

/// What an entry of the log does.
pub(super) enum Write {
    Sector(u64, Vec<u8>),
    Zeroes(u64, u64),
}

/// Sets the log's id, and writes entries into it from `start` on; the first is the tail.
pub(super) fn log(file: &mut [u8], start: usize, sequence: u64, entries: &[Vec<Write>]) {
    for at in [64 << 10, 128 << 10] {
        put(file, at + 0x30, &LOG_ID);
    }
    sign_all(file);
    let mut at = start;
    for (number, writes) in entries.iter().enumerate() {
        let sequence = sequence + number as u64;
        let length = file.len() as u64;
        let entry = entry(start, sequence, writes, length);
        for sector in entry.chunks(4096) {
            put(file, LOG + at, sector);
            at = (at + 4096) % MIB;
        }
    }
}

fn entry(tail: usize, sequence: u64, writes: &[Write], length: u64) -> Vec<u8> {
    let mut entry = vec![0; (64 + 32 * writes.len()).next_multiple_of(4096)];
    for (index, write) in writes.iter().enumerate() {
        let at = 64 + 32 * index;
        match write {
            Write::Sector(target, bytes) => {
                put(&mut entry, at, b"desc");
                put(&mut entry, at + 4, &bytes[4092..]);
                put(&mut entry, at + 8, &bytes[..8]);
                put(&mut entry, at + 16, &target.to_le_bytes());
                let mut sector = bytes.clone();
                put(&mut sector, 0, b"data");
                put(&mut sector, 4, &((sequence >> 32) as u32).to_le_bytes());
                put(&mut sector, 4092, &(sequence as u32).to_le_bytes());
                entry.extend(sector);
            }
            Write::Zeroes(target, count) => {
                put(&mut entry, at, b"zero");
                put(&mut entry, at + 8, &count.to_le_bytes());
                put(&mut entry, at + 16, &target.to_le_bytes());
            }
        }
        put(&mut entry, at + 24, &sequence.to_le_bytes());
    }
    put(&mut entry, 0, b"loge");
    let size = entry.len() as u32;
    put(&mut entry, 8, &size.to_le_bytes());
    put(&mut entry, 12, &(tail as u32).to_le_bytes());
    put(&mut entry, 16, &sequence.to_le_bytes());
    put(&mut entry, 24, &(writes.len() as u32).to_le_bytes());
    put(&mut entry, 32, &LOG_ID);
    put(&mut entry, 48, &length.to_le_bytes());
    put(&mut entry, 56, &length.to_le_bytes());
    let size = entry.len();
    sign(&mut entry, 0, size);
    entry
}

/// The whole virtual disk.
pub(super) fn seen(file: &dyn ReadAt) -> Result<Vec<u8>, Cause> {
    let container = Container::open(file)?;
    let disk = container.over(file);
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < disk.length() {
        let at = bytes.len() as u64;
        // Over the edges of blocks, and never a power of two.
        let piece = (disk.length() - at).min(999_937);
        bytes.extend(fetch(&disk, at, piece, "disk")?);
    }
    Ok(bytes)
}

//! Disks made up byte by byte, so that these tests run on every system, and so that a spoilt one can be
//! given a right checksum again.

use crate::disk::checksum::{crc32, crc32c};

pub(super) const BLOCK: usize = 1024;
pub(super) const BLOCKS: usize = 256;
pub(super) const SUPERBLOCK: usize = 1024;
pub(super) const DESCRIPTORS: usize = 2 * BLOCK;
const INODE_TABLE: usize = 5 * BLOCK;
pub(super) const JOURNAL_INODE: usize = INODE_TABLE + 7 * 128;
const SEED: u32 = 0x1234_5678;

pub(super) fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}

/// A filesystem of one group: 256 blocks of 1 KiB, 100 free, 12 reserved, 32 inodes, 20 free, a journal
/// of 64 blocks, checksums on everything.
pub(super) fn ext4(label: &str) -> Vec<u8> {
    let mut image = vec![0; BLOCKS * BLOCK];
    for (at, value) in [
        (0x00, 32_u32),
        (0x04, BLOCKS as u32),
        (0x08, 12),
        (0x14, 1),
        (0x20, 8192),
        (0x24, 8192),
        (0x28, 32),
        (0x30, 1_767_225_600),
        (0x4c, 1),
        (0x5c, 0x4),
        (0x60, 0x20c2),
        (0x64, 0x401),
        (0xe0, 8),
        (0x270, SEED),
    ] {
        put(&mut image, SUPERBLOCK + at, &value.to_le_bytes());
    }
    for (at, value) in [(0x38, 0xef53_u16), (0x3a, 1), (0x58, 128), (0xfe, 64)] {
        put(&mut image, SUPERBLOCK + at, &value.to_le_bytes());
    }
    image[SUPERBLOCK + 0x175] = 1;
    put(&mut image, SUPERBLOCK + 0x68, &[0xab; 16]);
    put(&mut image, SUPERBLOCK + 0x78, label.as_bytes());
    for (at, value) in [(0x00, 3_u32), (0x04, 4), (0x08, 5)] {
        put(&mut image, DESCRIPTORS + at, &value.to_le_bytes());
    }
    put(&mut image, DESCRIPTORS + 0x0c, &100_u16.to_le_bytes());
    put(&mut image, DESCRIPTORS + 0x0e, &20_u16.to_le_bytes());
    put(
        &mut image,
        JOURNAL_INODE + 4,
        &(64 * BLOCK as u32).to_le_bytes(),
    );
    // In blocks 10 to 73.
    put(
        &mut image,
        JOURNAL_INODE + 0x20,
        &0x8_0000_u32.to_le_bytes(),
    );
    for (at, value) in [(0, 0xf30a_u16), (2, 1), (4, 4), (16, 64), (20, 10)] {
        put(&mut image, JOURNAL_INODE + 0x28 + at, &value.to_le_bytes());
    }
    sign_ext4(&mut image);
    image
}

/// Makes the checksums of superblock, descriptor and journal inode right again.
pub(super) fn sign_ext4(image: &mut [u8]) {
    let sum = crc32c(u32::MAX, &[&image[SUPERBLOCK..SUPERBLOCK + 0x3fc]]);
    put(image, SUPERBLOCK + 0x3fc, &sum.to_le_bytes());
    let descriptor = &image[DESCRIPTORS..DESCRIPTORS + 64];
    let sum = crc32c(
        SEED,
        &[&[0; 4], &descriptor[..0x1e], &[0; 2], &descriptor[0x20..]],
    );
    put(image, DESCRIPTORS + 0x1e, &sum.to_le_bytes()[..2]);
    let inode = &image[JOURNAL_INODE..JOURNAL_INODE + 128];
    let sum = crc32c(
        SEED,
        &[
            &8_u32.to_le_bytes(),
            &inode[0x64..0x68],
            &inode[..0x7c],
            &[0; 2],
            &inode[0x7e..],
        ],
    );
    put(image, JOURNAL_INODE + 0x7c, &sum.to_le_bytes()[..2]);
}

/// A FAT boot sector with the label of an EFI system partition.
pub(super) fn vfat(length: usize) -> Vec<u8> {
    let mut image = vec![0; length];
    put(&mut image, 0, &[0xeb, 0x3c, 0x90]);
    put(&mut image, 11, &[0, 2, 4]);
    put(&mut image, 39, &[0x78, 0x56, 0x34, 0x12]);
    put(&mut image, 43, b"UEFI       FAT16   ");
    put(&mut image, 510, &[0x55, 0xaa]);
    image
}

/// What goes into one partition: its number and its bytes, a whole number of sectors.
pub(super) type Part = (usize, Vec<u8>);

const ENTRIES: usize = 16;
const ENTRY: usize = 128;

/// A disk with a GPT and its copy; partitions lie in the order given, each a gap of sectors after the last.
pub(super) fn gpt(sector: usize, parts: &[Part]) -> Vec<u8> {
    let mut entries = vec![0; ENTRIES * ENTRY];
    let table = (ENTRIES * ENTRY).div_ceil(sector);
    let mut body = Vec::new();
    let first_usable = 2 + table;
    for (number, bytes) in parts {
        body.resize(body.len() + 3 * sector, 0);
        let first = (first_usable + body.len() / sector) as u64;
        let last = first + (bytes.len() / sector) as u64 - 1;
        let entry = (number - 1) * ENTRY;
        put(&mut entries, entry, &[0x0f; 16]);
        put(&mut entries, entry + 32, &first.to_le_bytes());
        put(&mut entries, entry + 40, &last.to_le_bytes());
        body.extend_from_slice(bytes);
    }
    let mut disk = vec![0; first_usable * sector];
    disk.extend(body);
    let last = disk.len() / sector + table;
    disk.resize((last + 1) * sector, 0);
    put(&mut disk, 446 + 4, &[0xee]);
    put(&mut disk, 446 + 8, &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    put(&mut disk, 510, &[0x55, 0xaa]);
    for (at, other, entries_at) in [(1, last, 2), (last, 1, last - table)] {
        put(&mut disk, entries_at * sector, &entries);
        let header = at * sector;
        put(&mut disk, header, b"EFI PART\0\0\x01\0\x5c\0\0\0");
        put(&mut disk, header + 24, &(at as u64).to_le_bytes());
        put(&mut disk, header + 32, &(other as u64).to_le_bytes());
        put(&mut disk, header + 40, &(first_usable as u64).to_le_bytes());
        put(
            &mut disk,
            header + 48,
            &((last - table - 1) as u64).to_le_bytes(),
        );
        put(&mut disk, header + 72, &(entries_at as u64).to_le_bytes());
        put(&mut disk, header + 80, &(ENTRIES as u32).to_le_bytes());
        put(&mut disk, header + 84, &(ENTRY as u32).to_le_bytes());
        sign_gpt(&mut disk, sector, at);
    }
    disk
}

/// Makes the checksums of the table whose header is in sector `at` right again.
pub(super) fn sign_gpt(disk: &mut [u8], sector: usize, at: usize) {
    let header = at * sector;
    let number = |at: usize| u64::from_le_bytes(disk[at..at + 8].try_into().unwrap());
    let start = number(header + 72).saturating_mul(sector as u64);
    let count = (number(header + 80) & 0xffff_ffff) as usize;
    let range = usize::try_from(start)
        .ok()
        .and_then(|start| disk.get(start..start.checked_add(count.checked_mul(ENTRY)?)?));
    if let Some(entries) = range {
        let sum = crc32(&[entries]);
        put(disk, header + 88, &sum.to_le_bytes());
    }
    put(disk, header + 16, &[0; 4]);
    let sum = crc32(&[&disk[header..header + 92]]);
    put(disk, header + 16, &sum.to_le_bytes());
}

/// A disk with a classic table; partitions lie one after the other.
pub(super) fn mbr(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut disk = vec![0; 4096];
    for (index, bytes) in parts.iter().enumerate() {
        let entry = 446 + index * 16;
        let (first, count) = ((disk.len() / 512) as u32, (bytes.len() / 512) as u32);
        put(&mut disk, entry + 4, &[0x83]);
        put(&mut disk, entry + 8, &first.to_le_bytes());
        put(&mut disk, entry + 12, &count.to_le_bytes());
        disk.extend_from_slice(bytes);
    }
    put(&mut disk, 510, &[0x55, 0xaa]);
    disk
}

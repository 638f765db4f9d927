//! A partition table like that of the app's system disk: p14 and p15 lie before p1.

use std::fs::File;
use std::io::{Error, Seek, SeekFrom, Write};
use std::path::Path;

const SECTOR: u64 = 512;
const ENTRY: usize = 128;
const ENTRIES: usize = 128;
/// A Linux filesystem, in the mixed byte order of the table.
const LINUX: [u8; 16] = [
    0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47, 0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4,
];
/// An EFI system partition.
const ESP: [u8; 16] = [
    0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b,
];
/// A BIOS boot partition.
const BIOS: [u8; 16] = [
    0x48, 0x61, 0x68, 0x21, 0x49, 0x64, 0x6f, 0x6e, 0x74, 0x4e, 0x65, 0x65, 0x64, 0x45, 0x46, 0x49,
];

/// Where the system partition begins: after 4 MB of BIOS boot and 106 MB of ESP (facts of the VM §1.3).
pub const SYSTEM_OFFSET: u64 = 2048 * SECTOR + (4 << 20) + (106 << 20);

/// Bytes of an image whose system partition has `size` bytes.
#[must_use]
pub const fn image_size(size: u64) -> u64 {
    SYSTEM_OFFSET + size + 2048 * SECTOR
}

/// Writes the table, and its copy at the end, for a system partition of `size` bytes.
///
/// # Errors
/// Where the image cannot be written.
pub fn write(image: &Path, size: u64) -> Result<(), Error> {
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(image)?;
    file.set_len(image_size(size))?;
    let last = image_size(size) / SECTOR - 1;
    let bios = 2048;
    let esp = bios + (4 << 20) / SECTOR;
    let system = SYSTEM_OFFSET / SECTOR;

    let mut table = vec![0; ENTRY * ENTRIES];
    for (index, kind, first, end) in [
        (0, LINUX, system, system + size / SECTOR - 1),
        (13, BIOS, bios, esp - 1),
        (14, ESP, esp, system - 1),
    ] {
        let entry = &mut table[index * ENTRY..(index + 1) * ENTRY];
        entry[..16].copy_from_slice(&kind);
        entry[16..32].copy_from_slice(&[u8::try_from(index + 1).unwrap_or(0); 16]);
        entry[32..40].copy_from_slice(&u64::to_le_bytes(first));
        entry[40..48].copy_from_slice(&u64::to_le_bytes(end));
    }
    let mut at = |sector: u64, bytes: &[u8]| {
        file.seek(SeekFrom::Start(sector * SECTOR))?;
        file.write_all(bytes)
    };
    at(0, &protective(last))?;
    at(1, &header(1, last, 2, last, &table))?;
    at(2, &table)?;
    at(last - 32, &table)?;
    at(last, &header(last, 1, last - 32, last, &table))
}

fn header(own: u64, other: u64, table_at: u64, last: u64, table: &[u8]) -> Vec<u8> {
    let mut sector = vec![0; 512];
    sector[..8].copy_from_slice(b"EFI PART");
    sector[8..12].copy_from_slice(&0x0001_0000_u32.to_le_bytes());
    sector[12..16].copy_from_slice(&92_u32.to_le_bytes());
    sector[24..32].copy_from_slice(&own.to_le_bytes());
    sector[32..40].copy_from_slice(&other.to_le_bytes());
    sector[40..48].copy_from_slice(&34_u64.to_le_bytes());
    sector[48..56].copy_from_slice(&(last - 33).to_le_bytes());
    sector[56..72].copy_from_slice(&[0x5a; 16]);
    sector[72..80].copy_from_slice(&table_at.to_le_bytes());
    sector[80..84].copy_from_slice(&128_u32.to_le_bytes());
    sector[84..88].copy_from_slice(&128_u32.to_le_bytes());
    sector[88..92].copy_from_slice(&crc32(table).to_le_bytes());
    let own_sum = crc32(&sector[..92]);
    sector[16..20].copy_from_slice(&own_sum.to_le_bytes());
    sector
}

/// The old-style table that says "all of this disk is taken".
fn protective(last: u64) -> Vec<u8> {
    let mut sector = vec![0; 512];
    sector[446 + 4] = 0xee;
    sector[446 + 8..446 + 12].copy_from_slice(&1_u32.to_le_bytes());
    let sectors = u32::try_from(last).unwrap_or(u32::MAX);
    sector[446 + 12..446 + 16].copy_from_slice(&sectors.to_le_bytes());
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum: u32, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 {
                (sum >> 1) ^ 0xedb8_8320
            } else {
                sum >> 1
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}

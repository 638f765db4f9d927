//! Images that lie. Nothing may panic, loop or allocate by somebody else's number; what is wrong must be
//! called corrupt or unsupported, never a failure of the system.

use std::cell::Cell;
use std::io;

use super::made::{self, DESCRIPTORS, SUPERBLOCK, put};
use crate::disk::inspect;
use crate::disk::source::{READ_CAP, ReadAt};
use crate::error::Cause;

/// A source that is zero beyond its bytes, as long as it claims, and counts what is asked of it.
struct Claim<'a> {
    bytes: &'a [u8],
    length: u64,
    read: Cell<u64>,
}

impl<'a> Claim<'a> {
    fn new(bytes: &'a [u8], length: u64) -> Self {
        Self {
            bytes,
            length,
            read: Cell::new(0),
        }
    }
}

impl ReadAt for Claim<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let size = buffer.len() as u64;
        assert!(size <= READ_CAP, "one read of {size} bytes");
        assert!(offset + size <= self.length, "read beyond the end");
        self.read.set(self.read.get() + size);
        buffer.fill(0);
        if let Some(rest) = usize::try_from(offset)
            .ok()
            .and_then(|at| self.bytes.get(at..))
        {
            let held = rest.len().min(buffer.len());
            buffer[..held].copy_from_slice(&rest[..held]);
        }
        Ok(())
    }
}

/// Looks at an image and checks that what comes out can be true; returns whether it was readable.
fn judge(image: &[u8]) -> bool {
    let source = Claim::new(image, image.len() as u64);
    let outcome = inspect(&source);
    assert!(source.read.get() <= 8 << 20, "read {}", source.read.get());
    match outcome {
        Ok(disks) => {
            for numbers in disks.iter().filter_map(|disk| disk.numbers.as_ref()) {
                assert!(numbers.size.0 <= source.length, "{numbers:?}");
                assert!(numbers.used <= numbers.size, "{numbers:?}");
                assert!(numbers.available <= numbers.size, "{numbers:?}");
                assert!(numbers.inodes_free <= numbers.inodes, "{numbers:?}");
            }
            true
        }
        Err(Cause::Corrupt(_) | Cause::Unsupported(_)) => false,
        Err(other) => panic!("{other} is not the system's fault"),
    }
}

/// xorshift64*: the same spoilt bytes in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

#[test]
fn an_image_cut_anywhere_is_corrupt() {
    let cloud = made::gpt(512, &[(15, made::vfat(4096)), (1, made::ext4("root"))]);
    // The copy of the table at the end may be missing: nothing is in it that is not at the front.
    for (whole, needed) in [
        (made::ext4("sessions"), 0),
        (cloud, 5 * 512),
        (made::mbr(&[made::ext4("a")]), 0),
    ] {
        let end = whole.len() - needed;
        let lengths = (0..6000)
            .chain((6000..end).step_by(499))
            .chain(end - 600..end);
        for length in lengths {
            assert!(
                !judge(&whole[..length]),
                "readable with {length} of {end} bytes"
            );
        }
        assert!(judge(&whole[..end]));
    }
}

#[test]
fn zeroes_are_corrupt_at_any_length() {
    for length in [0, 1, 511, 512, 1024, 2048, 8191, 8192, 1 << 20] {
        assert!(!judge(&vec![0; length]));
    }
}

#[test]
fn a_single_flipped_bit_under_a_checksum_is_noticed() {
    let whole = made::ext4("sessions");
    for (start, length) in [(SUPERBLOCK, 1024), (DESCRIPTORS, 64)] {
        for at in start..start + length {
            for bit in 0..8 {
                let mut image = whole.clone();
                image[at] ^= 1 << bit;
                // Without the feature bit the checksums are not looked at: that one is for the fuzz.
                if at != SUPERBLOCK + 0x65 || bit != 2 {
                    assert!(!judge(&image), "byte {at:#x} bit {bit}");
                }
            }
        }
    }
}

#[test]
fn absurd_counts_are_refused_though_their_checksum_is_right() {
    let claims: &[(usize, &[u8])] = &[
        (0x00, &[0; 4]),
        (0x00, &[0xff; 4]),
        (0x04, &[0; 4]),
        (0x04, &[0xff; 4]),
        (0x150, &[0xff; 4]),
        (0x08, &[0xff; 4]),
        (0x14, &[0; 4]),
        (0x14, &[0xff; 4]),
        (0x18, &200_u32.to_le_bytes()),
        (0x18, &[0xff; 4]),
        (0x20, &[0; 4]),
        (0x20, &[0xff; 4]),
        (0x20, &[1, 0, 0, 0]),
        (0x28, &[0; 4]),
        (0x28, &[0xff; 4]),
        (0x58, &[0; 2]),
        (0x58, &[0xff; 2]),
        (0x58, &[129, 0]),
        (0xfe, &[0; 2]),
        (0xfe, &[0xff; 2]),
        (0xfe, &[96, 0]),
        (0xce, &[0xff; 2]),
        (0xe0, &[0xff; 4]),
        (0x60, &[0xff; 4]),
        (0x60, &0x20ca_u32.to_le_bytes()),
    ];
    for (at, bytes) in claims {
        let mut image = made::ext4("sessions");
        put(&mut image, SUPERBLOCK + at, bytes);
        made::sign_ext4(&mut image);
        assert!(!judge(&image), "{bytes:?} at {at:#x}");
    }
    let claims: &[(usize, &[u8])] = &[
        (0x00, &[0xff; 4]),
        (0x04, &[0; 4]),
        (0x08, &[254, 0, 0, 0]),
        (0x28, &[1, 0, 0, 0]),
        (0x0c, &[0xff; 2]),
        (0x2c, &[0xff; 2]),
        (0x0e, &[33, 0]),
    ];
    for (at, bytes) in claims {
        let mut image = made::ext4("sessions");
        put(&mut image, DESCRIPTORS + at, bytes);
        made::sign_ext4(&mut image);
        assert!(!judge(&image), "{bytes:?} at {at:#x} of the descriptor");
    }
}

#[test]
fn sixty_four_terabytes_in_a_megabyte_are_corrupt_and_on_a_real_disk_bounded() {
    let mut image = made::ext4("sessions");
    for (at, value) in [
        (0x04, 0_u32),
        (0x150, 4),
        (0x14, 0),
        (0x18, 2),
        (0x1c, 2),
        (0x20, 32_768),
        (0x28, 1024),
        (0x00, 1024 * 524_288),
        (0x5c, 0),
        (0x60, 0xc2),
        (0x64, 1),
    ] {
        put(&mut image, SUPERBLOCK + at, &value.to_le_bytes());
    }
    image.resize(1 << 20, 0);
    assert!(!judge(&image));
    // The same claim on a disk that is as long as it says, all descriptors zero.
    let disk = Claim::new(&image, 1 << 47);
    assert!(matches!(inspect(&disk), Err(Cause::Corrupt(_))));
    assert!(disk.read.get() <= 1 << 20, "read {}", disk.read.get());
    // One block per group would be four milliards of groups.
    put(&mut image, SUPERBLOCK + 0x20, &8_u32.to_le_bytes());
    let disk = Claim::new(&image, 1 << 47);
    assert!(matches!(
        inspect(&disk),
        Err(Cause::Unsupported(_) | Cause::Corrupt(_))
    ));
    assert!(disk.read.get() <= 1 << 20, "read {}", disk.read.get());
}

#[test]
fn tens_of_thousands_of_spoilt_images_are_all_survived() {
    let cloud = |sector| made::gpt(sector, &[(15, made::vfat(4096)), (1, made::ext4("root"))]);
    let mut unsigned = made::ext4("sessions");
    unsigned[SUPERBLOCK + 0x65] = 0;
    let mut clusters = unsigned.clone();
    clusters[SUPERBLOCK + 0x65] = 0x02;
    clusters[SUPERBLOCK + 0x1c] = 2;
    let mut dice = Dice(0x5eed_5eed);
    let mut readable = 0;
    for (whole, sector, rounds) in [
        (made::ext4("sessions"), 0, 10_000),
        (unsigned, 0, 10_000),
        (clusters, 0, 10_000),
        (cloud(512), 512, 6_000),
        (cloud(4096), 4096, 3_000),
        (made::mbr(&[made::ext4("root")]), 0, 6_000),
    ] {
        for _ in 0..rounds {
            let mut image = whole.clone();
            let reach = [512, 6 << 10, 24 << 10, image.len()][dice.below(4)].min(image.len());
            for _ in 0..=dice.below(6) {
                let at = match dice.below(4) {
                    0 => SUPERBLOCK + dice.below(0x110),
                    1 => DESCRIPTORS + dice.below(64),
                    _ => dice.below(reach),
                };
                image[at] = match dice.below(4) {
                    0 => 0,
                    1 => 0xff,
                    2 => image[at] ^ (1 << dice.below(8)),
                    _ => dice.below(256) as u8,
                };
            }
            match (sector, dice.below(3)) {
                (_, 0) => {}
                (0, _) => made::sign_ext4(&mut image),
                (sector, _) => made::sign_gpt(&mut image, sector, 1),
            }
            readable += u32::from(judge(&image));
        }
    }
    // Both roads were taken: not everything was thrown out at the first check.
    assert!((2_000..40_000).contains(&readable), "{readable}");
}

//! Journals made up block by block on the disk of `made`, so that these tests run on every system.

use super::made::{self, BLOCK, BLOCKS, SUPERBLOCK, put};
use crate::disk::checksum::crc32c;
use crate::disk::ext4;
use crate::disk::source::{ReadAt, fetch};
use crate::disk::survey;

/// Where the journal of `made::ext4` lies, in bytes, and how many blocks it has.
pub(super) const JOURNAL: usize = 10 * BLOCK;
pub(super) const RING: usize = 64;
const ID: [u8; 16] = [0xcd; 16];

/// What a journal is made of.
#[derive(Clone, Default)]
pub(super) struct Transaction {
    pub(super) copies: Vec<(u64, Vec<u8>)>,
    pub(super) revoked: Vec<u64>,
    pub(super) uncommitted: bool,
}

/// The disk of `made` with a journal that begins in block `start` of the ring with number `sequence`.
pub(super) fn disk(start: usize, sequence: u32, transactions: &[Transaction]) -> Vec<u8> {
    let mut image = made::ext4("sessions");
    image[SUPERBLOCK + 0x60] |= 4;
    let mut head = vec![0; 1024];
    for (at, value) in [
        (0x00, 0xc03b_3998_u32),
        (0x04, 4),
        (0x0c, BLOCK as u32),
        (0x10, RING as u32),
        (0x14, 1),
        (0x18, sequence),
        (0x1c, start as u32),
        (0x28, 0x13),
    ] {
        put(&mut head, at, &value.to_be_bytes());
    }
    head[0x50] = 4;
    put(&mut head, 0x30, &ID);
    let sum = crc32c(u32::MAX, &[&head]);
    put(&mut head, 0xfc, &sum.to_be_bytes());
    put(&mut image, JOURNAL, &head);

    let mut at = start;
    let mut push = |block: &[u8]| {
        put(&mut image, JOURNAL + at * BLOCK, block);
        at = if at + 1 == RING { 1 } else { at + 1 };
    };
    for (number, transaction) in transactions.iter().enumerate() {
        let sequence = sequence.wrapping_add(number as u32);
        if !transaction.copies.is_empty() {
            let (descriptor, copies) = described(sequence, &transaction.copies);
            push(&descriptor);
            copies.iter().for_each(|copy| push(copy));
        }
        if !transaction.revoked.is_empty() {
            let mut block = begun(5, sequence);
            let size = 16 + 8 * transaction.revoked.len() as u32;
            put(&mut block, 12, &size.to_be_bytes());
            for (index, revoked) in transaction.revoked.iter().enumerate() {
                put(&mut block, 16 + 8 * index, &revoked.to_be_bytes());
            }
            sign(&mut block, BLOCK - 4);
            push(&block);
        }
        if !transaction.uncommitted {
            let mut block = begun(2, sequence);
            let seconds = 1_767_225_700 + number as u64;
            put(&mut block, 0x30, &seconds.to_be_bytes());
            sign(&mut block, 0x10);
            push(&block);
        }
    }
    made::sign_ext4(&mut image);
    image
}

fn begun(kind: u32, sequence: u32) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    for (at, value) in [(0, 0xc03b_3998_u32), (4, kind), (8, sequence)] {
        put(&mut block, at, &value.to_be_bytes());
    }
    block
}

fn sign(block: &mut [u8], at: usize) {
    put(block, at, &[0; 4]);
    let sum = crc32c(crc32c(u32::MAX, &[&ID]), &[block]);
    put(block, at, &sum.to_be_bytes());
}

/// A descriptor block and the copies it describes, those that look like the journal's own escaped.
fn described(sequence: u32, copies: &[(u64, Vec<u8>)]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut descriptor = begun(1, sequence);
    let mut escaped = Vec::new();
    let mut at = 12;
    for (index, (block, bytes)) in copies.iter().enumerate() {
        let mut copy = bytes.clone();
        let mut flags = if index == 0 { 0 } else { 2 };
        if copy.starts_with(&0xc03b_3998_u32.to_be_bytes()) {
            copy[..4].fill(0);
            flags |= 1;
        }
        if index + 1 == copies.len() {
            flags |= 8;
        }
        let seed = crc32c(crc32c(u32::MAX, &[&ID]), &[&sequence.to_be_bytes()]);
        let sum = crc32c(seed, &[&copy]);
        let (low, high) = (*block as u32, (*block >> 32) as u32);
        for (field, value) in [(0, low), (4, flags), (8, high), (12, sum)] {
            put(&mut descriptor, at + field, &value.to_be_bytes());
        }
        at += if index == 0 { 32 } else { 16 };
        escaped.push(copy);
    }
    sign(&mut descriptor, BLOCK - 4);
    (descriptor, escaped)
}

/// The whole filesystem as of the last commit, and why it may be behind.
pub(super) fn seen(image: &Vec<u8>) -> (Vec<u8>, Option<String>) {
    let head = survey::head(image).unwrap();
    let journal = ext4::recover(image, ext4::superblock(&head).unwrap()).unwrap();
    let bytes = fetch(&journal.over(image), 0, image.length(), "disk").unwrap();
    (bytes, journal.lag)
}

fn block(byte: u8) -> Vec<u8> {
    vec![byte; BLOCK]
}

fn copies(copies: &[(u64, u8)]) -> Transaction {
    Transaction {
        copies: copies
            .iter()
            .map(|(at, byte)| (*at, block(*byte)))
            .collect(),
        ..Transaction::default()
    }
}

/// What is expected in which block, all others being what lies there.
fn assert_seen(image: &Vec<u8>, expected: &[(usize, u8)]) {
    let (seen, lag) = seen(image);
    assert_eq!(lag, None);
    for number in 0..BLOCKS {
        let range = number * BLOCK..(number + 1) * BLOCK;
        let laid = expected.iter().find(|(at, _)| *at == number);
        match laid {
            Some((_, byte)) => assert!(seen[range].iter().all(|b| b == byte), "block {number}"),
            None => assert!(seen[range.clone()] == image[range], "block {number}"),
        }
    }
}

#[test]
fn the_newest_committed_copy_is_seen_and_a_revoked_one_is_not() {
    let revoking = Transaction {
        revoked: vec![101, 104, 255],
        ..copies(&[(104, 9)])
    };
    let open = Transaction {
        uncommitted: true,
        ..copies(&[(100, 8)])
    };
    let work = [
        copies(&[(100, 1), (101, 2), (102, 3)]),
        copies(&[(100, 4), (103, 5)]),
        revoking,
        copies(&[(255, 6)]),
        open,
    ];
    let expected = [(100, 4), (102, 3), (103, 5), (255, 6)];
    for (start, sequence) in [(1, 1), (40, 77), (62, 5), (63, u32::MAX - 1)] {
        assert_seen(&disk(start, sequence, &work), &expected);
    }
}

#[test]
fn a_block_that_looks_like_the_journals_own_comes_back_whole() {
    let mut magic = block(7);
    put(&mut magic, 0, &0xc03b_3998_u32.to_be_bytes());
    let image = disk(
        20,
        3,
        &[Transaction {
            copies: vec![(120, magic.clone()), (121, block(1))],
            ..Transaction::default()
        }],
    );
    let (seen, _) = seen(&image);
    assert!(seen[120 * BLOCK..121 * BLOCK] == magic[..]);
}

#[test]
fn a_single_byte_is_read_through_the_overlay_like_a_whole_disk() {
    let image = disk(1, 1, &[copies(&[(100, 1), (102, 2)])]);
    let (whole, _) = seen(&image);
    let head = survey::head(&image).unwrap();
    let journal = ext4::recover(&image, ext4::superblock(&head).unwrap()).unwrap();
    let over = journal.over(&image);
    for start in (99 * BLOCK..104 * BLOCK).step_by(63) {
        for length in [0, 1, 62, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let mut seen = vec![7; length];
            over.read_at(&mut seen, start as u64).unwrap();
            assert!(seen == whole[start..start + length], "{length} at {start}");
        }
    }
    assert!(over.read_at(&mut [0; 2], image.length() - 1).is_err());
}

#[test]
fn numbers_are_those_of_the_last_commit() {
    let before = made::ext4("sessions");
    let mut changed = before.clone();
    put(
        &mut changed,
        made::DESCRIPTORS + 0x0c,
        &77_u16.to_le_bytes(),
    );
    put(
        &mut changed,
        made::DESCRIPTORS + 0x0e,
        &11_u16.to_le_bytes(),
    );
    made::sign_ext4(&mut changed);
    let descriptors = changed[made::DESCRIPTORS..][..BLOCK].to_vec();
    let transaction = Transaction {
        copies: vec![(2, descriptors)],
        ..Transaction::default()
    };
    let image = disk(1, 9, &[copies(&[(200, 1)]), transaction]);
    let disks = crate::disk::inspect(&image).unwrap();
    let numbers = disks[0].numbers.unwrap();
    assert_eq!(
        (numbers.inodes_free, numbers.stale, numbers.clean),
        (11, false, false)
    );
    assert_eq!(numbers.as_of.map(|at| at.0), Some(1_767_225_701));
    let kib = BLOCK as u64;
    assert_eq!(numbers.available.0, (77 - 12 - 5) * kib);

    // Unmounted, the same journal says nothing: a mount would discard it.
    let mut unmounted = image;
    unmounted[SUPERBLOCK + 0x60] &= !4;
    made::sign_ext4(&mut unmounted);
    let disks = crate::disk::inspect(&unmounted).unwrap();
    assert_eq!(disks[0].numbers.unwrap().inodes_free, 20);
}

#[test]
fn a_journal_that_cannot_be_read_makes_the_numbers_stale_and_says_why() {
    let spoilt: &[(&str, usize, &[u8])] = &[
        ("superblock", JOURNAL, &[0; 4]),
        ("checksum", JOURNAL + 0x40, &[1]),
        ("feature", JOURNAL + 0x28, &[0, 0, 1]),
        ("another disk", SUPERBLOCK + 0xe0, &[0]),
        ("hole", made::JOURNAL_INODE + 0x28 + 16, &[3]),
        ("beyond", made::JOURNAL_INODE + 0x28 + 20, &[0xff, 0xff]),
    ];
    for (word, at, bytes) in spoilt {
        let mut image = disk(1, 1, &[copies(&[(100, 1)])]);
        put(&mut image, *at, bytes);
        made::sign_ext4(&mut image);
        let disks = crate::disk::inspect(&image).unwrap();
        assert!(disks[0].numbers.unwrap().stale, "{word}");
        let problem = disks[0].problem.as_ref().unwrap();
        assert!(problem.text.contains(word), "{word}: {}", problem.text);
    }
}

#[test]
fn a_torn_transaction_ends_the_log_and_a_torn_copy_is_corrupt_when_it_is_read() {
    let work = [copies(&[(100, 1)]), copies(&[(101, 2)])];
    // Descriptor, copy, commit; descriptor, copy, commit.
    let mut torn = disk(1, 1, &work);
    torn[JOURNAL + 4 * BLOCK + 30] ^= 1;
    assert_seen(&torn, &[(100, 1)]);

    let mut torn = disk(1, 1, &work);
    torn[JOURNAL + 6 * BLOCK + 30] ^= 1;
    let (_, lag) = seen(&torn);
    assert!(lag.unwrap().contains("last commit"));

    let mut torn = disk(1, 1, &work);
    torn[JOURNAL + 5 * BLOCK + 30] ^= 1;
    let head = survey::head(&torn).unwrap();
    let journal = ext4::recover(&torn, ext4::superblock(&head).unwrap()).unwrap();
    let over = journal.over(&torn);
    assert!(fetch(&over, 100 * 1024, 1024, "block").is_ok());
    let error = fetch(&over, 101 * 1024, 1024, "block").unwrap_err();
    assert!(matches!(error, crate::error::Cause::Corrupt(_)), "{error}");
}

#[test]
fn a_log_that_goes_around_for_ever_ends() {
    // Revoke blocks of one transaction, all around the ring, and no commit.
    let work: Vec<_> = vec![Transaction {
        revoked: vec![1; 3],
        uncommitted: true,
        ..Transaction::default()
    }];
    let mut image = disk(1, 1, &work);
    let block = image[JOURNAL + BLOCK..JOURNAL + 2 * BLOCK].to_vec();
    for at in 1..RING {
        put(&mut image, JOURNAL + at * BLOCK, &block);
    }
    assert_seen(&image, &[]);
    // A descriptor that describes more than the ring holds.
    let many = copies(&(100..160).map(|at| (at, 1)).collect::<Vec<_>>());
    let mut image = disk(1, 1, &[many]);
    for at in [JOURNAL + 63 * BLOCK, JOURNAL + 62 * BLOCK] {
        image[at..at + BLOCK].fill(0xee);
    }
    assert_seen(&image, &[]);
}

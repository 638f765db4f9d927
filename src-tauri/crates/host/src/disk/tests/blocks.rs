//! VHDX as far as our own bytes go; `converted` has those of qemu.

use super::hyperv::{self, BAT, BLOCKS, LOG, METADATA, MIB, Write, entry_at, seen, vhdx};
use super::made::{self, put};
use crate::disk::inspect;
use crate::disk::survey;
use crate::error::Cause;

/// A disk of five blocks, the second and fourth empty, the last cut short.
fn disk() -> Vec<u8> {
    let mut disk = vec![0; 4 * MIB + 512 * 9];
    put(&mut disk, 0, &made::ext4("sessions"));
    disk[2 * MIB..3 * MIB].fill(2);
    disk[4 * MIB..].fill(4);
    disk
}

fn corrupt(file: &Vec<u8>) -> String {
    match seen(file) {
        Err(Cause::Corrupt(text)) => text,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was readable"),
    }
}

#[test]
fn a_dynamic_disk_reads_as_what_was_put_into_it() {
    let disk = disk();
    let file = vhdx(&disk);
    assert!(seen(&file).unwrap() == disk);
    let found = survey::look(&file).unwrap();
    assert_eq!(found.format, sandtray_core::disk::Format::Vhdx);
    let numbers = |disks: &[sandtray_core::disk::Disk]| disks[0].numbers;
    assert_eq!(numbers(&found.disks), numbers(&inspect(&disk).unwrap()));
}

#[test]
fn the_current_header_is_the_valid_one_with_the_higher_number() {
    let file = vhdx(&disk());
    // A log of the wrong version makes whichever header is believed unsupported.
    for (marked, torn, readable) in [(0, 9, false), (1, 9, true), (0, 0, true), (1, 0, false)] {
        let mut file = file.clone();
        let header = [64 << 10, 128 << 10];
        put(&mut file, header[marked] + 0x30, &[1; 16]);
        put(&mut file, header[marked] + 0x40, &[1]);
        hyperv::sign_all(&mut file);
        if let Some(at) = header.get(torn) {
            file[at + 100] ^= 1;
        }
        assert_eq!(seen(&file).is_ok(), readable, "{marked} {torn}");
    }
    let mut file = file;
    for at in [64 << 10, 128 << 10] {
        file[at + 100] ^= 1;
    }
    assert!(corrupt(&file).contains("header"));
}

#[test]
fn a_broken_table_of_regions_gives_way_to_its_copy() {
    let mut file = vhdx(&disk());
    file[(192 << 10) + 60] ^= 1;
    assert!(seen(&file).is_ok());
    file[(256 << 10) + 60] ^= 1;
    assert!(corrupt(&file).contains("regions"));
}

#[test]
fn a_differencing_disk_is_named_and_not_called_corrupt() {
    for (at, bytes) in [
        (METADATA + (64 << 10) + 4, &[2_u8][..]),
        (
            METADATA + 32 + 2 * 32,
            b"\x2d\x5f\xd3\xa8\x0b\xb3\x4d\x45\xab\xf7\xd3\xd8\x48\x34\xab\x0c",
        ),
    ] {
        let mut file = vhdx(&disk());
        put(&mut file, at, bytes);
        match seen(&file) {
            Err(Cause::Unsupported(text)) => assert!(text.contains("differencing"), "{text}"),
            other => panic!("{:?}", other.map(|bytes| bytes.len())),
        }
    }
}

#[test]
fn what_must_be_understood_and_is_not_is_unsupported_and_the_rest_is_passed_over() {
    for (entry, flag, required) in [
        (METADATA + 32 + 2 * 32, 24, 4),
        ((192 << 10) + 16 + 32, 28, 1),
    ] {
        let mut file = vhdx(&disk());
        put(&mut file, entry, &[0x99; 16]);
        hyperv::sign_all(&mut file);
        let is_region = flag == 28;
        assert!(matches!(seen(&file), Err(Cause::Unsupported(_))));
        file[entry + flag] &= !required;
        hyperv::sign_all(&mut file);
        // Page 83 may be missing, the metadata may not; its copy of the table still has it.
        assert!(seen(&file).is_ok(), "{is_region}");
    }
}

#[test]
fn a_log_is_laid_over_the_file_and_the_file_is_left_alone() {
    let disk = disk();
    let whole = vhdx(&disk);
    let table = whole[BAT..BAT + 4096].to_vec();
    let (mut first, mut second) = (table.clone(), table.clone());
    // The first entry is what would be read without the second.
    put(&mut first, 0, &(6 | 900_u64 << 20).to_le_bytes());
    put(&mut second, 8, &(6 | BLOCKS as u64).to_le_bytes());
    put(&mut second, 32, &[0; 8]);
    let mut expected = disk.clone();
    expected[MIB..MIB + 512 * 9].fill(4);
    expected[4 * MIB..].fill(0);
    expected[2 * MIB + 8192..2 * MIB + 3 * 4096].fill(0);
    let second_block = u64::from_le_bytes(table[16..24].try_into().unwrap()) & !7;

    for start in [0, 4096, MIB - 4096, MIB - 8192, MIB - 3 * 4096] {
        let mut file = whole.clone();
        let broken = vec![0xff; 4096];
        put(&mut file, BAT, &broken);
        let entries = vec![
            vec![Write::Sector(BAT as u64, first.clone())],
            vec![
                Write::Zeroes(second_block + 8192, 4096),
                Write::Sector(BAT as u64, second.clone()),
            ],
        ];
        hyperv::log(&mut file, start, 1 << 32, &entries);
        let before = file.clone();
        assert!(seen(&file).unwrap() == expected, "from {start}");
        assert!(file == before);
        // Closed properly, the same log says nothing.
        for at in [64 << 10, 128 << 10] {
            put(&mut file, at + 0x30, &[0; 16]);
        }
        hyperv::sign_all(&mut file);
        assert!(seen(&file).is_err());
    }
}

#[test]
fn only_the_newest_whole_run_of_entries_counts() {
    let disk = disk();
    let whole = vhdx(&disk);
    let table = whole[BAT..BAT + 4096].to_vec();
    let empty = |block: usize| {
        let mut table = table.clone();
        put(&mut table, block * 8, &[0; 8]);
        vec![Write::Sector(BAT as u64, table)]
    };
    let without = |block: usize| {
        let mut disk = disk.clone();
        let end = ((block + 1) * MIB).min(disk.len());
        disk[block * MIB..end].fill(0);
        disk
    };
    let mut file = whole.clone();
    // An older run behind a newer one, and after both an entry that was torn.
    hyperv::log(&mut file, 64 << 10, 5, &[empty(0)]);
    hyperv::log(&mut file, 128 << 10, 9, &[empty(2), empty(4)]);
    assert!(seen(&file).unwrap() == without(4));
    file[LOG + (128 << 10) + 8192 + 4096 + 7] ^= 1;
    // Without its last entry the newer run still names its first as its tail.
    assert!(seen(&file).unwrap() == without(2));
    file[LOG + (128 << 10) + 4096 + 7] ^= 1;
    assert!(seen(&file).unwrap() == without(0));
    // Entries of another time do not count.
    file[LOG + (64 << 10) + 32] ^= 1;
    hyperv::sign(&mut file, LOG + (64 << 10), 8192);
    assert!(seen(&file).unwrap() == disk);
}

#[test]
fn a_file_shorter_than_its_log_says_is_corrupt_and_one_that_would_grow_is_read_as_grown() {
    let whole = vhdx(&disk());
    let table = whole[BAT..BAT + 4096].to_vec();
    for (flushed, last, readable) in [(0, MIB, true), (MIB, MIB, false)] {
        let mut file = whole.clone();
        let mut grown = table.clone();
        put(&mut grown, 8, &(6 | file.len() as u64).to_le_bytes());
        hyperv::log(&mut file, 0, 3, &[vec![Write::Sector(BAT as u64, grown)]]);
        let length = file.len() as u64;
        put(
            &mut file,
            LOG + 48,
            &(length + flushed as u64).to_le_bytes(),
        );
        put(&mut file, LOG + 56, &(length + last as u64).to_le_bytes());
        hyperv::sign(&mut file, LOG, 8192);
        match seen(&file) {
            Ok(bytes) => assert!(readable && bytes == disk()),
            Err(Cause::Corrupt(_)) => assert!(!readable),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn blocks_over_one_another_or_over_a_structure_or_beyond_the_file_are_corrupt() {
    let whole = vhdx(&disk());
    let end = whole.len() as u64;
    for (entry, word) in [
        (BLOCKS as u64 | 6, "overlap"),
        (BAT as u64 | 6, "structure"),
        (METADATA as u64 | 6, "structure"),
        (6, "outside"),
        (end | 6, "outside"),
        (!7 | 6, "outside"),
        (BLOCKS as u64 | 7, "state 7"),
        (BLOCKS as u64 | 4, "state 4"),
    ] {
        let mut file = whole.clone();
        put(&mut file, entry_at(1), &entry.to_le_bytes());
        let text = corrupt(&file);
        assert!(text.contains(word), "{entry:#x}: {text}");
    }
}

#[test]
fn sizes_outside_the_format_are_corrupt() {
    let values = METADATA + (64 << 10);
    for (at, bytes) in [
        (values, &[0, 0, 0x10, 0x10][..]),
        (values, &[0; 4]),
        (values, &[0, 0, 8, 0]),
        (values, &[0, 0, 0, 0x20]),
        (values + 8, &[0; 8]),
        (values + 8, &[1]),
        (values + 8, &[0, 0, 0, 0, 0, 0x41]),
        (values + 8, &[0xff; 8]),
        // 64 TB in a file of a few megabytes: the table of blocks cannot hold it.
        (values + 8, &[0, 0, 0, 0, 0, 0x40]),
        (values + 32, &[0, 4]),
        (values + 36, &[0xff; 4]),
        (METADATA + 10, &[0xff, 0xff]),
        (METADATA + 32 + 16, &[0; 4]),
        (METADATA + 32 + 16, &[0xff; 4]),
        (METADATA + 32 + 20, &[3]),
    ] {
        let mut file = vhdx(&disk());
        put(&mut file, at, bytes);
        corrupt(&file);
    }
    for (at, bytes) in [
        (8, &[0xff; 4][..]),
        (16 + 16, &[1]),
        (16 + 16, &[0xff; 8]),
        (16 + 24, &[0xff, 0xff, 0xff, 0xff]),
        (16 + 24, &[0; 4]),
        (16 + 16, &METADATA.to_le_bytes()),
    ] {
        let mut file = vhdx(&disk());
        for table in [192 << 10, 256 << 10] {
            put(&mut file, table + at, bytes);
        }
        hyperv::sign_all(&mut file);
        corrupt(&file);
    }
}

#[test]
fn a_vhdx_cut_anywhere_is_corrupt() {
    let whole = vhdx(&disk());
    let last = whole.len() - MIB;
    for length in (8..whole.len() - MIB + 100).step_by(99_733).chain([last]) {
        corrupt(&whole[..length].to_vec());
    }
}

#[test]
fn a_log_full_of_entries_that_are_none_ends_soon() {
    let mut file = vhdx(&disk());
    hyperv::log(&mut file, 0, 1, &[]);
    for sector in (0..MIB).step_by(4096) {
        put(&mut file, LOG + sector, b"loge");
        put(&mut file, LOG + sector + 8, &(MIB as u32).to_le_bytes());
        put(&mut file, LOG + sector + 16, &[1]);
        put(&mut file, LOG + sector + 32, &hyperv::LOG_ID);
    }
    assert!(corrupt(&file).contains("log"));
}

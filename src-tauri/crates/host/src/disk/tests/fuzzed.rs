//! A little fuzzing with every run: the same spoilt disks each time, with checksums and without, and what
//! the fuzzers of `tests/fuzz` made of them.
//!
//! With `SANDTRAY_FUZZ_SEEDS` naming a folder, the seeds of those fuzzers are written there.

use std::path::Path;

use super::hostile::Dice;
use super::logged::{self, Transaction};
use super::made::{self, put};
use super::{hyperv, hyperv::Write};
use crate::disk::checksum::believing;
use crate::disk::fuzz::{self, PAGE};

type Reader = fn(&[u8]);

const READERS: [(&str, Reader); 5] = [
    ("image", fuzz::image),
    ("table", fuzz::table),
    ("journal", fuzz::journal),
    ("vhdx", fuzz::vhdx),
    ("inside", fuzz::inside),
];

/// Leaves out the pages that are all zero.
pub(in crate::disk) fn folded(disk: &[u8]) -> Vec<u8> {
    let mut folded = (disk.len().div_ceil(PAGE) as u32).to_le_bytes().to_vec();
    for (number, page) in disk.chunks(PAGE).enumerate() {
        if page.iter().any(|byte| *byte != 0) {
            folded.extend((number as u32).to_le_bytes());
            folded.extend(page);
            folded.resize(folded.len() + PAGE - page.len(), 0);
        }
    }
    folded
}

/// Two transactions that move the descriptors, and a third that is revoked in part.
fn with_journal(start: usize) -> Vec<u8> {
    let disk = made::ext4("sessions");
    let copy = |block: usize| {
        (
            block as u64,
            disk[block * 1024..(block + 1) * 1024].to_vec(),
        )
    };
    let transaction = |copies, revoked| Transaction {
        copies,
        revoked,
        uncommitted: false,
    };
    let work = [
        transaction(vec![copy(1), copy(2), copy(5)], vec![]),
        transaction(vec![copy(2), (100, vec![1; 1024])], vec![100, 5]),
        transaction(vec![copy(3)], vec![]),
    ];
    logged::disk(start, 7, &work)
}

fn with_log() -> Vec<u8> {
    let mut disk = vec![0; 3 << 20];
    put(&mut disk, 0, &with_journal(1));
    put(&mut disk, 2 << 20, &[7; 100]);
    let mut file = hyperv::vhdx(&disk);
    let table = file[hyperv::BAT..hyperv::BAT + 4096].to_vec();
    let entries = vec![
        vec![Write::Zeroes(hyperv::BAT as u64, 4096)],
        vec![Write::Sector(hyperv::BAT as u64, table)],
    ];
    hyperv::log(&mut file, hyperv::MIB - 8192, 9, &entries);
    file
}

/// Disks by the reader that they are for.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let cloud = |sector| made::gpt(sector, &[(15, made::vfat(4096)), (1, made::ext4("root"))]);
    let mut closed = vec![0; 1 << 20];
    put(&mut closed, 0, &made::ext4("sessions"));
    vec![
        ("image", made::ext4("sessions")),
        ("image", with_journal(1)),
        ("image", cloud(512)),
        ("image", with_log()),
        ("table", cloud(512)),
        ("table", cloud(4096)),
        ("table", made::mbr(&[made::ext4("a"), made::vfat(4096)])),
        ("journal", with_journal(1)),
        ("journal", with_journal(58)),
        ("vhdx", hyperv::vhdx(&closed)),
        ("vhdx", with_log()),
        ("inside", made::ext4("sessions")),
        ("inside", with_journal(1)),
    ]
}

#[test]
fn spoilt_disks_of_every_kind_are_survived_with_checksums_and_without() {
    let folder = std::env::var_os("SANDTRAY_FUZZ_SEEDS");
    let mut dice = Dice(0x0dd_ba11);
    for (number, (name, disk)) in seeds().into_iter().enumerate() {
        let seed = folded(&disk);
        if let Some(folder) = &folder {
            let folder = Path::new(folder).join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("seed-{number}")), &seed).unwrap();
        }
        let (_, reader) = READERS.iter().find(|(reader, _)| *reader == name).unwrap();
        for round in 0..400 {
            let mut input = seed.clone();
            for _ in 0..=dice.below(5) {
                let page = 4 + dice.below(input.len() / (PAGE + 4)) * (PAGE + 4);
                // Most of what matters is at the beginning of a page, its number above all.
                let reach = [8, 160, 1024 + 160, PAGE + 4][dice.below(4)];
                let at = (page + dice.below(reach)).min(input.len() - 1);
                input[at] = match dice.below(4) {
                    0 => 0,
                    1 => 0xff,
                    2 => input[at] ^ (1 << dice.below(8)),
                    _ => dice.below(256) as u8,
                };
            }
            if dice.below(20) == 0 {
                input.truncate(dice.below(input.len()));
            }
            believing(round % 4 != 0, || reader(&input));
        }
    }
}

/// A byte for each two digits, and `(n)` for n zeroes.
fn unpacked(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        if let Some((zeroes, after)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            bytes.resize(bytes.len() + zeroes.parse::<usize>().unwrap(), 0);
            rest = after;
        } else {
            let (byte, after) = rest.split_at(2);
            bytes.push(u8::from_str_radix(byte, 16).unwrap());
            rest = after;
        }
    }
    bytes
}

#[test]
fn what_fuzzing_made_of_the_seeds_is_survived() {
    // One input a line, each of which goes where no other does. What makes a reader fail is added here.
    for (kept, (_, reader)) in [
        include_str!("kept/image.txt"),
        include_str!("kept/table.txt"),
        include_str!("kept/journal.txt"),
        include_str!("kept/vhdx.txt"),
        include_str!("kept/inside.txt"),
    ]
    .into_iter()
    .zip(READERS)
    {
        assert!(!kept.is_empty());
        for line in kept.lines() {
            let input = unpacked(line);
            believing(true, || reader(&input));
            believing(false, || reader(&input));
        }
    }
}

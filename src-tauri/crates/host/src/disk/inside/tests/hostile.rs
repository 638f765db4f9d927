//! Images that lie. Nothing may panic, loop, allocate by somebody else's number, or write outside.

use std::cell::Cell;
use std::fs;
use std::io;

use super::content::Bench;
use crate::disk::checksum::believing;
use crate::disk::fuzz::walk;
use crate::disk::source::{READ_CAP, ReadAt};
use crate::disk::tests::fuzzed::folded;

/// Counts what is read, and gives up where a reader does not.
struct Counted {
    bytes: Vec<u8>,
    read: Cell<u64>,
}

impl ReadAt for Counted {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        assert!(buffer.len() as u64 <= READ_CAP);
        self.read.set(self.read.get() + buffer.len() as u64);
        assert!(
            self.read.get() < 64 * self.bytes.len() as u64,
            "reads for ever"
        );
        self.bytes.read_at(buffer, offset)
    }
}

/// xorshift64*: the same spoilt bytes in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// Reads everything in whatever is left of an image; says whether a sum came out.
fn judge(bytes: &[u8]) -> bool {
    let source = Counted {
        bytes: bytes.to_vec(),
        read: Cell::new(0),
    };
    walk(&source, || source.read.set(0))
}

fn images(test: &str) -> Vec<Vec<u8>> {
    let bench = Bench::new();
    let content = bench.content();
    for home in ["fox", "owl", "elk"] {
        fs::create_dir_all(content.join(home).join("sub/sub")).unwrap();
        for size in [0, 50, 150, 3000, 20_000] {
            fs::write(content.join(home).join(format!("f{size}")), vec![3; size]).unwrap();
        }
        fs::write(content.join(home).join("sub/sub/x"), "x").unwrap();
    }
    let home = content.join("big");
    fs::create_dir(&home).unwrap();
    for number in 0..60 {
        fs::write(
            home.join(format!("a-name-that-fills-a-block-{number:030}")),
            "",
        )
        .unwrap();
    }
    let mut images = Vec::new();
    // Without checksums, or nothing spoilt would get past them.
    for options in [
        "-b 1024 -O ^metadata_csum,^has_journal,^resize_inode -N 128",
        "-b 1024 -O ^metadata_csum,^has_journal,^extents,^64bit,^resize_inode -N 128",
        "-b 1024 -O ^metadata_csum,^has_journal,inline_data,^resize_inode -N 128",
        "-b 1024 -O ^has_journal,^resize_inode -N 128",
    ] {
        match bench.make("1M", options) {
            Ok(()) => images.push(fs::read(bench.image()).unwrap()),
            Err(why) => println!("skipped: {test}: {options}: {why}"),
        }
    }
    images
}

#[test]
fn spoilt_disks_neither_panic_nor_loop() {
    let test = "spoilt_disks_neither_panic_nor_loop";
    let mut dice = Dice(0x5eed);
    for (number, image) in images(test).into_iter().enumerate() {
        assert!(judge(&image));
        if let Some(folder) = std::env::var_os("SANDTRAY_FUZZ_SEEDS") {
            let folder = std::path::Path::new(&folder).join("inside");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("made-{number}")), folded(&image)).unwrap();
        }
        // Where something is: most of a disk is empty.
        let filled: Vec<usize> = (1024..image.len()).filter(|at| image[*at] != 0).collect();
        let mut readable = 0;
        for _ in 0..400 {
            let mut spoilt = image.clone();
            for _ in 0..=dice.below(12) {
                let at = filled[dice.below(filled.len())];
                let at = (at + dice.below(4)).min(spoilt.len() - 1);
                spoilt[at] = [0, 1, 0x7f, 0xff, dice.below(256) as u8][dice.below(5)];
            }
            believing(dice.below(2) == 0, || {
                readable += usize::from(judge(&spoilt))
            });
        }
        assert!(
            readable > 20,
            "{readable}: nothing got as far as the folders"
        );
        for _ in 0..40 {
            judge(&image[..dice.below(image.len())]);
        }
    }
}

#[test]
fn whole_blocks_that_are_swapped_or_zeroed_cost_no_more_than_themselves() {
    let test = "whole_blocks_that_are_swapped_or_zeroed_cost_no_more_than_themselves";
    let mut dice = Dice(0xb10c);
    for image in images(test) {
        let blocks = image.len() / 1024;
        for _ in 0..200 {
            let mut spoilt = image.clone();
            let (one, two) = (2 + dice.below(blocks - 2), 2 + dice.below(blocks - 2));
            let block = image[one * 1024..(one + 1) * 1024].to_vec();
            spoilt[two * 1024..(two + 1) * 1024].copy_from_slice(&block);
            if dice.below(2) == 0 {
                spoilt[one * 1024..(one + 1) * 1024].fill(0);
            }
            believing(dice.below(2) == 0, || {
                judge(&spoilt);
            });
        }
    }
}

//! Images that lie. Nothing may panic, loop, allocate by somebody else's number, or write outside.

use std::cell::Cell;
use std::fs;
use std::io;

use super::content::Bench;
use crate::disk::ext4::Ext4;
use crate::disk::inside::{Options, sum};
use crate::disk::source::{READ_CAP, ReadAt};

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

/// Adds up every folder and reads every file's runs of whatever is left of an image.
fn judge(bytes: &[u8]) -> bool {
    let source = Counted {
        bytes: bytes.to_vec(),
        read: Cell::new(0),
    };
    let Ok(ext4) = Ext4::open(&source) else {
        return false;
    };
    let options = Options::default();
    let path = std::path::Path::new("made-up.img");
    let usage = sum(&ext4, path, b"/", &options);
    for number in 1..200 {
        if let Ok(inode) = ext4.inode(number) {
            for run in ext4.runs(&inode).take(10_000).flatten() {
                let end = run.physical.unwrap_or(1) + run.length;
                assert!(end <= ext4.blocks(), "{run:?}");
            }
            drop((ext4.target(&inode), ext4.inline(&inode)));
            ext4.read_directory(&inode, &mut |_| {}, &mut |_| {});
        }
        source.read.set(0);
    }
    usage.is_ok()
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
    for image in images(test) {
        assert!(judge(&image));
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
            readable += usize::from(judge(&spoilt));
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
            judge(&spoilt);
        }
    }
}

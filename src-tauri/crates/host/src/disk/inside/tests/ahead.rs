//! What is announced is read, soon after, and lies on the disk.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::content::Bench;
use crate::disk::ext4::Ext4;
use crate::disk::inside::{Options, sum};
use crate::disk::source::ReadAt;
use crate::disk::volume::Volume;

/// A disk that writes down what it is asked and told.
struct Listening<'a> {
    disk: &'a dyn ReadAt,
    /// Announced and not read yet.
    open: RefCell<Vec<Range<u64>>>,
    announced: RefCell<u64>,
    furthest: RefCell<u64>,
}

impl ReadAt for Listening<'_> {
    fn length(&self) -> u64 {
        self.disk.length()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset + buffer.len() as u64;
        let mut open = self.open.borrow_mut();
        let waiting: u64 = open.iter().map(|range| range.end - range.start).sum();
        let mut furthest = self.furthest.borrow_mut();
        *furthest = waiting.max(*furthest);
        open.retain(|range| !(offset <= range.start && range.start < end));
        self.disk.read_at(buffer, offset)
    }

    fn announce(&self, offset: u64, length: u64) {
        let end = offset.checked_add(length).unwrap();
        assert!(length > 0 && end <= self.length(), "{offset} {length}");
        *self.announced.borrow_mut() += length;
        self.open.borrow_mut().push(offset..end);
        self.disk.announce(offset, length);
    }
}

#[test]
fn nothing_is_announced_in_vain_or_far_ahead() {
    let bench = Bench::new();
    bench.fill();
    if let Err(why) = bench.make("200M", "") {
        println!("skipped: nothing_is_announced_in_vain_or_far_ahead: {why}");
        return;
    }
    let volume = Volume::open(&bench.image(), 0).unwrap();
    let disk = Listening {
        disk: &volume,
        open: RefCell::default(),
        announced: RefCell::default(),
        furthest: RefCell::default(),
    };
    let ext4 = Ext4::open(&disk).unwrap();
    let usage = sum(&ext4, Path::new("a disk"), b"/", &Options::default()).unwrap();
    assert!(usage.complete, "{:?}", usage.gaps);
    let folders = 60 * 4096;
    assert!(*disk.announced.borrow() > folders, "{:?}", disk.announced);
    assert!(disk.open.borrow().is_empty(), "{:?}", disk.open);
    assert!(*disk.furthest.borrow() < 5 << 20, "{:?}", disk.furthest);
}

//! Disks that change between one look and the next.

use super::made::{self, DESCRIPTORS, SUPERBLOCK, put};
use crate::disk::survey::{Found, look, settled};
use crate::error::Cause;

/// A mounted disk with so many inodes free, and a second one beside it that rests.
fn disk(inodes_free: u8) -> Vec<u8> {
    let mut busy = made::ext4("sessions");
    busy[SUPERBLOCK + 0x3a] = 0;
    put(&mut busy, DESCRIPTORS + 0x0e, &[inodes_free]);
    made::sign_ext4(&mut busy);
    made::gpt(512, &[(1, busy), (2, made::ext4("other"))])
}

/// Settles over looks at these disks in turn; none is one that looks torn. How many looks it took, too.
fn over(disks: &[Option<u8>]) -> (Result<Found, Cause>, usize) {
    let mut looks = 0;
    let found = settled(|| {
        let disk = disks[looks.min(disks.len() - 1)].map(disk);
        looks += 1;
        look(&disk.unwrap_or_else(|| vec![0; 4096])).map(|found| (found, ()))
    });
    (found.map(|(found, ())| found), looks)
}

fn numbers(found: &Found) -> Vec<(u64, bool)> {
    let numbers = |disk: &sandtray_core::disk::Disk| disk.numbers.unwrap();
    let disks = found.disks.iter().map(numbers);
    disks.map(|n| (n.inodes_free, n.stale)).collect()
}

#[test]
fn two_looks_that_agree_are_believed() {
    let (found, looks) = over(&[Some(9)]);
    assert_eq!(
        (numbers(&found.unwrap()), looks),
        (vec![(9, false), (20, false)], 2)
    );
    let (found, looks) = over(&[Some(9), Some(8), None, Some(7), Some(7)]);
    assert_eq!(
        (numbers(&found.unwrap()), looks),
        (vec![(7, false), (20, false)], 5)
    );
}

#[test]
fn a_disk_that_never_rests_is_stale_and_the_one_beside_it_is_not() {
    let (found, looks) = over(&[Some(1), Some(2), Some(3), Some(4), Some(5), Some(6)]);
    let found = found.unwrap();
    assert_eq!((numbers(&found), looks), (vec![(5, true), (20, false)], 5));
    assert!(found.disks[0].problem.is_some());
    assert!(found.disks[1].problem.is_none());
}

#[test]
fn a_look_that_nothing_confirmed_is_stale() {
    let (found, _) = over(&[Some(1), None]);
    let stale: Vec<_> = numbers(&found.unwrap())
        .iter()
        .map(|(_, stale)| *stale)
        .collect();
    assert_eq!(stale, [true, true]);
}

#[test]
fn what_looks_torn_is_looked_at_once_more_and_then_corrupt() {
    let (found, looks) = over(&[None, Some(3)]);
    assert_eq!((numbers(&found.unwrap())[0], looks), ((3, false), 3));
    let (found, looks) = over(&[None]);
    assert!(matches!(found, Err(Cause::Corrupt(_))));
    assert_eq!(looks, 2);
}

//! What lies where: tables, copies of tables, and disks without one.

use sandtray_core::bytes::Bytes;
use sandtray_core::disk::Filesystem;
use sandtray_core::gauge::UnknownReason;
use sandtray_core::time::Time;

use super::made::{self, BLOCK, SUPERBLOCK, put};
use crate::disk::inspect;
use crate::error::Cause;

/// The layout of the guest's system disk: p14 BIOS boot, p15 ESP, p1 root last (facts of the VM, §1.3).
fn cloud_image(sector: usize) -> Vec<u8> {
    made::gpt(
        sector,
        &[
            (14, vec![0; 4 * 4096]),
            (15, made::vfat(8 * 4096)),
            (1, made::ext4("cloudimg-rootfs")),
        ],
    )
}

fn corrupt(image: &Vec<u8>) -> String {
    match inspect(image) {
        Err(Cause::Corrupt(text)) => text,
        other => panic!("{other:?} instead of corrupt"),
    }
}

#[test]
fn a_disk_without_a_table_is_one_filesystem_with_the_guests_own_numbers() {
    let disks = inspect(&made::ext4("sessions")).unwrap();
    let [disk] = &*disks else { panic!("{disks:?}") };
    assert_eq!((disk.index, disk.filesystem), (0, Filesystem::Ext4));
    assert_eq!(disk.label.as_deref(), Some("sessions"));
    assert_eq!(
        disk.uuid.as_deref(),
        Some("abababab-abab-abab-abab-abababababab")
    );
    let numbers = disk.numbers.as_ref().unwrap();
    let kib = |blocks: u64| Bytes(blocks * BLOCK as u64);
    // Boot block, superblock, descriptors, two bitmaps, four blocks of inodes, the journal.
    assert_eq!(numbers.size, kib(256 - 1 - 1 - 1 - 2 - 4 - 64));
    assert_eq!(numbers.used, kib(183 - 100));
    assert_eq!(numbers.reserved, kib(12));
    assert_eq!(numbers.available, kib(100 - 12 - 5));
    assert_eq!((numbers.inodes, numbers.inodes_free), (32, 20));
    assert!(numbers.clean);
    assert_eq!(numbers.as_of, Some(Time(1_767_225_600)));
}

#[test]
fn the_root_is_found_though_it_is_neither_first_nor_at_a_fixed_place() {
    for sector in [512, 4096] {
        let disks = inspect(&cloud_image(sector)).unwrap();
        let seen: Vec<_> = disks
            .iter()
            .map(|disk| (disk.index, disk.filesystem, disk.label.as_deref()))
            .collect();
        assert_eq!(
            seen,
            [
                (1, Filesystem::Ext4, Some("cloudimg-rootfs")),
                (14, Filesystem::Unknown, None),
                (15, Filesystem::Vfat, Some("UEFI")),
            ]
        );
        assert!(disks[0].numbers.is_some());
        assert_eq!(disks[1].level(), Err(UnknownReason::Unsupported));
        assert_eq!(disks[2].uuid.as_deref(), Some("1234-5678"));
    }
}

#[test]
fn a_broken_table_gives_way_to_its_copy_at_the_end() {
    for sector in [512, 4096] {
        let whole = inspect(&cloud_image(sector)).unwrap();
        for at in [sector + 20, sector + 40, 2 * sector + 3, sector] {
            let mut image = cloud_image(sector);
            image[at] ^= 0x10;
            assert_eq!(inspect(&image).unwrap(), whole, "byte {at}");
        }
        let mut image = cloud_image(sector);
        let last = image.len() - sector;
        image[sector + 20] ^= 1;
        image[last + 20] ^= 1;
        assert!(corrupt(&image).contains("GPT"));
    }
}

#[test]
fn partitions_that_overlap_or_leave_the_disk_are_corrupt_whatever_their_checksums_say() {
    for (entry, field, value) in [
        (0, 40, u64::MAX),
        (0, 40, 1 << 40),
        (0, 32, 40),
        (14, 40, 200),
    ] {
        let mut image = cloud_image(512);
        let last = image.len() / 512 - 1;
        for (header, entries) in [(1, 2), (last, last - 4)] {
            put(
                &mut image,
                entries * 512 + entry * 128 + field,
                &u64::to_le_bytes(value),
            );
            made::sign_gpt(&mut image, 512, header);
        }
        corrupt(&image);
    }
}

#[test]
fn an_old_copy_of_a_table_does_not_hide_a_filesystem_made_over_it() {
    let mut image = made::ext4("sessions");
    let table = cloud_image(512);
    let tail = table.len() - 5 * 512;
    let at = image.len() - 5 * 512;
    put(&mut image, at, &table[tail..]);
    assert_eq!(inspect(&image).unwrap()[0].index, 0);
}

#[test]
fn classic_tables_are_read_too() {
    let disks = inspect(&made::mbr(&[made::vfat(4096), made::ext4("root")])).unwrap();
    let seen: Vec<_> = disks.iter().map(|d| (d.index, d.filesystem)).collect();
    assert_eq!(seen, [(1, Filesystem::Vfat), (2, Filesystem::Ext4)]);
    let mut image = made::mbr(&[made::ext4("root")]);
    image.truncate(100_000);
    assert!(corrupt(&image).contains("partition 1"));
}

#[test]
fn a_whole_disk_of_another_kind_is_named() {
    let disks = inspect(&made::vfat(8192)).unwrap();
    assert_eq!((disks[0].index, disks[0].filesystem), (0, Filesystem::Vfat));
    assert_eq!(disks[0].level(), Err(UnknownReason::Unsupported));
}

#[test]
fn formats_that_are_not_read_are_named_and_not_called_corrupt() {
    for (signature, name) in [
        (&b"conectix"[..], "VHD"),
        (b"KDMV", "VMDK"),
        (b"QFI\xfb\0\0\0\x03", "qcow2"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
    ] {
        let mut image = vec![0; 65_536];
        put(&mut image, 0, signature);
        match inspect(&image) {
            Err(Cause::Unsupported(text)) => assert!(text.contains(name), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn one_broken_filesystem_does_not_hide_the_others() {
    let mut broken = made::ext4("cloudimg-rootfs");
    broken[made::DESCRIPTORS + 0x0c] ^= 1;
    let disks = inspect(&made::gpt(
        512,
        &[(1, broken.clone()), (16, made::ext4("BOOT"))],
    ))
    .unwrap();
    assert_eq!(disks[0].level(), Err(UnknownReason::Corrupt));
    assert_eq!(disks[0].label.as_deref(), Some("cloudimg-rootfs"));
    assert!(disks[1].level().is_ok());
    let alone = made::gpt(512, &[(1, broken), (15, made::vfat(4096))]);
    assert!(corrupt(&alone).contains("group 0"));
}

#[test]
fn a_mounted_or_damaged_filesystem_is_not_called_clean() {
    for (at, value) in [(0x3a, 0_u8), (0x3a, 3), (0x60, 0xc6)] {
        let mut image = made::ext4("sessions");
        image[SUPERBLOCK + at] = value;
        made::sign_ext4(&mut image);
        let disks = inspect(&image).unwrap();
        assert!(!disks[0].numbers.as_ref().unwrap().clean);
    }
}

#[test]
fn labels_cannot_speak_to_a_terminal() {
    let disks = inspect(&made::ext4("\x1b[2Jx")).unwrap();
    assert_eq!(disks[0].label.as_deref(), Some("\u{fffd}[2Jx"));
}

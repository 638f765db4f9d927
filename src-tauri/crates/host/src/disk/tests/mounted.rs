//! The same numbers as the kernel's, to the byte: real filesystems by `mke2fs`, mounted for real.
//!
//! Mounts live in a mount namespace of their own and end with it. Where mounting is not allowed, what
//! `dumpe2fs` knows is compared instead, and the test says that it was skipped in part.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::bench::{Bench, Statfs, numbers, tool};
use super::made;
use crate::disk::read;

const VARIANTS: &[(&str, &str)] = &[
    ("16M", ""),
    ("16M", "-b 1024"),
    ("64M", "-b 2048 -m 0"),
    ("100001k", "-b 1024 -m 1.7"),
    ("200M", "-O ^64bit"),
    ("200M", "-O ^metadata_csum,uninit_bg"),
    ("200M", "-O ^metadata_csum,^uninit_bg,^64bit"),
    ("300M", "-O ^has_journal -m 0"),
    ("300M", "-O ^sparse_super,^resize_inode"),
    ("300M", "-b 1024 -O meta_bg,^resize_inode"),
    (
        "1G",
        "-b 1024 -O meta_bg,^resize_inode,^64bit,^metadata_csum",
    ),
    ("3G", "-O sparse_super2"),
    ("300M", "-b 1024 -O sparse_super2 -E num_backup_sb=1"),
    ("1G", "-O bigalloc -C 65536"),
    ("1G", "-b 1024 -O bigalloc -C 8192"),
    ("1G", "-O ^extents,^64bit,^flex_bg"),
    ("1G", "-O ^flex_bg -I 128"),
    ("1G", "-J size=200 -i 4096"),
    ("2G", "-b 1024 -g 1024"),
    ("2G", "-O metadata_csum_seed,quota,project -m 5"),
    ("9G", "-m 0"),
    ("10G", ""),
    ("10G", "-b 2048 -m 10"),
    ("10G", "-E resize=400G"),
];

#[test]
fn numbers_equal_the_kernels_statfs_on_every_kind_of_filesystem() {
    let name = "numbers_equal_the_kernels_statfs_on_every_kind_of_filesystem";
    let bench = Bench::new();
    let mut refused = None;
    for (size, options) in VARIANTS {
        if let Err(why) = bench.make(size, options) {
            println!("skipped: {name}: {size} {options}: {why}");
            continue;
        }
        let numbers = numbers(&bench.image);
        assert!(numbers.clean);
        let ours = Statfs::of(&numbers);
        match bench.statfs("") {
            Ok(kernel) => assert_eq!(ours, kernel, "{size} {options}"),
            Err(why) => {
                let available = 0;
                let ours = Statfs { available, ..ours };
                assert_eq!(ours, bench.dumpe2fs(), "{size} {options}");
                refused = Some(why);
            }
        }
    }
    if let Some(why) = refused {
        println!("skipped: {name}: {why}; compared with dumpe2fs only");
    }
}

#[test]
fn overhead_that_mke2fs_did_not_store_is_counted_as_the_kernel_does() {
    let name = "overhead_that_mke2fs_did_not_store_is_counted_as_the_kernel_does";
    let bench = Bench::new();
    for (size, options) in [
        ("1G", "-O bigalloc -C 65536"),
        ("1G", "-b 1024 -O bigalloc -C 8192 -J size=30"),
        ("4G", "-O bigalloc,^has_journal -C 16384"),
        ("4G", "-O bigalloc,^flex_bg,sparse_super2 -C 32768"),
    ] {
        let zeroed = bench.make(size, options).and_then(|()| {
            let status = tool("debugfs")
                .args(["-w", "-R", "ssv overhead_blocks 0"])
                .arg(&bench.image)
                .stderr(Stdio::null())
                .status();
            status.map_err(|error| error.to_string())
        });
        match zeroed.and_then(|_| bench.statfs("")) {
            Ok(kernel) => {
                let ours = Statfs::of(&numbers(&bench.image));
                assert_eq!(ours, kernel, "{size} {options}");
            }
            Err(why) => {
                println!("skipped: {name}: {why}");
                return;
            }
        }
    }
}

#[test]
fn a_full_filesystem_has_nothing_available_though_half_a_gigabyte_is_free() {
    let name = "a_full_filesystem_has_nothing_available_though_half_a_gigabyte_is_free";
    let bench = Bench::new();
    fs::write(bench.content().join("filling"), vec![1; 57 << 20]).unwrap();
    match bench
        .make("64M", "-O ^has_journal -m 8")
        .and_then(|()| bench.statfs(""))
    {
        Ok(kernel) => {
            let numbers = numbers(&bench.image);
            assert_eq!(Statfs::of(&numbers), kernel);
            assert_eq!(numbers.available.0, 0);
            assert!(numbers.used < numbers.size);
            assert_eq!(numbers.level().percent(), 100.0);
        }
        Err(why) => println!("skipped: {name}: {why}"),
    }
}

#[test]
fn a_disk_that_is_mounted_and_written_shows_what_was_synced_and_is_not_clean() {
    let name = "a_disk_that_is_mounted_and_written_shows_what_was_synced_and_is_not_clean";
    let bench = Bench::new();
    if let Err(why) = bench.make("300M", "-E lazy_itable_init=0") {
        println!("skipped: {name}: {why}");
        return;
    }
    let before = numbers(&bench.image);
    // Nothing else may write: a thread that fills in inode tables keeps the descriptors in its transactions, and
    // what is only in the journal is not seen yet.
    let script = "mount -t ext4 -o loop,noinit_itable \"$1\" \"$2\"; mkdir \"$2/new\"
        for n in 1 2 3 4 5 6 7 8 9; do head -c ${n}000000 /dev/zero > \"$2/new/$n\"; done
        rm -r \"$2/session-39\" \"$2/new/3\"; sync; stat -f -c '%S %b %f %a %c %d' \"$2\"; read end";
    let mut child = bench
        .script(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let during = (!line.is_empty()).then(|| numbers(&bench.image));
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(b"\n")));
    let output = child.wait_with_output().unwrap();
    let Some(during) = during else {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        println!("skipped: {name}: {why}");
        return;
    };
    assert_eq!(Statfs::of(&during), Statfs::parse(&line));
    assert!(during.used.0 > before.used.0 + 40_000_000);
    assert!(!during.clean);
    assert!(during.as_of >= before.as_of);
    let after = numbers(&bench.image);
    assert!(after.clean);
    assert_eq!(after.used, during.used);
}

#[test]
fn the_root_of_a_partitioned_disk_has_the_numbers_of_its_mount() {
    let name = "the_root_of_a_partitioned_disk_has_the_numbers_of_its_mount";
    let bench = Bench::new();
    if let Err(why) = bench.make("24M", "-L cloudimg-rootfs") {
        println!("skipped: {name}: {why}");
        return;
    }
    let root = fs::read(&bench.image).unwrap();
    let disk = made::gpt(
        512,
        &[(14, vec![0; 4 << 20]), (15, made::vfat(2 << 20)), (1, root)],
    );
    fs::write(&bench.image, disk).unwrap();
    let image = read(&bench.image).unwrap();
    let root = image.system_disk().unwrap();
    assert_eq!(
        (root.index, root.label.as_deref()),
        (1, Some("cloudimg-rootfs"))
    );
    assert!(root.start.0 > 6 << 20);
    let options = format!(",offset={},sizelimit={}", root.start.0, root.length.0);
    match bench.statfs(&options) {
        Ok(kernel) => assert_eq!(Statfs::of(root.numbers.as_ref().unwrap()), kernel),
        Err(why) => println!("skipped: {name}: {why}"),
    }
}

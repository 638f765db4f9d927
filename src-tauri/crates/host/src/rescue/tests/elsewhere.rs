//! Targets that are not like the disk: smaller than they say, and without half of what Linux files have.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use sandtray_core::rescue::{Receipt, SkipReason};

use super::{Options, Outcome, copy, rescued};
use crate::disk::inside::tests::Bench;

const TARGET: &str = "SANDTRAY_TEST_TARGET";

/// Runs the test `name` once more, as a child that finds the target's folder in [`TARGET`]: a mount that
/// `script` makes at `$2` in a namespace that ends with the child.
fn once_more(name: &str, bench: &Bench, script: &str) {
    // In a process namespace too: a filesystem that is a program ends with it.
    let script = format!(
        "exec unshare --pid --fork --kill-child sh -ec '{script}
        {TARGET}=\"$2\" \"$3\" --exact --nocapture \"$4\" || echo FAILED
        umount \"$2\"' sh \"$1\" \"$2\" \"$3\" \"$4\""
    );
    let full = format!("rescue::tests::elsewhere::{name}");
    let output = bench
        .script(&script)
        .arg(std::env::current_exe().unwrap())
        .arg(full)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    assert!(!said.contains("FAILED"), "{said}{why}");
    if !said.contains("1 passed") {
        println!("skipped: {name}: {why}");
    }
}

/// The contents of every file below a folder, sorted.
fn contents(folder: &Path) -> Vec<Vec<u8>> {
    let files = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    let mut contents: Vec<_> = files.map(|entry| fs::read(entry.path()).unwrap()).collect();
    contents.sort_unstable();
    contents
}

#[test]
fn a_target_that_fills_on_the_way_ends_the_copy_with_whole_files_only() {
    let test = "a_target_that_fills_on_the_way_ends_the_copy_with_whole_files_only";
    let bench = Bench::new();
    let home = bench.content().join("home");
    fs::create_dir(&home).unwrap();
    for number in 0..300_u32 {
        fs::write(home.join(format!("file-{number:03}")), [number as u8; 5000]).unwrap();
    }
    if let Err(why) = bench.make("32M", "") {
        println!("skipped: {test}: {why}");
        return;
    }
    if let Some(target) = std::env::var_os(TARGET) {
        let target = Path::new(&target).join("out");
        let receipt = rescued(&bench.image(), "/", &target);
        let stopped = receipt.stopped.as_deref().unwrap_or_default();
        assert!(stopped.contains("No space left"), "{receipt:?}");
        assert!(!receipt.complete && !receipt.cancelled);
        // One refusal, and not one for each of the files that would have followed.
        assert_eq!(receipt.failed, 1, "{receipt:?}");
        assert!(receipt.failures[0].path.path.starts_with("/home/file-"));
        assert!((50..250).contains(&receipt.files), "{receipt:?}");
        let came_out = contents(&target);
        assert_eq!(came_out.len() as u64, receipt.files);
        for content in came_out {
            assert!(content.len() == 5000 && content.iter().all(|byte| *byte == content[0]));
        }
        return;
    }
    // Every file takes a cluster of 64 KiB there, which nobody can know beforehand: three megabytes become
    // twenty.
    let script = "truncate -s 12M $BENCH/target.img
        PATH=$PATH:/usr/sbin:/sbin
        mkfs.ext4 -q -F -N 1000 -O bigalloc,^has_journal -C 65536 $BENCH/target.img
        mount -o loop $BENCH/target.img \"$2\"";
    once_more(test, &bench, script);
}

#[test]
fn a_target_with_the_names_of_windows_and_no_links_takes_every_content() {
    let test = "a_target_with_the_names_of_windows_and_no_links_takes_every_content";
    let bench = Bench::new();
    bench.fill();
    let twins = bench.content().join("twins");
    fs::create_dir(&twins).unwrap();
    fs::write(twins.join("README"), "large").unwrap();
    fs::write(twins.join("readme"), "small").unwrap();
    if let Err(why) = bench.make("200M", "") {
        println!("skipped: {test}: {why}");
        return;
    }
    if let Some(target) = std::env::var_os(TARGET) {
        on_exfat(&bench, &Path::new(&target).join("out"));
        return;
    }
    let script = "PATH=$PATH:/usr/sbin:/sbin
        truncate -s 200M $BENCH/target.img; mkfs.exfat $BENCH/target.img > /dev/null
        device=$(losetup --find --show $BENCH/target.img)
        mount.exfat-fuse $device \"$2\" > /dev/null || { losetup -d $device; exit 1; }
        losetup -d $device";
    once_more(test, &bench, script);
}

fn on_exfat(bench: &Bench, target: &Path) {
    // Not the folder of 1,500 names: this filesystem is slow.
    let folders = ["home-03", "links", "names", "sparse", "twins"];
    let paths = folders.map(|name| format!("/{name}").into_bytes());
    let receipt = match copy(&bench.image(), &paths, target, &Options::default()) {
        Ok(Outcome::Done(receipt)) => receipt,
        other => panic!("{other:?}"),
    };
    assert!(receipt.complete, "{receipt:?}");
    assert_eq!((receipt.failed, receipt.stopped.as_deref()), (0, None));
    // Further names become files of their own.
    assert_eq!((receipt.hard_links, receipt.symlinks), (0, 0));
    for name in folders {
        let went_in = contents(&bench.content().join(name));
        assert_eq!(contents(&target.join(name)), went_in, "{name}");
    }
    let left_out: Vec<(&str, SkipReason)> = receipt
        .skips
        .iter()
        .map(|skip| (skip.path.path.as_str(), skip.reason))
        .collect();
    assert_eq!(
        left_out,
        [
            ("/links/absolute", SkipReason::LinkLeadsOut),
            ("/links/escaping", SkipReason::LinkLeadsOut),
            ("/links/fast", SkipReason::LinkNotHeld),
            ("/links/fifo", SkipReason::SpecialFile),
            ("/links/long", SkipReason::LinkNotHeld),
            ("/links/socket", SkipReason::SpecialFile),
            ("/links/tricky", SkipReason::LinkLeadsOut),
            ("/links/up", SkipReason::LinkLeadsOut),
        ]
    );
    let renamed = |path: &str| renamed(&receipt, path);
    assert_eq!(renamed("/names/a:b"), Some("a_b"));
    assert_eq!(renamed("/names/new\nline"), Some("new_line"));
    assert_eq!(renamed("/names/not\u{fffd}text"), Some("not\u{fffd}text"));
    assert_eq!(renamed("/names/a space"), None);
    assert_eq!(renamed("/twins/readme"), Some("readme~2"));
    assert_eq!(fs::read(target.join("twins/readme~2")).unwrap(), b"small");
    assert_eq!(fs::read(target.join("names/a_b")).unwrap(), b"a:b");
}

fn renamed<'a>(receipt: &'a Receipt, path: &str) -> Option<&'a str> {
    let mut renames = receipt.renames.iter();
    let rename = renames.find(|rename| rename.path.path == path)?;
    Some(&rename.name)
}

#[test]
fn what_is_encrypted_is_left_out_and_said_to_be_and_counted_all_the_same() {
    let test = "what_is_encrypted_is_left_out_and_said_to_be_and_counted_all_the_same";
    let bench = Bench::new();
    bench.fill();
    if let Err(why) = bench.make("200M", "-O encrypt") {
        println!("skipped: {test}: {why}");
        return;
    }
    let options = crate::disk::inside::Options::default();
    let before = crate::disk::inside::usage(&bench.image(), b"/", &options).unwrap();
    // Extents and encrypted. What is in them is no cipher text, which nobody without the key can tell.
    for path in ["/home-05", "/home-05/file-5000", "/home-06/file-70000"] {
        bench
            .debugfs(&format!("sif {path} flags 0x80800"), true)
            .unwrap();
    }
    let after = crate::disk::inside::usage(&bench.image(), b"/", &options).unwrap();
    assert!(after.complete, "{:?}", after.gaps);
    assert_eq!(after.entries, before.entries);
    let inside = crate::disk::inside::usage(&bench.image(), b"/home-05", &options).unwrap();
    assert!(
        inside.entries.iter().all(|entry| entry.encrypted),
        "{inside:?}"
    );

    let target = bench.path("out");
    let receipt = rescued(&bench.image(), "/", &target);
    let encrypted: Vec<&str> = receipt
        .skips
        .iter()
        .filter(|skip| skip.reason == SkipReason::Encrypted)
        .map(|skip| skip.path.path.as_str())
        .collect();
    assert_eq!(encrypted, ["/home-05", "/home-06/file-70000"]);
    assert!(!target.join("home-05").exists());
    assert!(!target.join("home-06/file-70000").exists());
    assert!(target.join("home-06/file-5000").exists());
    assert!(target.join("home-07/file-5000").exists());
}

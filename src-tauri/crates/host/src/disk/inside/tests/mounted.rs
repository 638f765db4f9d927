//! The same sizes, names and attributes as on a mount, to the byte.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;

use sandtray_core::inside::Usage;

use super::content::{Bench, said};
use crate::disk::inside::{Options, list, usage};

const VARIANTS: &[(&str, &str)] = &[
    ("200M", ""),
    ("100M", "-b 1024"),
    ("200M", "-b 2048 -I 128"),
    ("200M", "-O ^extents,^64bit"),
    ("100M", "-b 1024 -O ^extents,^64bit,^has_journal"),
    ("200M", "-O inline_data -I 512"),
    ("100M", "-b 1024 -O inline_data"),
    ("1G", "-O bigalloc -C 16384"),
    ("200M", "-O ^64bit,^metadata_csum"),
    ("200M", "-O ^metadata_csum,uninit_bg"),
    ("200M", "-O ^dir_index"),
    ("200M", "-O ^filetype"),
    ("200M", "-O ea_inode,large_dir"),
    ("100M", "-b 1024 -O meta_bg,^resize_inode"),
    ("200M", "-O ^flex_bg"),
    ("200M", "-O metadata_csum_seed"),
    ("200M", "-O orphan_file,encrypt,verity"),
];

/// What not every kernel mounts.
const UNMOUNTED: &[(&str, &str)] = &[("200M", "-O casefold"), ("200M", "-O quota,project")];

/// Blocks, length, inode, owner, change and names below, by name.
type Children = BTreeMap<Vec<u8>, (u64, u64, u32, u32, i64, u64)>;

fn ours(usage: &Usage) -> Children {
    let entries = usage.entries.iter().map(|entry| {
        let numbers = (
            entry.allocated.0,
            entry.apparent.0,
            entry.inode,
            entry.uid,
            entry.mtime.0,
            entry.entries,
        );
        (entry.name.clone(), numbers)
    });
    entries.collect()
}

/// The same by `du`, `stat` and `find`; children in the order of their names, in one run, so that what
/// has several names counts with the first.
const SCRIPT: &str = r#"
    find . -mindepth 1 -maxdepth 1 -print0 | LC_ALL=C sort -z > "$BENCH/names"
    du -0 -s -B1 --files0-from="$BENCH/names"; printf '\0'
    du -0 -s -B1 --apparent-size --files0-from="$BENCH/names"; printf '\0'
    while IFS= read -r -d '' name; do
        stat --printf '%i %u %Y ' "$name"; find "$name" -mindepth 1 -printf x; printf '\0'
    done < "$BENCH/names"
    printf '\0'; cat "$BENCH/names"; rm "$BENCH/names"
"#;

fn theirs(bytes: &[u8]) -> Children {
    let mut parts = Vec::new();
    let mut rest = bytes;
    for _ in 0..3 {
        let end = rest.windows(2).position(|pair| pair == [0, 0]).unwrap();
        parts.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    let names: Vec<&[u8]> = rest
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .collect();
    let sizes = |part: &[u8]| -> BTreeMap<Vec<u8>, u64> {
        let lines = part.split(|byte| *byte == 0).map(|line| {
            let tab = line.iter().position(|byte| *byte == b'\t').unwrap();
            let size = str::from_utf8(&line[..tab]).unwrap().parse().unwrap();
            (line[tab + 1..].to_vec(), size)
        });
        lines.collect()
    };
    let (allocated, apparent) = (sizes(parts[0]), sizes(parts[1]));
    let stats = parts[2].split(|byte| *byte == 0);
    let children = names.iter().zip(stats).map(|(name, stat)| {
        let text = str::from_utf8(stat).unwrap();
        let mut fields = text.split(' ');
        let mut number = || fields.next().unwrap().parse::<i64>().unwrap();
        let (inode, uid, mtime) = (number(), number(), number());
        let below = text.bytes().filter(|byte| *byte == b'x').count();
        let of = |sizes: &BTreeMap<Vec<u8>, u64>| sizes.get(*name).copied().unwrap_or(0);
        let numbers = (
            of(&allocated),
            of(&apparent),
            inode as u32,
            uid as u32,
            mtime,
            below as u64,
        );
        (name[2..].to_vec(), numbers)
    });
    children.collect()
}

#[test]
fn sizes_equal_those_of_du_on_a_mount_of_every_kind_of_filesystem() {
    let test = "sizes_equal_those_of_du_on_a_mount_of_every_kind_of_filesystem";
    let bench = Bench::new();
    bench.fill();
    for (size, options) in VARIANTS {
        if let Err(why) = bench.make(size, options) {
            println!("skipped: {test}: {size} {options}: {why}");
            continue;
        }
        for path in ["/", "/links", "/home-03/sub", "/names", "/deep/d/d"] {
            let usage = usage(&bench.image(), path.as_bytes(), &Options::default())
                .unwrap_or_else(|failure| panic!("{options}: {failure}"));
            assert!(usage.complete, "{options} {path}: {:?}", usage.gaps);
            assert_eq!(
                (usage.orphans.count, usage.unreached.count),
                (0, 0),
                "{options}"
            );
            let sum: u64 = usage.entries.iter().map(|entry| entry.allocated.0).sum();
            assert!(usage.allocated.0 >= sum);
            let script = format!("cd .{path}; {SCRIPT}").replace("sh -ec", "bash -ec");
            match bench.mounted(&format!(
                "exec bash -ec '{}'",
                script.replace('\'', "'\\''")
            )) {
                Ok(bytes) => assert_eq!(ours(&usage), theirs(&bytes), "{options} {path}"),
                Err(why) => {
                    println!(
                        "skipped: {test}: {why}; compared with the folder it was made of only"
                    );
                    same_as_content(&bench, path, &usage);
                }
            }
        }
    }
}

/// Where nothing can be mounted: names and lengths of files as in the folder the disk was made of.
fn same_as_content(bench: &Bench, path: &str, usage: &Usage) {
    let folder = bench.content().join(&path[1..]);
    for child in fs::read_dir(folder).unwrap() {
        use std::os::unix::{ffi::OsStrExt, fs::MetadataExt};
        let child = child.unwrap();
        let name = child.file_name();
        let entry = usage
            .entries
            .iter()
            .find(|entry| entry.name == name.as_bytes());
        let metadata = child.metadata().unwrap();
        // A file with several names counts with the first of them.
        if metadata.is_file() && metadata.nlink() == 1 {
            assert_eq!(entry.unwrap().apparent.0, metadata.len(), "{name:?}");
        }
        assert!(entry.is_some(), "{name:?}");
    }
}

#[test]
fn folders_that_ignore_case_and_hidden_quota_files_are_read_like_others() {
    let test = "folders_that_ignore_case_and_hidden_quota_files_are_read_like_others";
    let bench = Bench::new();
    bench.fill();
    for (size, options) in UNMOUNTED {
        if let Err(why) = bench.make(size, options) {
            println!("skipped: {test}: {size} {options}: {why}");
            continue;
        }
        for path in ["/", "/links", "/home-03/sub", "/names"] {
            let usage = usage(&bench.image(), path.as_bytes(), &Options::default()).unwrap();
            assert!(usage.complete, "{options} {path}: {:?}", usage.gaps);
            assert_eq!(
                (usage.orphans.count, usage.unreached.count),
                (0, 0),
                "{options}"
            );
            same_as_content(&bench, path, &usage);
        }
    }
}

#[test]
fn names_modes_and_targets_equal_those_on_a_mount() {
    let test = "names_modes_and_targets_equal_those_on_a_mount";
    let bench = Bench::new();
    bench.fill();
    for (size, options) in [
        ("200M", ""),
        ("200M", "-O inline_data"),
        ("300M", "-b 1024 -O ^extents,^64bit"),
    ] {
        if let Err(why) = bench.make(size, options) {
            println!("skipped: {test}: {size} {options}: {why}");
            continue;
        }
        let view = list(&bench.image(), b"links").unwrap();
        assert!(view.complete);
        let mut ours: Vec<String> = view
            .entries
            .iter()
            .map(|item| {
                let name = item.path.path.strip_prefix("/links/").unwrap();
                let target = item.target.as_ref().map_or("", |target| &target.path);
                format!(
                    "{name} {:x} {} {} {} {} {} {} {target}",
                    item.mode,
                    item.uid,
                    item.gid,
                    item.size.0,
                    item.allocated.0 / 512,
                    item.mtime.0,
                    item.links
                )
            })
            .collect();
        ours.sort_unstable();
        let script = "cd links; for n in *; do
            printf '%s ' \"$n\"; stat --printf '%f %u %g %s %b %Y %h ' \"$n\"; readlink \"$n\" || echo; done";
        match bench.mounted(script) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).unwrap();
                let mut theirs: Vec<String> = text.lines().map(str::to_owned).collect();
                theirs.sort_unstable();
                assert_eq!(ours, theirs, "{options}");
            }
            Err(why) => println!("skipped: {test}: {why}"),
        }
    }
}

#[test]
fn a_hashed_folder_of_20_000_names_is_read_whole() {
    let test = "a_hashed_folder_of_20_000_names_is_read_whole";
    let bench = Bench::new();
    // The kernel makes the index; mke2fs makes a plain folder.
    let script = "mount -t ext4 -o loop \"$1\" \"$2\"; mkdir \"$2/home\"; cd \"$2/home\"
        seq -f leftover-with-a-name-%06g 1 20000 | xargs touch; rm leftover-with-a-name-0000*";
    let made = bench
        .make("200M", "-b 1024 -N 30000")
        .and_then(|()| said(bench.script(script).output().unwrap()));
    if let Err(why) = made {
        println!("skipped: {test}: {why}");
        return;
    }
    let stat = bench.debugfs("htree_dump /home", false).unwrap();
    assert!(stat.contains("Indirect levels: 1"), "{stat}");
    let usage = usage(&bench.image(), b"/", &Options::default()).unwrap();
    assert!(usage.complete, "{:?}", usage.gaps);
    let home = usage
        .entries
        .iter()
        .find(|entry| entry.name == b"home")
        .unwrap();
    assert_eq!(home.entries, 19_901);
    let view = list(&bench.image(), b"/home").unwrap();
    assert!(view.complete);
    let names: std::collections::BTreeSet<&str> = view
        .entries
        .iter()
        .map(|item| item.path.path.as_str())
        .collect();
    assert_eq!(names.len(), 19_901);
    assert!(names.contains("/home/leftover-with-a-name-020000"));
}

#[test]
fn a_vhdx_holds_the_same_as_the_disk_it_was_made_of() {
    let test = "a_vhdx_holds_the_same_as_the_disk_it_was_made_of";
    let bench = Bench::new();
    bench.fill();
    if let Err(why) = bench.make("200M", "") {
        println!("skipped: {test}: {why}");
        return;
    }
    let raw = usage(&bench.image(), b"/", &Options::default()).unwrap();
    let vhdx = bench.path("sessiondata.vhdx");
    let converted = std::process::Command::new("qemu-img")
        .args(["convert", "-q", "-f", "raw", "-O", "vhdx"])
        .args([bench.image(), vhdx.clone()])
        .output();
    match converted {
        Ok(output) if output.status.success() => {
            assert_eq!(usage(&vhdx, b"/", &Options::default()).unwrap(), raw);
            assert_eq!(
                list(&vhdx, b"/links").unwrap(),
                list(&bench.image(), b"/links").unwrap()
            );
        }
        other => println!("skipped: {test}: no qemu-img ({other:?})"),
    }
}

#[test]
fn what_is_not_there_is_not_found_and_what_is_no_folder_is_said_to_be_none() {
    let test = "what_is_not_there_is_not_found_and_what_is_no_folder_is_said_to_be_none";
    let bench = Bench::new();
    bench.fill();
    if let Err(why) = bench.make("100M", "") {
        println!("skipped: {test}: {why}");
        return;
    }
    for (path, text) in [
        ("/nobody", "cannot look inside the disk image"),
        ("/home-00/file-59/x", "cannot look inside the disk image"),
        ("/home-00/file-59", "not a directory"),
        // Links are the guest's and are not followed.
        ("/links/up/sub", "not a directory"),
    ] {
        let failure = usage(&bench.image(), path.as_bytes(), &Options::default()).unwrap_err();
        assert!(
            failure.to_string().to_lowercase().contains(text),
            "{path}: {failure}"
        );
    }
    let options = Options::default();
    options.cancel.cancel();
    let stopped = usage(&bench.image(), b"/", &options).unwrap();
    assert!(stopped.cancelled && !stopped.complete);
}

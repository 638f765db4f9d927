//! What comes out of a disk is what went in, and nothing lands elsewhere.

mod elsewhere;

use std::fs;
use std::path::Path;

use sandtray_core::rescue::{Receipt, Refusal, SkipReason};

use super::{Options, Outcome, copy};
use crate::disk::inside::tests::Bench;

fn rescued(image: &Path, path: &str, target: &Path) -> Receipt {
    match copy(
        image,
        &[path.as_bytes().to_vec()],
        target,
        &Options::default(),
    ) {
        Ok(Outcome::Done(receipt)) => receipt,
        other => panic!("{other:?}"),
    }
}

fn made(test: &str, options: &str) -> Option<Bench> {
    let bench = Bench::new();
    bench.fill();
    match bench.make("200M", options) {
        Ok(()) => Some(bench),
        Err(why) => {
            println!("skipped: {test}: {options}: {why}");
            None
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::collections::BTreeMap;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::PathBuf;

    use super::*;

    /// Kind, permissions, length, time and contents (or target) by path.
    type Tree = BTreeMap<PathBuf, (String, u32, u64, i64, Vec<u8>)>;

    fn tree(root: &Path) -> Tree {
        let mut tree = Tree::new();
        for entry in walkdir::WalkDir::new(root).min_depth(1) {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let kind = metadata.file_type();
            let (kind, contents) = if kind.is_dir() {
                ("dir", Vec::new())
            } else if kind.is_file() {
                ("file", fs::read(entry.path()).unwrap())
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap();
                ("link", target.as_os_str().as_encoded_bytes().to_vec())
            } else {
                ("special", Vec::new())
            };
            let path = entry.path().strip_prefix(root).unwrap().to_owned();
            let size = if kind == "dir" { 0 } else { metadata.len() };
            let mode = metadata.mode() & 0o777;
            tree.insert(
                path,
                (kind.to_owned(), mode, size, metadata.mtime(), contents),
            );
        }
        tree
    }

    #[test]
    fn a_whole_disk_comes_out_as_it_went_in() {
        let test = "a_whole_disk_comes_out_as_it_went_in";
        for options in [
            "",
            "-O inline_data",
            "-b 1024 -O ^extents,^64bit",
            "-O bigalloc -C 16384",
            "-O ^metadata_csum",
        ] {
            let Some(bench) = made(test, options) else {
                continue;
            };
            let target = bench.path("out");
            let receipt = rescued(&bench.image(), "/", &target);
            assert!(receipt.complete, "{options}: {receipt:?}");
            let mut expected = tree(&bench.content());
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
                    ("/links/fifo", SkipReason::SpecialFile),
                    ("/links/socket", SkipReason::SpecialFile),
                    ("/links/tricky", SkipReason::LinkLeadsOut),
                ]
            );
            for (path, _) in &left_out {
                assert!(expected.remove(Path::new(&path[1..])).is_some());
            }
            if options.contains("inline_data") {
                // mke2fs 1.47 makes these too short.
                expected.retain(|path, _| !path.starts_with("sparse"));
                fs::remove_dir_all(target.join("sparse")).unwrap();
            }
            let mut got = tree(&target);
            got.retain(|path, _| !path.starts_with("lost+found"));
            let differ: Vec<_> = expected
                .iter()
                .filter(|(path, entry)| got.get(*path) != Some(entry))
                .map(|(path, (kind, mode, size, time, _))| (path, kind, mode, size, time))
                .collect();
            assert!(differ.is_empty(), "{options}: {differ:?}");
            assert_eq!(got.len(), expected.len(), "{options}");
            // Set-user-id does not come out; further names are names of one file.
            let one = fs::metadata(target.join("links/one")).unwrap();
            assert_eq!((one.mode() & 0o7777, one.nlink()), (0o751, 3));
            assert_eq!(receipt.hard_links, 2);
            if let Ok(sparse) = fs::metadata(target.join("sparse/few")) {
                assert!(sparse.blocks() * 512 < sparse.len() / 4, "{options}");
            }
            let files = expected.values().filter(|entry| entry.0 == "file").count() as u64;
            if !options.contains("inline_data") {
                assert_eq!(receipt.files + receipt.hard_links, files);
            }
        }
    }

    #[test]
    fn one_home_or_one_file_comes_out_under_its_own_name() {
        let test = "one_home_or_one_file_comes_out_under_its_own_name";
        let Some(bench) = made(test, "") else { return };
        let target = bench.path("a/new/folder");
        let receipt = rescued(&bench.image(), "/home-03/", &target);
        assert!(receipt.complete, "{receipt:?}");
        assert_eq!(
            tree(&target.join("home-03")),
            tree(&bench.content().join("home-03"))
        );
        let receipt = rescued(&bench.image(), "/home-05/sub/file-5000", &target);
        assert_eq!(
            (receipt.files, receipt.dirs, receipt.apparent.0),
            (1, 0, 5000)
        );
        let went_in = fs::read(bench.content().join("home-05/sub/file-5000")).unwrap();
        assert_eq!(fs::read(target.join("file-5000")).unwrap(), went_in);
        // A link by itself: its end stays behind.
        let receipt = rescued(&bench.image(), "/links/fast", &target);
        assert_eq!(receipt.skips[0].reason, SkipReason::LinkLeadsOut);
        assert!(fs::symlink_metadata(target.join("fast")).is_err());
    }

    #[test]
    fn nothing_that_exists_is_overwritten_and_nothing_is_made_beside_it() {
        let test = "nothing_that_exists_is_overwritten_and_nothing_is_made_beside_it";
        let Some(bench) = made(test, "") else { return };
        let target = bench.path("out");
        fs::create_dir(&target).unwrap();
        let canary = bench.path("canary");
        fs::write(&canary, "mine").unwrap();
        symlink(&canary, target.join("links")).unwrap();
        let paths = [b"/home-01".to_vec(), b"/links".to_vec()];
        let outcome = copy(&bench.image(), &paths, &target, &Options::default()).unwrap();
        let Outcome::Refused(Refusal::TargetExists { path }) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(path.path.ends_with("/links"));
        assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
        assert_eq!(fs::read(&canary).unwrap(), b"mine");
        let outcome = copy(&bench.image(), &paths, &canary, &Options::default()).unwrap();
        assert!(matches!(
            outcome,
            Outcome::Refused(Refusal::NotAFolder { .. })
        ));
    }

    #[test]
    fn a_tree_deeper_than_folders_are_held_open_comes_out_whole() {
        let test = "a_tree_deeper_than_folders_are_held_open_comes_out_whole";
        let bench = Bench::new();
        let mut deep = bench.content().join("deep");
        for level in 0..400 {
            deep.push("d");
            fs::create_dir_all(&deep).unwrap();
            fs::write(deep.join("file"), level.to_string()).unwrap();
        }
        if let Err(why) = bench.make("64M", "") {
            println!("skipped: {test}: {why}");
            return;
        }
        let target = bench.path("out");
        let receipt = rescued(&bench.image(), "/deep", &target);
        assert!(receipt.complete, "{receipt:?}");
        assert_eq!((receipt.files, receipt.dirs), (400, 401));
        assert_eq!(
            tree(&target.join("deep")),
            tree(&bench.content().join("deep"))
        );
    }

    #[test]
    fn what_is_damaged_is_named_and_the_rest_comes_out() {
        let test = "what_is_damaged_is_named_and_the_rest_comes_out";
        let Some(bench) = made(test, "") else { return };
        let number = |path: &str| -> u64 {
            let text = bench.debugfs(&format!("imap {path}"), false).unwrap();
            let line = text
                .lines()
                .find(|line| line.contains("located at block"))
                .unwrap();
            let mut numbers = line
                .split(|c: char| !c.is_ascii_hexdigit() && c != 'x')
                .filter(|word| !word.is_empty())
                .filter_map(|word| match word.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16).ok(),
                    None => word.parse::<u64>().ok(),
                });
            let (block, offset) = (numbers.next().unwrap(), numbers.next().unwrap());
            block * 4096 + offset
        };
        let mut image = fs::read(bench.image()).unwrap();
        // The inode of a file, and the only block of a folder's names.
        let inode = number("/home-02/file-5000") as usize;
        image[inode + 4] ^= 0xff;
        let blocks = bench.debugfs("blocks /home-07/sub", false).unwrap();
        let block: usize = blocks.split_whitespace().next().unwrap().parse().unwrap();
        image[block * 4096 + 40] ^= 0xff;
        fs::write(bench.image(), image).unwrap();
        let target = bench.path("out");
        let receipt = rescued(&bench.image(), "/", &target);
        assert!(!receipt.complete);
        let failed: Vec<&str> = receipt
            .failures
            .iter()
            .map(|gap| gap.path.path.as_str())
            .collect();
        assert_eq!(failed, ["/home-02/file-5000", "/home-07/sub"]);
        for home in [
            "home-02/file-4096",
            "home-07/file-4096",
            "home-08/file-5000",
            "deep/d",
        ] {
            assert!(target.join(home).exists(), "{home}");
        }
        assert!(!target.join("home-02/file-5000").exists());
    }

    #[test]
    fn a_broken_superblock_and_descriptors_are_replaced_by_their_copies() {
        let test = "a_broken_superblock_and_descriptors_are_replaced_by_their_copies";
        let Some(bench) = made(test, "") else { return };
        let mut image = fs::read(bench.image()).unwrap();
        image[1024..2048].fill(0);
        image[4096..4096 + 64].fill(0xff);
        fs::write(bench.image(), image).unwrap();
        let target = bench.path("out");
        let receipt = rescued(&bench.image(), "/home-03", &target);
        assert!(receipt.complete, "{receipt:?}");
        assert_eq!(
            tree(&target.join("home-03")),
            tree(&bench.content().join("home-03"))
        );
    }

    #[test]
    fn a_full_target_is_refused_before_anything_is_made_and_a_filled_one_ends_the_copy() {
        let test =
            "a_full_target_is_refused_before_anything_is_made_and_a_filled_one_ends_the_copy";
        let Some(bench) = made(test, "") else { return };
        // The child runs this test again where a mount of its own is the target.
        if let Some(target) = std::env::var_os("SANDTRAY_TEST_TARGET") {
            let target = Path::new(&target).join("out");
            let outcome = copy(
                &bench.image(),
                &[b"/".to_vec()],
                &target,
                &Options::default(),
            );
            let outcome = outcome.unwrap();
            assert!(
                matches!(outcome, Outcome::Refused(Refusal::NotEnoughRoom { .. })),
                "{outcome:?}"
            );
            assert!(!target.exists());
            return;
        }
        let program = std::env::current_exe().unwrap();
        let script = "mount -t tmpfs -o size=1m none \"$2\"; SANDTRAY_TEST_TARGET=\"$2\" exec \"$3\" --exact \"$4\"";
        let name = "rescue::tests::unix::a_full_target_is_refused_before_anything_is_made_and_a_filled_one_ends_the_copy";
        let output = bench
            .script(script)
            .arg(program)
            .arg(name)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if said.contains("1 passed") {
            return;
        }
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        assert!(!said.contains("FAILED"), "{said}{why}");
        println!("skipped: {test}: {why}");
    }

    #[test]
    fn stopping_leaves_only_whole_files() {
        let test = "stopping_leaves_only_whole_files";
        let Some(bench) = made(test, "") else { return };
        let options = Options::default();
        options.cancel.cancel();
        let target = bench.path("out");
        let outcome = copy(&bench.image(), &[b"/".to_vec()], &target, &options).unwrap();
        let Outcome::Done(receipt) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(receipt.cancelled && !receipt.complete);
        assert_eq!(receipt.files, 0);
    }

    #[test]
    fn a_hostile_folder_cannot_name_its_way_out() {
        let test = "a_hostile_folder_cannot_name_its_way_out";
        let bench = Bench::new();
        let home = bench.content().join("home");
        fs::create_dir(&home).unwrap();
        fs::write(home.join("AAAAAAAAAA"), "evil").unwrap();
        fs::write(home.join("BBBBBBBBBB"), "evil").unwrap();
        fs::write(home.join("CC"), "evil").unwrap();
        if let Err(why) = bench.make("8M", "-O ^metadata_csum,^has_journal") {
            println!("skipped: {test}: {why}");
            return;
        }
        let image = fs::read(bench.image()).unwrap();
        let replaced = [
            (&b"AAAAAAAAAA"[..], &b"../../evil"[..]),
            (b"BBBBBBBBBB", b"/tmp/x\0/yz"),
            (b"CC", b".."),
        ];
        let mut spoilt = image;
        for (from, to) in replaced {
            while let Some(at) = spoilt.windows(from.len()).position(|window| window == from) {
                spoilt[at..at + to.len()].copy_from_slice(to);
            }
        }
        fs::write(bench.image(), spoilt).unwrap();
        let target = bench.path("a/b/out");
        let receipt = rescued(&bench.image(), "/home", &target);
        let names: Vec<String> = tree(&bench.path("a"))
            .into_keys()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        assert_eq!(
            names,
            [
                "b",
                "b/out",
                "b/out/home",
                "b/out/home/.._.._evil",
                "b/out/home/_tmp_x__yz"
            ]
        );
        assert_eq!(receipt.renamed, 2);
        let mode = fs::metadata(&target).unwrap().permissions().mode();
        assert!(mode & 0o700 == 0o700);
    }
}

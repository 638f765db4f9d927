//! Changes in the middle of a walk, step by step.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::super::{Cancel, Options, Tree};
use super::open::{Opener, Root};
use super::share::Shared;
use super::worker::Worker;

/// Walks `root` and calls `change` before each step with what the worker has reached.
fn walk(root: &Path, options: &Options, mut change: impl FnMut(u64, &[u8])) -> Tree {
    let path = CString::new(root.as_os_str().as_bytes()).unwrap();
    let Root::Dir(dir, opener) = Opener::root(&path).unwrap() else {
        panic!("no directory");
    };
    let shared = Shared::new(root, &dir, opener, options, 1);
    let links = Mutex::default();
    let mut worker = Worker::new(&shared, &links);
    worker.begin().unwrap();
    loop {
        let (entries, path) = worker.reached();
        change(entries, path);
        if !worker.step() {
            return worker.run();
        }
    }
}

/// `root/0/1/…/39`, with an empty folder `after` at each level, made last.
fn chain(root: &Path) -> PathBuf {
    let mut at = root.to_owned();
    for level in 0..40 {
        at.push(level.to_string());
        fs::create_dir(&at).unwrap();
        fs::create_dir(at.join("after")).unwrap();
    }
    at
}

#[test]
fn what_vanishes_before_it_is_visited_is_no_entry_and_no_gap() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let mut is_done = false;
    let tree = walk(folder.path(), &Options::default(), |entries, _| {
        // The first one was met, so the names were read.
        if entries == 1 && !is_done {
            is_done = true;
            for name in ["a", "b", "c"] {
                fs::remove_dir(folder.path().join(name)).unwrap();
            }
        }
    });
    assert!(is_done);
    assert_eq!((tree.usage.entries, tree.usage.dirs), (1, 1));
    assert!(tree.usage.complete && tree.gaps.is_empty());
}

#[test]
fn a_folder_replaced_by_a_link_is_counted_as_the_link() {
    let folder = tempfile::tempdir().unwrap();
    let (root, decoy) = (folder.path().join("root"), folder.path().join("decoy"));
    for dir in [&root, &root.join("a"), &root.join("b"), &decoy] {
        fs::create_dir(dir).unwrap();
    }
    fs::write(decoy.join("not ours"), "x").unwrap();
    let mut is_done = false;
    let tree = walk(&root, &Options::default(), |entries, path| {
        if entries == 1 && path.is_empty() && !is_done {
            is_done = true;
            for name in ["a", "b"] {
                fs::remove_dir(root.join(name)).unwrap();
                std::os::unix::fs::symlink(&decoy, root.join(name)).unwrap();
            }
        }
    });
    assert!(is_done);
    let usage = tree.usage;
    assert_eq!((usage.dirs, usage.symlinks, usage.files), (1, 1, 0));
    assert!(usage.complete);
}

/// Walks down a chain and moves `moves`, in turn, out of the root when the ground is reached.
fn walk_while_moving(moves: &[&str]) -> (PathBuf, Tree) {
    let folder = tempfile::tempdir().unwrap();
    let (root, away) = (folder.path().join("root"), folder.path().join("away"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&away).unwrap();
    fs::write(away.join("not ours"), "x").unwrap();
    chain(&root);
    let mut is_done = false;
    let tree = walk(&root, &Options::default(), |_, path| {
        if !is_done && path.ends_with(b"/39") {
            is_done = true;
            for (number, moved) in moves.iter().enumerate() {
                fs::rename(root.join(moved), away.join(number.to_string())).unwrap();
            }
        }
    });
    assert!(is_done);
    assert_eq!(tree.usage.files, 0, "nothing beside the root is counted");
    (root, tree)
}

#[test]
fn a_way_back_that_leads_elsewhere_is_found_again_from_the_root() {
    let (_, tree) = walk_while_moving(&["0/1/2/3/4/5"]);
    assert!(tree.usage.complete, "{:?}", tree.gaps);
    assert_eq!(tree.usage.dirs, 80);
}

#[test]
fn folders_that_are_not_found_again_are_gaps_and_the_rest_is_still_counted() {
    let (root, tree) = walk_while_moving(&["0/1/2/3/4/5", "0/1/2/3"]);
    let lost: Vec<_> = tree.gaps.iter().map(|gap| gap.path.path.as_str()).collect();
    let path = |below: &str| root.join(below).to_string_lossy().into_owned();
    assert_eq!(lost, [path("0/1/2/3/4"), path("0/1/2/3")]);
    assert_eq!(tree.usage.unreadable, 2);
    assert!(!tree.usage.complete);
    // All forty levels were met, and every `after` but those of the two, where they came last.
    assert!((78..=80).contains(&tree.usage.dirs), "{}", tree.usage.dirs);
}

#[test]
fn the_walk_ends_at_the_step_after_it_was_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    chain(folder.path());
    let cancel = Cancel::default();
    let options = Options {
        cancel: cancel.clone(),
        ..Options::default()
    };
    let mut at = None;
    let tree = walk(folder.path(), &options, |entries, _| {
        if entries == 30 {
            cancel.cancel();
        }
        at = Some(entries);
    });
    assert_eq!(at, Some(30));
    assert!(tree.cancelled && !tree.usage.complete);
    assert_eq!(tree.usage.entries, 30);
}

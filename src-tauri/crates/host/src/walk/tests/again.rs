//! A walk that goes by an earlier one: faster, and honest about it.

use std::fs::{self, FileTimes};
use std::io::Write;
use std::path::PathBuf;

use super::super::{Cache, measure_again};
use super::*;

fn again(root: &Path, cache: &mut Cache) -> Tree {
    measure_again(root, &Options::default(), cache).unwrap()
}

/// Nine folders: the root, `a/b/c` with a file each, `empty`, and a chain deep enough that folders
/// are closed on the way down.
fn build(root: &Path) -> PathBuf {
    fs::create_dir_all(root.join("a/b/c")).unwrap();
    fs::create_dir(root.join("empty")).unwrap();
    for dir in ["a", "a/b", "a/b/c"] {
        file(&root.join(dir).join("file"), 5000);
    }
    let mut deep = root.join("deep");
    for level in 0..50 {
        deep.push(level.to_string());
        fs::create_dir_all(deep.join("side")).unwrap();
    }
    root.join("a/b/c/file")
}

#[test]
fn nothing_changed_so_nothing_is_read_and_the_sums_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let mut cache = Cache::later();
    let first = again(folder.path(), &mut cache);
    assert_eq!(first.reused, 0);
    assert_eq!(first, sum(folder.path()));
    for _ in 0..2 {
        let next = again(folder.path(), &mut cache);
        assert_eq!(next.usage, first.usage);
        assert_eq!(
            next.reused,
            next.usage.dirs + 1,
            "every folder and the root"
        );
    }
    assert_is_du(folder.path(), &first.usage);
}

#[test]
fn a_folder_with_a_new_or_a_lost_name_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let mut cache = Cache::later();
    again(folder.path(), &mut cache);
    file(&folder.path().join("a/b/new"), 70_000);
    fs::create_dir(folder.path().join("empty/no longer")).unwrap();
    fs::remove_dir(folder.path().join("deep/0/1/2/side")).unwrap();
    let tree = again(folder.path(), &mut cache);
    assert_eq!(tree.usage, sum(folder.path()).usage);
    // `b`, `empty`, `deep/0/1/2`, and what is new.
    assert_eq!(tree.reused, tree.usage.dirs + 1 - 4);
}

#[test]
fn a_file_that_grew_in_place_is_missed_which_is_why_the_sums_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let grows = build(folder.path());
    let mut cache = Cache::later();
    let before = again(folder.path(), &mut cache);
    let mut file = fs::File::options().append(true).open(grows).unwrap();
    file.write_all(&[0; 100_000]).unwrap();
    let after = again(folder.path(), &mut cache);
    assert_eq!(after.usage, before.usage);
    assert!(after.reused > 0, "marked");
    assert_eq!(
        sum(folder.path()).usage.apparent.0,
        before.usage.apparent.0 + 100_000
    );
    assert_eq!(sum(folder.path()).reused, 0);
}

#[test]
fn folders_with_hard_links_are_always_read() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    fs::hard_link(
        folder.path().join("a/file"),
        folder.path().join("a/b/second"),
    )
    .unwrap();
    let mut cache = Cache::later();
    let first = again(folder.path(), &mut cache);
    let second = again(folder.path(), &mut cache);
    assert_eq!(second.usage, first.usage);
    assert_eq!(second.usage.shared, sum(folder.path()).usage.shared);
    assert_eq!(second.reused, second.usage.dirs + 1 - 2);
}

#[test]
fn folders_that_changed_just_now_prove_nothing() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let mut cache = Cache::default();
    again(folder.path(), &mut cache);
    assert_eq!(again(folder.path(), &mut cache).reused, 0);
    // Nor does one that says it is from the future.
    let future = std::time::SystemTime::now() + std::time::Duration::from_secs(86_400);
    let mut cache = Cache::later();
    let times = FileTimes::new().set_modified(future);
    fs::File::open(folder.path().join("a"))
        .unwrap()
        .set_times(times)
        .unwrap();
    again(folder.path(), &mut cache);
    let tree = again(folder.path(), &mut cache);
    assert_eq!(tree.reused, tree.usage.dirs + 1 - 1);
}

#[test]
fn a_cancelled_walk_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let mut cache = Cache::later();
    let first = again(folder.path(), &mut cache);
    let options = Options::default();
    options.cancel.cancel();
    assert!(
        measure_again(folder.path(), &options, &mut cache)
            .unwrap()
            .cancelled
    );
    let tree = again(folder.path(), &mut cache);
    assert_eq!(
        (tree.usage, tree.reused),
        (first.usage, first.usage.dirs + 1)
    );
}

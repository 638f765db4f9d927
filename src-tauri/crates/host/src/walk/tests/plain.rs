//! What is counted, on small folders and any system.

use std::fs;
use std::io;

use super::super::{Cancel, Options, Progress, measure};
use super::*;
use crate::error::Cause;

#[test]
fn an_empty_folder_is_its_own_size_and_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let usage = sum_in_every_way(folder.path());
    assert_eq!(usage.entries, 0);
    assert!(usage.complete);
    #[cfg(unix)]
    assert_is_du(folder.path(), &usage);
}

#[test]
fn a_root_that_is_a_file_is_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    file(&path, 5000);
    let usage = sum_in_every_way(&path);
    assert_eq!((usage.apparent.0, usage.entries, usage.files), (5000, 0, 0));
    assert!(usage.complete);
    #[cfg(unix)]
    assert_is_du(&path, &usage);
}

#[cfg(unix)]
#[test]
fn a_root_that_is_a_link_is_that_link_and_never_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    fs::create_dir(&target).unwrap();
    file(&target.join("decoy"), 1_000_000);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let usage = sum_in_every_way(&link);
    assert_eq!(usage.apparent.0, target.as_os_str().len() as u64);
    assert_is_du(&link, &usage);
}

#[test]
fn a_root_that_is_not_there_says_so_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nothing");
    let failure = measure(&path, &Options::default()).unwrap_err();
    assert!(matches!(&failure.cause, Cause::Io(cause) if cause.kind() == io::ErrorKind::NotFound));
    assert_eq!(failure.path, path);
    let text = failure.to_string();
    assert!(text.starts_with("cannot look at "), "{text}");
    assert!(text.contains("Check the path"), "{text}");
}

#[test]
fn a_root_with_a_nul_in_its_name_is_refused() {
    let failure = measure("a\0b".as_ref(), &Options::default()).unwrap_err();
    assert!(matches!(&failure.cause, Cause::Io(_)));
}

#[cfg(unix)]
#[test]
fn an_inode_counts_once_and_its_blocks_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    file(&root.join("alone"), 10_000);
    file(&root.join("one"), 20_000);
    fs::hard_link(root.join("one"), root.join("two")).unwrap();
    file(&folder.path().join("outside"), 30_000);
    fs::hard_link(folder.path().join("outside"), root.join("inside")).unwrap();
    let usage = sum_in_every_way(&root);
    assert_eq!((usage.entries, usage.files), (4, 4));
    let blocks = |name: &str| du(&root.join(name), &[]);
    assert_eq!(usage.shared.0, blocks("one") + blocks("inside"));
    assert_is_du(&root, &usage);
}

#[test]
fn the_details_name_the_largest_children_the_biggest_files_and_the_deepest_entry() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("big/a/b")).unwrap();
    fs::create_dir(root.join("small")).unwrap();
    file(&root.join("big/a/b/grows.output"), 400_000);
    file(&root.join("small/x"), 10);
    file(&root.join("middle"), 100_000);
    let options = Options {
        details: true,
        ..Options::default()
    };
    for tree in [
        measure(root, &options).unwrap(),
        portable::measure(root, &options).unwrap(),
    ] {
        let details = tree.details.unwrap();
        let names: Vec<_> = details
            .largest
            .iter()
            .map(|child| (child.name.path.as_str(), child.is_dir, child.entries))
            .collect();
        assert_eq!(
            names,
            [("big", true, 3), ("middle", false, 0), ("small", true, 1)]
        );
        assert_eq!(
            details.biggest_files[0].path,
            root.join("big/a/b/grows.output")
        );
        assert_eq!(details.biggest_files[0].apparent.0, 400_000);
        assert_eq!(details.biggest_files[1].path, root.join("middle"));
        let deepest = details.deepest.unwrap();
        assert_eq!(deepest.depth, 4);
        assert_eq!(
            deepest.path.path,
            root.join("big/a/b/grows.output").to_string_lossy()
        );
    }
}

#[test]
fn crowded_folders_are_grouped_by_name_shape() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (crowded, sparse) = (root.join("crowded"), root.join("sparse"));
    fs::create_dir(&crowded).unwrap();
    fs::create_dir(&sparse).unwrap();
    for number in 0..2500 {
        fs::create_dir(crowded.join(format!("claude-empty-a{number:05}"))).unwrap();
    }
    for number in 0..900 {
        file(&crowded.join(format!("srt-mux-{number}-1.sock")), 0);
        file(&sparse.join(format!("job-{number}")), 0);
    }
    let options = Options {
        details: true,
        ..Options::default()
    };
    for tree in [
        measure(root, &options).unwrap(),
        portable::measure(root, &options).unwrap(),
    ] {
        let siblings = tree.details.unwrap().siblings;
        assert_eq!(
            siblings.len(),
            2,
            "the root and the crowded one: {siblings:?}"
        );
        assert_eq!(siblings[0].path.path, root.to_string_lossy());
        assert_eq!(siblings[0].entries, 2);
        assert_eq!(siblings[1].path.path, crowded.to_string_lossy());
        assert_eq!((siblings[1].entries, siblings[1].others), (3400, 0));
        let shapes: Vec<_> = siblings[1]
            .shapes
            .iter()
            .map(|shape| (shape.shape.as_str(), shape.entries, shape.dirs))
            .collect();
        assert_eq!(
            shapes,
            [
                ("claude-empty-XXXXXX", 2500, 2500),
                ("srt-mux-N-N.sock", 900, 0)
            ]
        );
    }
}

#[test]
fn a_cancelled_walk_says_that_it_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let options = Options {
        cancel,
        ..Options::default()
    };
    let tree = measure(folder.path(), &options).unwrap();
    assert!(tree.cancelled && !tree.usage.complete);
    let tree = portable::measure(folder.path(), &options).unwrap();
    assert!(tree.cancelled && !tree.usage.complete);
}

#[test]
fn a_walk_can_be_cancelled_from_another_thread_in_the_middle_of_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20_000 {
        fs::File::create(folder.path().join(number.to_string())).unwrap();
    }
    let options = Options::default();
    std::thread::scope(|scope| {
        let walk = scope.spawn(|| measure(folder.path(), &options).unwrap());
        while options.progress.entries() == 0 && !walk.is_finished() {
            std::thread::yield_now();
        }
        options.cancel.cancel();
        let tree = walk.join().unwrap();
        assert_eq!(tree.cancelled, !tree.usage.complete);
        // The last look may have come before the question.
        assert_eq!(tree.cancelled, tree.usage.entries < 20_000);
    });
}

#[test]
fn progress_ends_at_the_number_of_entries() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..1500 {
        fs::File::create(folder.path().join(number.to_string())).unwrap();
    }
    let progress = Progress::default();
    let options = Options {
        progress: progress.clone(),
        threads: NonZeroUsize::new(2),
        ..Options::default()
    };
    measure(folder.path(), &options).unwrap();
    assert_eq!(progress.entries(), 1500);
}

//! What temp folders do to those who measure them: nobody may read, mounts, bottomless depth.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use super::*;

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Root reads everything, so the test is run again as nobody, where it does what it says.
#[test]
fn what_may_not_be_read_is_counted_and_listed() {
    const NAME: &str = "walk::tests::hostile::what_may_not_be_read_is_counted_and_listed";
    if let Some(root) = given_root() {
        return measure_unreadable_parts(&root);
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let (closed, listed) = (root.join("closed"), root.join("listed"));
    for dir in [&root, &closed, &listed, &root.join("open")] {
        fs::create_dir(dir).unwrap();
    }
    file(&closed.join("unknown"), 9000);
    file(&listed.join("a"), 9000);
    fs::create_dir(listed.join("b")).unwrap();
    file(&root.join("open/seen"), 5000);
    // The decoy: unreadable content is no gap, only its size is asked for.
    set_mode(&root.join("open/seen"), 0o000);
    set_mode(&closed, 0o000);
    set_mode(&listed, 0o444);
    if is_root() {
        set_mode(folder.path(), 0o755);
        for path in [&root, &closed, &listed, &root.join("open")] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let before = [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ];
        match again(&before.map(OsStr::new), NAME, &root) {
            Some(output) => assert_passed(&output),
            None => println!("skipped: {NAME}: setpriv is not installed"),
        }
    } else {
        measure_unreadable_parts(&root);
    }
    set_mode(&closed, 0o755);
    set_mode(&listed, 0o755);
}

fn measure_unreadable_parts(root: &Path) {
    assert!(!is_root());
    let usage = sum_in_every_way(root);
    assert_eq!((usage.entries, usage.dirs, usage.files), (6, 4, 2));
    assert_eq!(
        usage.unreadable, 3,
        "the closed one, and two names without a size"
    );
    assert!(!usage.complete);
    assert_is_du(root, &usage);
    let tree = sum(root);
    assert!(!tree.cancelled);
    let mut gaps: Vec<_> = tree
        .gaps
        .iter()
        .map(|gap| (PathBuf::from(&gap.path.path), gap.operation.as_str()))
        .collect();
    gaps.sort();
    let listed = root.join("listed");
    assert_eq!(
        gaps,
        [
            (root.join("closed"), "open directory"),
            (listed.join("a"), "look at"),
            (listed.join("b"), "open directory"),
        ]
    );
    assert!(
        tree.gaps[0].cause.contains("ermission denied"),
        "{:?}",
        tree.gaps
    );
    let failure = measure(&root.join("closed"), &Options::default()).unwrap_err();
    assert!(failure.hint.is_some(), "{failure}");
}

/// Mounts are made in a mount namespace of the test's own, which ends with it.
#[test]
fn mounts_below_the_root_are_counted_and_not_entered() {
    const NAME: &str = "walk::tests::hostile::mounts_below_the_root_are_counted_and_not_entered";
    if let Some(root) = given_root() {
        return measure_beside_mounts(&root);
    }
    let folder = tempfile::tempdir().unwrap();
    let (root, decoy) = (folder.path().join("root"), folder.path().join("decoy"));
    for dir in ["same", "other", "own"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    fs::create_dir(&decoy).unwrap();
    file(&decoy.join("not ours"), 500_000);
    file(&root.join("own/ours"), 7000);
    file(&root.join("bound"), 1);
    let script = "mount --bind \"$0/../decoy\" \"$0/same\" && mount -t tmpfs none \"$0/other\" \
                  && mount --bind \"$0/../decoy/not ours\" \"$0/bound\" || exit 77; exec \"$@\"";
    let unshare = if is_root() { "-m" } else { "-Urm" };
    let before = ["unshare", unshare, "sh", "-c", script].map(OsStr::new);
    let before = [&before[..], &[root.as_os_str()]].concat();
    let reason = match again(&before, NAME, &root) {
        None => "unshare is not installed",
        Some(output) if output.status.code() == Some(77) => "mount is not permitted",
        Some(output) if output.stdout.is_empty() => "mount namespaces are not permitted",
        Some(output) => return assert_passed(&output),
    };
    println!("skipped: {NAME}: {reason}");
}

fn measure_beside_mounts(root: &Path) {
    let tree = sum(root);
    let usage = tree.usage;
    assert_eq!(
        usage.mounts_skipped, 3,
        "same filesystem, another one, and a file"
    );
    assert_eq!((usage.entries, usage.dirs, usage.files), (5, 3, 2));
    assert!(usage.complete && tree.gaps.is_empty());
    let ours = [root.to_owned(), root.join("own"), root.join("own/ours")];
    let alone = |path: &PathBuf| du(path, &["-S"]);
    // `du -S` of a folder adds its direct files, so the file is in the second one already.
    assert_eq!(usage.allocated.0, alone(&ours[1]) + root_alone(root));
    assert!(alone(&ours[2]) > 0);
    let with_threads = Options {
        threads: NonZeroUsize::new(2),
        ..Options::default()
    };
    assert_eq!(measure(root, &with_threads).unwrap().usage, usage);
    let inside = sum(&root.join("same"));
    assert_eq!(
        inside.usage.files, 1,
        "a mount that is the root itself is entered"
    );
}

fn root_alone(root: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(root).unwrap().blocks() * 512
}

/// Few handles are allowed, so that keeping a directory open per level would fail.
#[test]
fn a_tree_deeper_than_any_path_is_measured_with_few_handles() {
    const NAME: &str =
        "walk::tests::hostile::a_tree_deeper_than_any_path_is_measured_with_few_handles";
    if let Some(root) = given_root() {
        return measure_deep(&root);
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    build_deep(&root);
    let before = ["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"].map(OsStr::new);
    let output = again(&before, NAME, &root).unwrap();
    // Not even `remove_dir_all` reaches the ground.
    let removed = Command::new("rm").arg("-rf").arg(&root).status().unwrap();
    assert!(removed.success());
    assert_passed(&output);
}

const DEPTH: u32 = 3000;

/// Three thousand levels of long names, 600 kB of path; at each level a file, a folder that is met
/// before the way down and one that is met after it.
fn build_deep(root: &Path) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o755);
    let mut at: OwnedFd = rustix::fs::openat(CWD, root, flags, mode).unwrap();
    let long = "d".repeat(200);
    for level in 0..DEPTH {
        for name in ["a", "z", &long] {
            rustix::fs::mkdirat(&at, name, mode).unwrap();
        }
        let create = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&at, "file", create, mode).unwrap();
        if level % 100 == 0 {
            rustix::io::write(&file, b"content").unwrap();
        }
        at = rustix::fs::openat(&at, long.as_str(), flags, mode).unwrap();
    }
    assert!(rustix::fs::statat(&at, "a", AtFlags::empty()).is_err());
}

fn measure_deep(root: &Path) {
    let usage = sum(root).usage;
    assert_eq!(usage.dirs, u64::from(3 * DEPTH));
    assert_eq!(usage.files, u64::from(DEPTH));
    assert!(usage.complete, "{:?}", sum(root).gaps);
    assert_is_du(root, &usage);
    let with_threads = Options {
        threads: NonZeroUsize::new(2),
        ..Options::default()
    };
    assert_eq!(measure(root, &with_threads).unwrap().usage, usage);
    let with_details = Options {
        details: true,
        ..Options::default()
    };
    let tree = measure(root, &with_details).unwrap();
    assert_eq!(tree.usage, usage);
    let deepest = tree.details.unwrap().deepest.unwrap();
    assert_eq!(deepest.depth, u64::from(DEPTH));
    let at_least = 201 * usize::try_from(DEPTH).unwrap() - 201;
    assert!(
        deepest.path.path.len() > at_least,
        "{}",
        deepest.path.path.len()
    );
}

#[test]
fn crowded_folders_on_the_way_down_go_on_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let mut at = folder.path().to_owned();
    for level in 0..60 {
        let crowd = if level % 20 == 3 { 2500 } else { 2 };
        for number in 0..crowd {
            fs::create_dir(at.join(format!("claude-empty-{number:06}"))).unwrap();
            file(&at.join(format!("srt-mux-{number}-1.sock")), 1);
        }
        at.push(format!("down-{level}"));
        fs::create_dir(&at).unwrap();
    }
    let usage = sum_in_every_way(folder.path());
    assert_eq!(usage.files, 3 * 2500 + 57 * 2);
    assert_eq!(usage.dirs, usage.files + 60);
    assert_is_du(folder.path(), &usage);
}

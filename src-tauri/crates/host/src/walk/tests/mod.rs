//! On real folders, against the real `du` and against `walkdir`.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use sandtray_core::measurement::Usage;

use super::{Options, Tree, measure, portable};

#[cfg(target_os = "linux")]
mod again;
#[cfg(target_os = "linux")]
mod hostile;
mod plain;
#[cfg(target_os = "linux")]
mod random;

/// The sum alone, by one thread.
fn sum(root: &Path) -> Tree {
    measure(root, &Options::default()).unwrap()
}

/// Every way to measure gives the same sums; they are returned.
fn sum_in_every_way(root: &Path) -> Usage {
    let usage = sum(root).usage;
    let with_details = Options {
        details: true,
        ..Options::default()
    };
    assert_eq!(
        measure(root, &with_details).unwrap().usage,
        usage,
        "details"
    );
    let with_threads = Options {
        threads: NonZeroUsize::new(3),
        ..Options::default()
    };
    assert_eq!(
        measure(root, &with_threads).unwrap().usage,
        usage,
        "threads"
    );
    let portably = portable::measure(root, &Options::default()).unwrap();
    assert_eq!(portably.usage, usage, "portable");
    let portably = portable::measure(root, &with_details).unwrap();
    assert_eq!(portably.usage, usage, "portable details");
    usage
}

/// Asserts that sums are those of `du`, to the byte; the messages of `du` are no matter.
#[cfg(unix)]
fn assert_is_du(root: &Path, usage: &Usage) {
    assert_eq!(
        usage.allocated.0,
        du(root, &[]),
        "allocated of {}",
        root.display()
    );
    let mut apparent = usage.apparent.0;
    if !du_counts_directories() {
        apparent -= only_du_before_9_2_counts(root);
    }
    let expected = du(root, &["--apparent-size"]);
    assert_eq!(apparent, expected, "apparent of {}", root.display());
}

#[cfg(unix)]
fn du(root: &Path, options: &[&str]) -> u64 {
    let output = Command::new("du")
        .args(["-s", "--block-size=1"])
        .args(options)
        .arg("--")
        .arg(root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let number = text.split_ascii_whitespace().next().unwrap_or_default();
    number
        .parse()
        .unwrap_or_else(|_| panic!("du said {text} {}", String::from_utf8_lossy(&output.stderr)))
}

/// Whether this `du` adds the sizes of directories to the apparent size, as all did before
/// coreutils 9.2. Asked by trying, not by the version.
#[cfg(unix)]
fn du_counts_directories() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let has_size = std::fs::metadata(folder.path()).unwrap().len() > 0;
    !has_size || du(folder.path(), &["--apparent-size"]) > 0
}

#[cfg(unix)]
fn only_du_before_9_2_counts(root: &Path) -> u64 {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| !entry.file_type().is_file() && !entry.file_type().is_symlink())
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len())
        .sum()
}

/// Runs one test of this program again in other circumstances: `before` is the program that makes
/// them and its arguments. The test sees `root` in `SANDTRAY_TEST_ROOT`. `None` where the
/// circumstances cannot be had here.
#[cfg(target_os = "linux")]
fn again(before: &[&OsStr], test: &str, root: &Path) -> Option<std::process::Output> {
    let (program, arguments) = before.split_first()?;
    Command::new(program)
        .args(arguments)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("SANDTRAY_TEST_ROOT", root)
        .output()
        .ok()
}

/// The root a test was started again with, see [`again`].
#[cfg(target_os = "linux")]
fn given_root() -> Option<std::path::PathBuf> {
    std::env::var_os("SANDTRAY_TEST_ROOT").map(Into::into)
}

/// Asserts that a test started again passed, and that it was found.
#[cfg(target_os = "linux")]
fn assert_passed(output: &std::process::Output) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

fn file(path: &Path, length: usize) {
    std::fs::write(path, vec![b'x'; length]).unwrap();
}

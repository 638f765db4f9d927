//! A small volume for tests that need a full one: a tmpfs in a mount namespace of its own, so that
//! nothing stays mounted when a test is killed, and no rights are needed.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const MOUNT: &str = "SANDTRAY_TEST_MOUNT";

/// Runs `test` with a fresh tmpfs: starts this very test once more inside a namespace where it is
/// mounted.
pub(crate) fn inside(module: &str, name: &str, options: &str, test: impl FnOnce(&Path)) {
    if let Some(mount) = std::env::var_os(MOUNT) {
        test(Path::new(&mount));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    if !Command::new("unshare")
        .args(["-Umr", "true"])
        .status()
        .is_ok_and(|done| done.success())
    {
        println!("skipped: {name}: no user namespaces here");
        return;
    }
    let module = module.split_once("::").map_or(module, |(_, rest)| rest);
    let script = "mount -t tmpfs -o \"$1\" tmpfs \"$2\" && shift 2 && exec \"$@\"";
    let status = Command::new("unshare")
        .args(["-Umr", "sh", "-c", script, "sh", options])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
        .env(MOUNT, folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "the same test inside its namespace");
}

/// Takes every byte that is left.
pub(crate) fn fill(mount: &Path) {
    let mut file = File::create(mount.join("filler")).unwrap();
    let block = [1; 4_096];
    while file.write_all(&block).is_ok() {}
    while file.write_all(&block[..1]).is_ok() {}
    let left = rustix::fs::statvfs(mount).unwrap();
    assert_eq!(left.f_bavail, 0, "the fixture is full");
}

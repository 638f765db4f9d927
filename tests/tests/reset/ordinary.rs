//! The same test once more, as an ordinary user and alone on its machine.
//!
//! User, mount and process namespaces: no root inside whoever started it, a small volume where one is
//! asked for, and a process table that holds this journey and nothing else. Without the last, the disks of
//! another test's machine would be looked for, and its `qemu`, run by root, could not be looked into.

use std::path::Path;
use std::process::Command;

use sandtray_tests::stand_in::running;
use sandtray_tests::{ctl, disk, skip};

/// A tmpfs on which every scope has room for its rebuild; it takes memory only for what is written.
pub(crate) const ROOMY: Option<&str> = Some("size=3g");
/// Where real syncs are wanted, which take their time: the disk of the temp folder.
pub(crate) const DISK: Option<&str> = None;

const INSIDE: &str = "SANDTRAY_TEST_RESET";

/// Mounts, then gives root away; stays as the first process, which takes up orphans.
const SCRIPT: &str = r#"
    if [ -n "$1" ]; then mount -t tmpfs -o "$1" tmpfs "$2" || exit 3; fi
    shift 2
    unshare -U --map-user=1000 --map-group=1000 "$@"
    exit $?
"#;

/// Runs `test` as an ordinary user in a folder of its own; on a fresh tmpfs where `volume` is given.
pub(crate) fn ordinary(module: &str, name: &str, volume: Option<&str>, test: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(INSIDE) {
        test(Path::new(&folder));
        return;
    }
    if let Err(reason) = disk::possible() {
        return skip::say(name, reason);
    }
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &[&str]| {
        let mut command = Command::new("unshare");
        command
            .args(["-Umr", "--pid", "--fork", "--kill-child", "--mount-proc"])
            .args(["sh", "-c", SCRIPT, "sh", volume.unwrap_or("")])
            .arg(folder.path())
            .args(program);
        command
    };
    if !run(&["true"])
        .output()
        .is_ok_and(|done| done.status.success())
    {
        return skip::say(name, "no user namespaces here");
    }
    let module = module.split_once("::").map_or(module, |(_, rest)| rest);
    let exe = std::env::current_exe().unwrap();
    let status = run(&[])
        .arg(exe)
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
        .env(INSIDE, folder.path())
        // Nothing is built inside.
        .env("SANDTRAY_CTL", ctl::program())
        .env("SANDTRAY_STAND_IN", running::program())
        .status()
        .unwrap();
    assert!(status.success(), "the same test as an ordinary user");
}

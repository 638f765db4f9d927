//! Whole acts on real folders: every scope and its undo, every refusal, and what stands after an error, a
//! kill, a power loss and a full volume at any point.
//!
//! Each test starts itself once more as an ordinary user (root never acts), where it has to be on a small
//! volume of its own.

mod discarding;
mod fake;
mod faults;
mod full;
mod kills;
mod misbehaving;
mod power;
mod refusals;
mod scopes;
mod world;

use std::path::Path;
use std::process::Command;

/// A tmpfs on which every scope has room for its rebuild; it takes memory only for what is written.
const ROOMY: &str = "size=2g";

const INSIDE: &str = "SANDTRAY_TEST_ACT";

/// Runs `test` as an ordinary user in a folder of its own; on a fresh tmpfs where `options` are given.
fn ordinary(module: &str, name: &str, options: Option<&str>, test: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(INSIDE) {
        test(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The same user under another number; root inside only as long as it takes to mount.
    let script = r#"
        if [ -n "$1" ]; then mount -t tmpfs -o "$1" tmpfs "$2" || exit 3; fi
        shift 2
        exec unshare -U --map-user=1000 --map-group=1000 "$@"
    "#;
    let run = |program: &[&str]| {
        let mut command = Command::new("unshare");
        command
            .args(["-Umr", "sh", "-c", script, "sh", options.unwrap_or("")])
            .arg(folder.path())
            .args(program);
        command
    };
    if !run(&["true"])
        .output()
        .is_ok_and(|done| done.status.success())
    {
        println!("skipped: {name}: no user namespaces here");
        return;
    }
    let module = module.split_once("::").map_or(module, |(_, rest)| rest);
    let exe = std::env::current_exe().unwrap();
    let status = run(&[])
        .arg(exe)
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
        .env(INSIDE, folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "the same test as an ordinary user");
}

/// Which of so many instants a loop tries: each with `SANDTRAY_EVERY_INSTANT`, as `cargo xtask test` sets it;
/// else the first, the last and every fifth, so that the everyday run stays short.
fn instants(count: usize) -> impl Iterator<Item = usize> {
    let every = std::env::var_os("SANDTRAY_EVERY_INSTANT").is_some();
    (0..count).filter(move |at| every || at % 5 == 0 || at + 1 == count)
}

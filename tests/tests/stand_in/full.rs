//! Zero bytes free on the volume of its data: it lives on, and no session is lost.
//!
//! The volume is a small tmpfs in a namespace of its own, in which the very same test runs once more.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use sandtray_tests::skip;
use sandtray_tests::stand_in::StandIn;

use crate::cannot;

const MOUNT: &str = "STAND_IN_TEST_MOUNT";

#[test]
fn with_no_byte_free_it_boots_and_quits_and_loses_no_session() {
    let test = "full::with_no_byte_free_it_boots_and_quits_and_loses_no_session";
    if cannot(test) {
        return;
    }
    if let Some(mount) = std::env::var_os(MOUNT) {
        return on_a_full_volume(Path::new(&mount));
    }
    let possible = Command::new("unshare").args(["-Umr", "true"]).status();
    if !possible.is_ok_and(|done| done.success()) {
        return skip::say(test, "no user namespaces here");
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=64m tmpfs \"$1\" && shift && exec \"$@\"";
    let status = Command::new("unshare")
        .args(["-Umr", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(MOUNT, folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "the same test inside its namespace");
}

fn on_a_full_volume(mount: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::at(folder.path(), &mount.join("Claude"))
        .running()
        .unwrap();
    fill(&mount.join("filler"));
    let before = stand_in.snapshot_tree().unwrap();
    stand_in.quit_politely_for_cleanup().unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("ready");
    stand_in.quit_politely_for_cleanup().unwrap();
    let after = stand_in.snapshot_tree().unwrap();
    assert_eq!(after.gone_since(&before), Vec::<std::path::PathBuf>::new());
    assert_eq!(after.new_since(&before), Vec::<std::path::PathBuf>::new());

    // A disk that cannot be made is a failure that it tells, and lives on with.
    let image = stand_in.bundle().sessions_image();
    fs::rename(&image, mount.join("parked.img")).unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("failed");
    assert!(stand_in.ask("status").unwrap().contains("vm=no"));
}

/// Takes every byte that is left.
fn fill(file: &Path) {
    let mut file = File::create(file).unwrap();
    let block = [1; 4_096];
    while file.write_all(&block).is_ok() {}
    while file.write_all(&block[..1]).is_ok() {}
}

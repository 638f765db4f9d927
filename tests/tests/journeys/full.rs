//! Zero bytes free and zero inodes free: start, show, warn.
//!
//! A small tmpfs is the full disk, mounted in a namespace of its own: a killed test leaves nothing
//! mounted, and an ordinary user can do it too.

use std::process::Command;

use sandtray_tests::machine::TestMachine;
use sandtray_tests::{ctl, skip};
use serde_json::Value;

use crate::{faults, only};

/// Runs `sandtrayctl status` on a machine whose home lies on a tmpfs with these options, after a
/// script has filled it. None where no namespace can be had.
fn status_on(test: &str, options: &str, fill: &str) -> Option<Value> {
    let machine = TestMachine::new().unwrap();
    let script = format!(
        "set -e\nmount -t tmpfs -o {options} tmpfs \"$HOME_UNDER_TEST\"\ncd \"$HOME_UNDER_TEST\"\n\
         mkdir -p .config .local/share tmp\n{fill}\nexec \"$CTL\" status --json --machine \"$MACHINE\""
    );
    let mut machine = machine;
    machine
        .set_temp_roots(vec![machine.home().join("tmp")])
        .unwrap();
    let mut command = Command::new("unshare");
    command.arg("-m");
    if !skip::is_root() {
        command.arg("-Ur");
    }
    command
        .args(["sh", "-c", &script])
        .env("HOME_UNDER_TEST", machine.home())
        .env("CTL", ctl::program())
        .env("MACHINE", machine.file());
    let ran = ctl::run(&mut command);
    if ran.err.contains("unshare") || ran.err.contains("mount:") {
        skip::say(test, format!("no mount namespace here: {}", ran.err.trim()));
        return None;
    }
    Some(ran.well().json())
}

#[test]
fn with_no_byte_free_it_starts_and_says_so_and_keeps_its_history_in_memory() {
    let test = "full::with_no_byte_free_it_starts_and_says_so_and_keeps_its_history_in_memory";
    let Some(status) = status_on(
        test,
        "size=2m",
        "dd if=/dev/zero of=filler bs=4096 2>/dev/null || true",
    ) else {
        return;
    };
    assert_eq!(
        faults(&status),
        ["history_in_memory"],
        "{:#}",
        status["faults"]
    );
    let gauge = only(&status["gauges"], |gauge| gauge["kind"] == "host_bytes");
    assert_eq!(
        (gauge["available"].as_u64(), gauge["verdict"].as_str()),
        (Some(0), Some("critical")),
        "{gauge:#}"
    );
    assert_eq!(gauge["memory"], true, "a tmpfs is memory: {gauge:#}");
    assert_eq!(status["verdict"], "critical");
}

#[test]
fn with_no_inode_free_it_says_which_kind_of_full_it_is() {
    let test = "full::with_no_inode_free_it_says_which_kind_of_full_it_is";
    let fill = "i=0; while touch tmp/file$i 2>/dev/null; do i=$((i+1)); done";
    let Some(status) = status_on(test, "size=8m,nr_inodes=120", fill) else {
        return;
    };
    let gauge = only(&status["gauges"], |gauge| gauge["kind"] == "host_inodes");
    assert_eq!(gauge["verdict"], "critical", "{gauge:#}");
    assert_eq!(gauge["available"], 0, "{gauge:#}");
    assert_eq!(
        faults(&status),
        ["history_in_memory"],
        "{:#}",
        status["faults"]
    );
}

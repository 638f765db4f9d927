//! The stand-in for Claude Desktop behaves as the facts say the app does: what the journeys of a
//! reset rest on. Linux, like the stand-in.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "all of this is a test"
)]

mod full;
mod misbehaves;
mod quits;
mod rebuilds;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sandtray_tests::{disk, skip};

/// Where disks cannot be made nothing here can run; says so.
fn cannot(test: &str) -> bool {
    let possible = disk::possible();
    if let Err(reason) = &possible {
        skip::say(test, reason);
    }
    possible.is_err()
}

/// Pids of processes that have this file open, by device and inode.
fn holders(file: &Path) -> Vec<u32> {
    let Ok(named) = fs::metadata(file) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let open = fs::read_dir(entry.path().join("fd")).into_iter().flatten();
        let holds = open.flatten().any(|fd| {
            fs::metadata(fd.path())
                .is_ok_and(|open| (open.dev(), open.ino()) == (named.dev(), named.ino()))
        });
        if holds {
            found.push(pid);
        }
    }
    found
}

/// The words that a process was started with.
fn words(pid: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
    text.split('\0').map(str::to_owned).collect()
}

/// The pid of a process's parent.
fn parent(pid: u32) -> u32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(')').unwrap();
    rest.split_whitespace().nth(1).unwrap().parse().unwrap()
}

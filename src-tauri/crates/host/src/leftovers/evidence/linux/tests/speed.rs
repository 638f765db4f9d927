//! How long a pass takes, printed and never asserted.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{Group, Place, ordinary};

/// Nanoseconds that this thread has run: a wall clock on a busy machine tells nothing.
fn ran() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().unwrap_or_default();
    first.parse().unwrap_or_default()
}

fn measure(place: &Place, whose: &str) {
    for _ in 0..3 {
        let (begun, before) = (Instant::now(), ran());
        let seen = place.seen();
        println!(
            "{whose}: {:?} of work, {:?} in all: {} processes, {} held, {} mount sources, {} listeners, {} named",
            std::time::Duration::from_nanos(ran().saturating_sub(before)),
            begun.elapsed(),
            seen.processes.len(),
            seen.held.len(),
            seen.mount_sources.len(),
            seen.listening.len(),
            seen.named.len(),
        );
    }
}

#[test]
fn a_pass_tells_how_long_it_took() {
    let place = Place::new();
    let script = "for i in $(seq 150); do sleep 60 & done; echo ready; wait";
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", script]).stdin(Stdio::null());
    let _many = Group::ready(shell).unwrap();
    measure(&place, "this user");
    ordinary(|| measure(&place, "an ordinary user"));
}

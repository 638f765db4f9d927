//! Processes that end while they are looked at: nothing is missing because of them.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::Place;

#[test]
fn processes_that_end_in_that_moment_hide_nothing() {
    let place = Place::new();

    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    Command::new("/bin/true").status().unwrap();
                }
            });
        }
        let passes: Vec<_> = (0..20).map(|_| place.seen().missing).collect();
        over.store(true, Ordering::Relaxed);
        for missing in passes {
            assert!(missing.is_empty(), "{missing:?}");
        }
    });
}

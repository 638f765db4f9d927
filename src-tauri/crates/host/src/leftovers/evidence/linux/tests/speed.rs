//! How long a pass takes, printed and never asserted.

use std::time::Instant;

use super::super::pass::{Scene, evidence};
use super::super::*;

#[test]
fn a_pass_tells_how_long_it_took() {
    let dir = tempfile::tempdir().unwrap();
    let machine = crate::machine::current().unwrap();
    for _ in 0..3 {
        let begun = Instant::now();
        let seen = evidence(
            &Scene::real(),
            &machine,
            &Claude::default(),
            &[dir.path().to_owned()],
        );
        println!(
            "{:?}: {} processes, {} held, {} sources, {} points, {} listeners, {} named, unseen {:?}, missing {:?}, agents {:?}, desktops {:?}, jobs {:?}, sessions {:?} boot {:?}",
            begun.elapsed(),
            seen.processes.len(),
            seen.held.len(),
            seen.mount_sources.len(),
            seen.mount_points.len(),
            seen.listening.len(),
            seen.named.len(),
            seen.unseen,
            seen.missing,
            seen.agents,
            seen.desktops,
            seen.jobs,
            seen.sessions,
            seen.boot,
        );
    }
}

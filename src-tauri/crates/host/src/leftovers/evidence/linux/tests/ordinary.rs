//! What an ordinary user may not see, beside root's processes and one of their own that is closed to them:
//! a program that may be run and not read.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sandtray_core::leftover::evidence::Unseen;

use super::super::pass::{Pass, Scene};
use super::{Group, Place, give, is_root, ordinary, until};
use crate::leftovers::evidence::kin;

/// A copy of a program that nobody but root may look into while it runs.
fn closed(place: &Place, name: &str) -> PathBuf {
    let program = place.copy(Path::new("/bin/sleep"), name);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o111)).unwrap();
    program
}

fn sleep(program: &Path) -> Group {
    Group::start(Command::new(program).arg("60"))
}

fn find(place: &Place, pid: u32) -> Option<Unseen> {
    place
        .seen()
        .unseen
        .into_iter()
        .find(|unseen| unseen.pid == pid)
}

/// Whether the tests themselves were started by somebody whose descendants count.
fn is_suspect(name: &str) -> bool {
    let scene = Scene::real();
    let mut pass = Pass::new(&scene);
    pass.run();
    let suspect = kin::suspicion(std::process::id(), &pass.table, scene.uid).is_some();
    if suspect {
        println!(
            "skipped: {name}: whoever runs the tests is a suspect, and so are all their children"
        );
    }
    suspect
}

#[test]
fn a_closed_process_counts_where_it_is_of_claudes_kin_and_strangers_and_root_do_not() {
    let name = "a_closed_process_counts_where_it_is_of_claudes_kin_and_strangers_and_root_do_not";
    let place = Place::new();
    let kin: Vec<PathBuf> = ["claude", "2.1.281", "node", "socat", "qemu-system-x86_64"]
        .iter()
        .map(|name| closed(&place, name))
        .collect();
    let stranger = closed(&place, "backup-daemon");
    let roots = closed(&place, "root/claude");
    let of_root = is_root().then(|| sleep(&roots));
    ordinary(|| {
        let running: Vec<Group> = kin.iter().map(|program| sleep(program)).collect();
        for group in &running {
            let unseen = until("the closed process", || find(&place, group.pid()));
            assert!(unseen.kin, "{unseen:?}");
            assert!(unseen.started.0 > 0);
        }
        // Not looked into is not forgotten: it may be what makes leftovers.
        let seen = place.seen();
        let claude = seen
            .agents
            .iter()
            .find(|agent| agent.pid == running[0].pid());
        let claude = claude.unwrap();
        assert!(claude.claude && claude.temp.is_none() && claude.version.is_none());
        let version = seen
            .agents
            .iter()
            .find(|agent| agent.pid == running[1].pid());
        assert_eq!(version.unwrap().version, Some((2, 1, 281)));
        if let Some(of_root) = &of_root {
            assert!(seen.unseen.iter().all(|unseen| unseen.pid != of_root.pid()));
            assert!(seen.agents.iter().all(|agent| agent.pid != of_root.pid()));
        }
        drop(running);
        if is_suspect(name) {
            return;
        }
        let stranger = sleep(&stranger);
        // It is a copy of ours until it runs its program.
        until("the stranger", || {
            fs::read_link(format!("/proc/{}/exe", stranger.pid()))
                .is_err()
                .then_some(())
        });
        let seen = place.seen();
        let ours = |unseen: &Unseen| {
            unseen.pid == stranger.pid() || seen.processes[&unseen.pid].name == "backup-daemon"
        };
        assert!(!seen.unseen.iter().any(ours), "{:?}", seen.unseen);
        assert!(seen.processes.contains_key(&stranger.pid()));
    });
}

#[test]
fn a_descendant_of_claude_counts_whatever_it_is_called() {
    let place = Place::new();
    let inner = closed(&place, "innocent");
    let claude = place.copy(Path::new("/bin/sh"), "claude");
    let note = place.file("note", "");
    give(&note);
    ordinary(|| {
        let script = format!(
            "'{}' 60 & echo $! > '{}'; echo ready; wait",
            inner.display(),
            note.display()
        );
        let _claude = Group::ready(Command::new(&claude).args(["-c", &script])).unwrap();
        let pid: u32 = fs::read_to_string(&note).unwrap().trim().parse().unwrap();
        let unseen = until("the descendant", || find(&place, pid));
        assert!(unseen.kin && unseen.name == "innocent", "{unseen:?}");
    });
}

#[test]
fn a_registry_that_may_not_be_read_is_a_missing_signal() {
    let place = Place::new();
    let folder = place.folder("config/sessions");
    give(&folder);
    ordinary(|| {
        use sandtray_core::leftover::Signal;
        assert!(!place.seen().missing.contains_key(&Signal::Sessions));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
        let missing = place.seen().missing;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        let cause = &missing[&Signal::Sessions];
        assert!(cause.contains("config/sessions"), "{cause}");
        assert_eq!(missing.len(), 1);
    });
}

#[test]
fn beside_root_an_ordinary_user_still_sees_what_is_theirs() {
    let place = Place::new();
    let file = place.file("output", "x");
    give(&file);
    ordinary(|| {
        let open = fs::OpenOptions::new().append(true).open(&file).unwrap();
        let writer = Group::start(
            Command::new("/bin/sleep")
                .arg("60")
                .stdin(Stdio::from(open)),
        );
        let seen = place.seen();
        assert_eq!(seen.held[&super::id(&file)].pid, writer.pid());
        assert_eq!(seen.missing, Default::default());
        assert!(!seen.mount_sources.is_empty() && seen.boot.is_some());
        assert!(seen.processes.contains_key(&1));
    });
}

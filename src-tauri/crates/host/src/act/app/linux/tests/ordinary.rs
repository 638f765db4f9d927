//! The proof of an ordinary user, who may not look into most processes.
//!
//! As root, a thread gives up its rights for good and looks from there; elsewhere the tests are that user
//! already. A program that its user may run and not read makes a process that even its user may not look
//! into.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use sandtray_core::act::refusal::Holder;

use super::super::super::Held;
use super::super::holders;
use super::{Group, Place, is_root};

const NOBODY: u32 = 65534;

/// Runs `look` as somebody who is not root.
fn ordinary<T: Send>(look: impl FnOnce() -> T + Send) -> T {
    if !is_root() {
        return look();
    }
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            use rustix::process::{Gid, Uid};
            use rustix::thread::{set_thread_res_gid, set_thread_res_uid};
            let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            set_thread_res_gid(gid, gid, gid).unwrap();
            set_thread_res_uid(uid, uid, uid).unwrap();
            look()
        });
        thread.join().unwrap()
    })
}

fn held(place: &Place, file: &Path) -> Vec<Holder> {
    let files = [file.to_owned()];
    match holders(&place.machine(), &place.claude(), &files) {
        Held::No => Vec::new(),
        Held::By(holders) => holders,
        Held::Unknown(cause) => panic!("{cause}"),
    }
}

/// A disk of that user's.
fn disk(place: &Place) -> PathBuf {
    let file = place.file("sessiondata.img");
    if is_root() {
        chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    file
}

/// A copy of a program that may be run and not read, except by root.
fn closed(place: &Place, original: &str, name: &str) -> PathBuf {
    let program = place.program(original, name);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o111)).unwrap();
    program
}

#[test]
fn a_process_that_nobody_may_look_into_is_a_suspect_by_its_name_alone_and_strangers_are_not() {
    let place = Place::new();
    let file = disk(&place);
    let suspects = ["qemu-system-x86_64", "virtiofsd", "cowork-linux-helper"];
    let programs: Vec<PathBuf> = suspects
        .iter()
        .map(|name| closed(&place, "/bin/sleep", name))
        .collect();
    let stranger = closed(&place, "/bin/sleep", "backup-daemon");
    let (found, pids, stranger) = ordinary(|| {
        let sleep = |program: &PathBuf| Group::start(Command::new(program).arg("60"));
        let stranger = sleep(&stranger);
        let alone = held(&place, &file);
        assert!(
            alone.iter().all(|holder| holder.pid != stranger.pid()),
            "{alone:?}"
        );
        let running: Vec<Group> = programs.iter().map(sleep).collect();
        let pids: Vec<u32> = running.iter().map(Group::pid).collect();
        (held(&place, &file), pids, stranger.pid())
    });
    for pid in pids {
        let suspect = found.iter().find(|holder| holder.pid == pid).unwrap();
        assert!(suspect.vm && suspect.file.is_none(), "{suspect:?}");
    }
    assert!(
        found.iter().all(|holder| holder.pid != stranger),
        "{found:?}"
    );
}

#[test]
fn ancestry_that_leads_to_the_app_makes_a_suspect_and_lost_ancestry_does_not() {
    let place = Place::new();
    let file = disk(&place);
    let inner = closed(&place, "/bin/sleep", "innocent");
    let script = format!(
        "'{inner}' 60 & echo $! > '{note}'; echo ready; wait",
        inner = inner.display(),
        note = place.path().join("note").display()
    );
    let note = place.path().join("note");
    fs::write(&note, "").unwrap();
    fs::set_permissions(&note, fs::Permissions::from_mode(0o666)).unwrap();
    let shell = place.program("/bin/sh", "bin/terminal");
    ordinary(|| {
        let app = place.run(&place.app(), &script);
        let pid: u32 = fs::read_to_string(&note).unwrap().trim().parse().unwrap();
        // The child is a copy of the shell until it runs the other program, and may be looked into.
        super::until("the program", || {
            fs::read(format!("/proc/{pid}/comm"))
                .is_ok_and(|name| name == b"innocent\n")
                .then_some(())
        });
        let found = held(&place, &file);
        let suspect = found.iter().find(|holder| holder.pid == pid).unwrap();
        assert!(suspect.vm && suspect.file.is_none(), "{suspect:?}");
        assert!(
            found.iter().all(|holder| holder.pid != app.pid()),
            "the app itself can be seen to hold nothing"
        );
        drop(app);
        let stranger = place.run(&shell, &script);
        let pid: u32 = fs::read_to_string(&note).unwrap().trim().parse().unwrap();
        let found = held(&place, &file);
        let ours = [pid, stranger.pid()];
        assert!(
            found.iter().all(|holder| !ours.contains(&holder.pid)),
            "{found:?}"
        );
    });
}

#[test]
fn a_writer_that_no_look_can_find_is_known_to_the_kernel_and_a_reader_is_not() {
    let place = Place::new();
    let file = disk(&place);
    let program = closed(&place, "/bin/sleep", "innocent");
    let start = |open: &OpenOptions| {
        let file = open.open(&file).unwrap();
        Group::start(Command::new(&program).arg("60").stdin(Stdio::from(file)))
    };
    ordinary(|| {
        // Suspects may be other tests'.
        let known = || {
            let mut found = held(&place, &file);
            found.retain(|holder| holder.file.is_some());
            found
        };
        let reader = start(OpenOptions::new().read(true));
        assert_eq!(known(), []);
        drop(reader);
        let writer = start(OpenOptions::new().append(true));
        let found = known();
        assert_eq!((found.len(), found[0].pid), (1, 0), "{found:?}");
        assert!(found[0].name.contains("cannot see"), "{found:?}");
        drop(writer);
        assert_eq!(known(), []);
    });
}

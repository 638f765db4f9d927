//! Trees of `/proc` that tests write: what cannot be had on the machine that runs them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::Evidence;
use sandtray_core::settings::Claude;
use sandtray_core::time::Time;

use super::super::gathered;
use super::super::pass::Scene;
use super::super::view;
use super::Place;

const ADA: u32 = 1000;
const OWN: u32 = 42;

/// A machine of processes.
struct Tree(Place);

impl Tree {
    /// Root's first process, and our own.
    fn new() -> Self {
        let tree = Self::bare();
        tree.process(1, 0, "systemd", 0);
        tree
    }

    /// Our own process alone.
    fn bare() -> Self {
        let tree = Self(Place::new());
        tree.write("stat", "cpu 1 2 3\nbtime 1790000000\n");
        tree.process(OWN, 1, "sandtray", ADA);
        tree
    }

    fn proc(&self) -> PathBuf {
        self.0.path().join("proc")
    }

    fn write(&self, name: &str, text: &str) {
        self.0.file(&format!("proc/{name}"), text);
    }

    fn process(&self, pid: u32, parent: u32, name: &str, uid: u32) {
        let stat = format!(
            "{pid} ({name}) S {parent} 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 500 0 0\n"
        );
        self.write(&format!("{pid}/stat"), &stat);
        let status = format!("Name:\t{name}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nNSpid:\t{pid}\n");
        self.write(&format!("{pid}/status"), &status);
        for name in ["maps", "environ", "net/unix"] {
            self.write(&format!("{pid}/{name}"), "");
        }
        self.mounts(pid, "");
        fs::create_dir_all(self.proc().join(format!("{pid}/fd"))).unwrap();
    }

    fn mounts(&self, pid: u32, more: &str) {
        let text = format!(
            "1 0 254:0 / / rw - ext4 /dev/vda rw\n2 1 0:21 / /proc rw - proc proc rw\n{more}"
        );
        self.write(&format!("{pid}/mountinfo"), &text);
    }

    fn link(&self, name: &str, target: &str) {
        let path = self.proc().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    fn seen(&self) -> Evidence {
        let scene = Scene {
            proc: self.proc(),
            blocks: self.0.path().join("no-blocks"),
            own: OWN,
            uid: ADA,
            real: false,
        };
        gathered::evidence(&scene, &self.0.machine(), &Claude::default(), &[])
    }

    fn all_missing(&self) -> Option<String> {
        let missing = self.seen().missing;
        if missing.is_empty() {
            return None;
        }
        assert_eq!(missing.len(), view::ALL.len(), "{missing:?}");
        missing.into_values().next()
    }
}

#[test]
fn a_whole_tree_misses_nothing_and_counts_time_from_the_start_of_the_machine() {
    let tree = Tree::new();
    let seen = tree.seen();
    assert_eq!(seen.missing, Default::default());
    assert_eq!(seen.boot, Some(Time(1_790_000_000)));
    assert_eq!(seen.processes[&1].started, Time(1_790_000_005));
    assert_eq!(seen.processes[&OWN].name, "sandtray");
    assert!(seen.unseen.is_empty() && seen.desktops == Some(Default::default()));
}

#[test]
fn where_others_are_hidden_every_signal_is_missing() {
    let tree = Tree::bare();
    assert!(tree.all_missing().unwrap().contains("hidepid"));
    // The first process is our own, as in some containers; the options say it.
    let tree = Tree::bare();
    tree.process(1, 0, "systemd", ADA);
    assert_eq!(tree.all_missing(), None);
    tree.mounts(
        OWN,
        "3 1 0:22 / /proc rw - proc proc rw,hidepid=invisible\n",
    );
    assert!(tree.all_missing().unwrap().contains("hidepid"));
    // Whoever sees a stranger may see all.
    tree.process(77, 1, "stranger", 0);
    assert_eq!(tree.all_missing(), None);
}

#[test]
fn where_there_is_no_proc_or_not_our_own_every_signal_is_missing() {
    let tree = Tree::new();
    fs::remove_dir_all(tree.proc().join(OWN.to_string())).unwrap();
    assert!(tree.all_missing().unwrap().contains("own processes"));
    fs::remove_dir_all(tree.proc()).unwrap();
    assert!(tree.all_missing().unwrap().contains("proc"));
    assert_eq!(tree.seen().desktops, None);
}

#[test]
fn a_sandbox_around_ourselves_is_named() {
    let tree = Tree::new();
    tree.write(
        &format!("{OWN}/attr/current"),
        "snap.sandtray.sandtray (enforce)\n",
    );
    assert!(tree.all_missing().unwrap().contains("snap"));
    tree.write(&format!("{OWN}/attr/current"), "unconfined\n");
    assert_eq!(tree.all_missing(), None);
}

#[test]
fn a_container_that_shares_folders_sees_too_little_and_a_whole_system_sees_enough() {
    let namespace = |first: &str| {
        let tree = Tree::bare();
        tree.process(1, 0, first, 0);
        tree.link(&format!("{OWN}/ns/pid"), "pid:[4026532764]");
        tree
    };
    for first in ["sh", "bwrap", "docker-init"] {
        assert!(
            namespace(first)
                .all_missing()
                .unwrap()
                .contains("container"),
            "{first}"
        );
    }
    // WSL2's is called so.
    for first in ["systemd", "init(Ubuntu)", "init"] {
        assert_eq!(namespace(first).all_missing(), None, "{first}");
    }
    // Its temp folders are its own layer.
    let tree = namespace("sh");
    let layer = "1 0 0:50 / / rw - overlay overlay rw\n";
    tree.write(&format!("{OWN}/mountinfo"), layer);
    assert_eq!(tree.all_missing(), None);
    let tree = Tree::new();
    tree.link(&format!("{OWN}/ns/pid"), "pid:[4026531836]");
    assert_eq!(tree.all_missing(), None);
}

#[test]
fn a_table_that_cannot_be_read_is_missing_alone() {
    use sandtray_core::leftover::Signal;
    let tree = Tree::new();
    tree.process(50, 1, "x", ADA);
    fs::remove_file(tree.proc().join("50/mountinfo")).unwrap();
    assert_eq!(tree.all_missing(), None, "one that is not there has ended");
    fs::create_dir(tree.proc().join("50/mountinfo")).unwrap();
    let missing = tree.seen().missing;
    assert_eq!(missing.keys().collect::<Vec<_>>(), [&Signal::Mounts]);
    assert!(missing[&Signal::Mounts].contains("mounts"), "{missing:?}");
    tree.write("stat", "cpu\n");
    let missing = tree.seen().missing;
    assert!(
        missing[&Signal::Processes].contains("started"),
        "{missing:?}"
    );
}

#[test]
fn hostile_texts_are_left_out_and_nothing_panics() {
    let tree = Tree::new();
    for (pid, name, text) in [
        (50, "stat", "not a stat"),
        (51, "status", "Uid:\t\u{7f}\nNSpid:\tx\n"),
        (
            52,
            "maps",
            "a-b rw-s zz fe:01 7 /x\n7f-8 rw-s 0 ffffffff:1 9 /x\n",
        ),
        (53, "mountinfo", "1 1 1:1\n\\9 \\\n"),
        (54, "net/unix", "a: 0 0 10000 1 1 1 /\u{1}\u{2}\n"),
        (55, "environ", "=\0==\0A=/\0B=\0CLAUDE_JOB_DIR=x"),
    ] {
        tree.process(pid, 1, "x", ADA);
        tree.write(&format!("{pid}/{name}"), text);
    }
    tree.process(u32::MAX, 1, ") S 1 (", ADA);
    let seen = tree.seen();
    assert!(!seen.processes.contains_key(&50) && seen.processes.contains_key(&u32::MAX));
    assert!(seen.listening.contains(&b"\x01\x02"[..]));
    assert!(seen.jobs.is_empty());
}

#[test]
fn a_mount_table_is_read_for_every_namespace_that_differs() {
    let tree = Tree::new();
    let bind = |name: &str| format!("9 1 254:0 /{name} /mnt rw - ext4 /dev/vda rw\n");
    for (pid, name) in [(50, "claude-empty-Aaaaaa"), (51, "claude-empty-Bbbbbb")] {
        tree.process(pid, 1, "sh", ADA);
        tree.mounts(pid, &bind(name));
    }
    let sources = tree.seen().mount_sources;
    for name in ["/claude-empty-Aaaaaa", "/claude-empty-Bbbbbb"] {
        assert!(
            sources.iter().any(|source| source.path == name.as_bytes()),
            "{name}"
        );
    }
    assert!(
        sources
            .iter()
            .all(|source| source.path != Path::new("/mnt").as_os_str().as_encoded_bytes())
    );
}

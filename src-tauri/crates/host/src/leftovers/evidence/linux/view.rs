//! What this program cannot see at all: processes that `/proc` hides, and those outside of a sandbox or a
//! container around ourselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::Signal;

use super::look::Folder;
use super::pass::Pass;
use crate::volume::mountinfo::{self, Mount};

/// The namespace in which the machine's own first process runs has this number, always.
const FIRST: &[u8] = b"pid:[4026531836]";

/// What each missing signal is missing for: all of them, where processes are hidden.
pub(super) fn missing(pass: &Pass<'_>, folders: &[PathBuf]) -> BTreeMap<Signal, String> {
    match hidden(pass, folders) {
        None => BTreeMap::new(),
        Some(cause) => ALL.iter().map(|signal| (*signal, cause.clone())).collect(),
    }
}

pub(super) const ALL: [Signal; 6] = [
    Signal::Held,
    Signal::Mounts,
    Signal::Sockets,
    Signal::Sessions,
    Signal::Environments,
    Signal::Processes,
];

/// Why there may be processes that are not listed.
fn hidden(pass: &Pass<'_>, folders: &[PathBuf]) -> Option<String> {
    if let Some(error) = &pass.failed {
        return Some(error.clone());
    }
    let own = pass.folder(pass.scene.own).or_else(|| pass.own_thread());
    let Some(own) = own.filter(|_| pass.table.contains_key(&pass.scene.own)) else {
        return Some("/proc does not show this user's own processes".to_owned());
    };
    if pass.scene.real && Path::new("/.flatpak-info").exists() {
        return Some("this program runs in a Flatpak and sees no other processes".to_owned());
    }
    let label = own.read("attr/current").unwrap_or_default();
    if label.starts_with(b"snap.") {
        return Some("this program runs in a snap, which keeps other processes from it".to_owned());
    }
    let mounts = own.read("mountinfo").unwrap_or_default();
    let strangers = pass.table.values().any(|known| {
        known
            .rights
            .is_some_and(|rights| !rights.has(pass.scene.uid))
    });
    if !pass.table.contains_key(&1) || (hides(&mounts) && pass.scene.uid != 0 && !strangers) {
        return Some("/proc hides other users' processes (hidepid)".to_owned());
    }
    contained(pass, &own, &mountinfo::parse(&mounts), folders).then(|| {
        "this program runs in a container or a sandbox and cannot see processes outside that share its folders"
            .to_owned()
    })
}

/// Whether `/proc` was mounted so that it hides others' processes.
fn hides(mountinfo: &[u8]) -> bool {
    mountinfo
        .split(|byte| *byte == b'\n')
        .rfind(|line| {
            let mut fields = line.split(|byte| *byte == b' ');
            fields.nth(4) == Some(b"/proc") && fields.any(|field| field == b"proc")
        })
        .is_some_and(|line| {
            let option = b"hidepid=";
            let at = line.windows(option.len()).position(|part| part == option);
            at.and_then(|at| line.get(at + option.len()..))
                .is_some_and(|value| !value.starts_with(b"0") && !value.starts_with(b"off"))
        })
}

/// Whether processes outside of our own numbering may use the same folders. A container that is a whole
/// system of its own (WSL2, one with an init) and one whose temp folders are its own share none.
fn contained(pass: &Pass<'_>, own: &Folder, mounts: &[Mount], folders: &[PathBuf]) -> bool {
    let namespace = own
        .link("ns/pid")
        .or_else(|error| pass.own_thread().ok_or(error)?.link("ns/pid"));
    let Ok(namespace) = namespace else {
        return false;
    };
    if namespace.as_bytes() == FIRST {
        return false;
    }
    let first = pass.table.get(&1).and_then(|known| known.names.first());
    let whole_system = first.is_some_and(|name| {
        [&b"systemd"[..], b"init"]
            .iter()
            .any(|known| name.starts_with(known))
    });
    !whole_system && !folders.iter().all(|folder| is_own(folder, mounts))
}

/// Whether a folder lies on a filesystem that belongs to this container: its own layer, or memory.
fn is_own(folder: &Path, mounts: &[Mount]) -> bool {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    mounts
        .iter()
        .filter(|mount| folder.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count())
        .is_some_and(|mount| {
            mount.root == Path::new("/")
                && matches!(
                    mount.filesystem.as_str(),
                    "overlay" | "fuse.fuse-overlayfs" | "tmpfs"
                )
        })
}

/// Windows' Linux says so in its kernel's name.
pub(super) fn is_wsl(proc: &Path) -> bool {
    std::fs::read(proc.join("sys/kernel/osrelease")).is_ok_and(|text| {
        String::from_utf8_lossy(&text)
            .to_lowercase()
            .contains("microsoft")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proc_that_hides_is_known_by_its_options() {
        let line = |options: &str| format!("22 1 0:21 / /proc rw,nosuid - proc proc {options}\n");
        for options in [
            "rw,hidepid=2",
            "rw,hidepid=invisible,gid=4",
            "rw,hidepid=ptraceable",
        ] {
            assert!(hides(line(options).as_bytes()), "{options}");
        }
        for options in ["rw", "rw,hidepid=0", "rw,hidepid=off"] {
            assert!(!hides(line(options).as_bytes()), "{options}");
        }
        // Another's view of it, mounted elsewhere.
        let other = "23 1 0:22 / /srv/jail/proc rw - proc proc rw,hidepid=2\n";
        assert!(!hides(format!("{}{other}", line("rw")).as_bytes()));
        assert!(!hides(b""));
    }

    #[test]
    fn a_containers_own_layers_are_its_own_and_what_was_bound_in_is_not() {
        let mounts = mountinfo::parse(
            b"1 0 0:50 / / rw - overlay overlay rw\n2 1 0:51 / /dev/shm rw - tmpfs shm rw\n\
              3 1 254:0 /home/ada/shop /site rw - ext4 /dev/vda rw\n4 1 0:27 /sub /bound rw - tmpfs tmpfs rw\n",
        );
        for folder in ["/nowhere/tmp", "/dev/shm/x"] {
            assert!(is_own(Path::new(folder), &mounts), "{folder}");
        }
        for folder in ["/site/tmp", "/bound/x"] {
            assert!(!is_own(Path::new(folder), &mounts), "{folder}");
        }
    }
}

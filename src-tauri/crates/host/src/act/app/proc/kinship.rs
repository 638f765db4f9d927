//! Who a process belongs to, by its own name and those of its ancestors.
//!
//! An ordinary user may not look into most processes, and nearly all of them are none of our business:
//! one that cannot be looked into is a suspect only where its ancestry leads to the app or its VM (P2).
//! A process whose ancestors are gone and whose name says nothing is not one: root's daemons hold no
//! private file.

use std::collections::BTreeMap;

use super::Stat;

/// All processes of one look, by number.
pub(in super::super) type Table = BTreeMap<u32, Stat>;

/// The kernel keeps this many bytes of a name.
const NAME_MAX: usize = 15;

/// The app's own companion that starts the VM.
const COMPANION: &[u8] = b"cowork-linux-helper";

/// What a process has to do with the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Kin {
    /// Nothing that could be seen.
    None,
    /// It is the app's main process, or calls itself so.
    App,
    /// The VM, one of its companions, or something that the app started.
    Vm,
}

/// The names by which the app's own processes are known where their executable cannot be seen.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Names(Vec<Vec<u8>>);

impl Names {
    /// Takes the file names of the app's executables. `electron` is every other app's name too.
    pub(in super::super) fn new<'a>(executables: impl Iterator<Item = &'a [u8]>) -> Self {
        Self(
            executables
                .filter(|name| !name.is_empty() && *name != b"electron")
                .map(|name| name.get(..NAME_MAX).unwrap_or(name).to_vec())
                .collect(),
        )
    }

    fn has(&self, name: &[u8]) -> bool {
        self.0.iter().any(|known| known == name)
    }
}

/// What `pid` has to do with the app. `is_app` says whether a process runs the app's executable; where
/// that cannot be seen its name decides.
pub(in super::super) fn kin(
    pid: u32,
    table: &Table,
    names: &Names,
    is_app: &dyn Fn(u32) -> Option<bool>,
) -> Kin {
    let app = |stat: &Stat| is_app(stat.pid).unwrap_or_else(|| names.has(&stat.name));
    let mut chain = ancestry(pid, table);
    let Some(own) = chain.next() else {
        return Kin::None;
    };
    if is_vm(&own.name) || chain.any(|stat| is_vm(&stat.name) || app(stat)) {
        Kin::Vm
    } else if app(own) {
        Kin::App
    } else {
        Kin::None
    }
}

/// A VM, the companion that starts it, or the one that shares folders with it.
fn is_vm(name: &[u8]) -> bool {
    let cut = |full: &'static [u8]| full.get(..NAME_MAX).unwrap_or(full);
    name.starts_with(b"qemu-system-")
        || name == b"qemu-kvm"
        || name == b"virtiofsd"
        // macOS's own process for every VM, cut as all names are.
        || name.starts_with(b"com.apple.Virtu")
        || name == cut(COMPANION)
        || name == COMPANION
}

/// A process and its ancestors, nearest first. A table put together while numbers were given again may
/// hold a circle: it ends after as many steps as there are processes.
fn ancestry(pid: u32, table: &Table) -> impl Iterator<Item = &Stat> {
    std::iter::successors(table.get(&pid), |stat| table.get(&stat.parent)).take(table.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: u32 = 100;

    fn table(rows: &[(u32, u32, &str)]) -> Table {
        rows.iter()
            .map(|(pid, parent, name)| {
                let stat = Stat {
                    pid: *pid,
                    parent: *parent,
                    name: name.as_bytes().to_vec(),
                    ended: false,
                    threads: 1,
                    started: 1,
                };
                (*pid, stat)
            })
            .collect()
    }

    fn judged(pid: u32, table: &Table) -> Kin {
        let names = Names::new([&b"claude-desktop"[..], b"electron"].into_iter());
        kin(pid, table, &names, &|pid| Some(pid == APP))
    }

    #[test]
    fn whatever_descends_from_the_app_or_its_vm_is_kin_and_strangers_are_not() {
        let table = table(&[
            (1, 0, "systemd"),
            (APP, 1, "claude-desktop"),
            (101, APP, "chrome-sandbox"),
            (102, 101, "anything"),
            (200, 1, "cowork-linux-he"),
            (201, 200, "passt"),
            (300, 1, "qemu-system-x86"),
            (301, 1, "virtiofsd"),
            (302, 301, "virtiofsd"),
            (400, 1, "sshd"),
            (401, 400, "bash"),
            (402, 401, "claude"),
            (403, 401, "electron"),
            (404, 1, "qemu-ga"),
            (500, 1, "com.apple.Virtua"),
        ]);
        assert_eq!(judged(APP, &table), Kin::App);
        for pid in [101, 102, 200, 201, 300, 301, 302, 500] {
            assert_eq!(judged(pid, &table), Kin::Vm, "{pid}");
        }
        for pid in [1, 400, 401, 402, 403, 404, 999] {
            assert_eq!(judged(pid, &table), Kin::None, "{pid}");
        }
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let table = table(&[(5, 6, "a"), (6, 5, "b"), (7, 7, "c")]);
        for pid in [5, 6, 7] {
            assert_eq!(judged(pid, &table), Kin::None);
        }
    }

    #[test]
    fn the_app_is_known_by_its_cut_name_where_its_executable_cannot_be_seen() {
        let table = table(&[(9, 1, "claude-desktop-")]);
        let names = Names::new([&b"claude-desktop-unofficial"[..]].into_iter());
        assert_eq!(kin(9, &table, &names, &|_| None), Kin::App);
        // A script that starts the app bears its name and is a shell.
        assert_eq!(kin(9, &table, &names, &|_| Some(false)), Kin::None);
        let common = Names::new([&b"electron"[..], b""].into_iter());
        let table = self::table(&[(9, 1, "electron")]);
        assert_eq!(kin(9, &table, &common, &|_| None), Kin::None);
    }
}

//! Which of the processes that cannot be looked into may hold something of this user's.
//!
//! An ordinary user may look into few processes, and if all others counted nothing could ever be proven.
//! Root's hold no private files. Another user's cannot open them, unless one of ours started it. Of our
//! own, those matter whose ancestry leads to a program that uses such files; and those whose ancestry is
//! lost, because it may have.

use std::collections::BTreeMap;

use super::programs;
use super::status::Rights;

/// What everybody may know of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The number of its parent, or of whoever took it over.
    pub(super) parent: u32,
    /// The names it goes by: its own, and its executable's where that can be seen.
    pub(super) names: Vec<Vec<u8>>,
    /// Whose it is; none where that cannot be said, and then it may be ours.
    pub(super) rights: Option<Rights>,
    /// It is the first of a namespace, and takes over whoever loses their parent there.
    pub(super) reaper: bool,
}

impl Known {
    fn is_kin(&self) -> bool {
        self.names.iter().any(|name| programs::is_kin(name))
    }

    fn is_root(&self) -> bool {
        self.rights.is_some_and(Rights::is_root)
    }

    fn is_of(&self, uid: u32) -> bool {
        self.rights.is_none_or(|rights| rights.has(uid))
    }
}

/// All processes of one pass, by number.
pub(super) type Table = BTreeMap<u32, Known>;

/// Whether a process may hold something of this user's: `Some(true)` where its ancestry leads to a program
/// that uses such files, `Some(false)` where its ancestry is lost, none where it holds nothing of ours.
pub(super) fn suspicion(pid: u32, table: &Table, uid: u32) -> Option<bool> {
    let own = table.get(&pid)?;
    if own.is_root() {
        return None;
    }
    let ours = |known: &Known| known.is_of(uid);
    if !ancestry(pid, table).any(|(_, known)| ours(known)) {
        return None;
    }
    if ancestry(pid, table).any(|(_, known)| known.is_kin()) {
        return Some(true);
    }
    ancestry(pid, table)
        .any(|(_, known)| !known.is_root() && is_reaper(known.parent, table))
        .then_some(false)
}

/// Whether children of this process may be somebody else's who has ended.
fn is_reaper(pid: u32, table: &Table) -> bool {
    pid <= 1
        || table
            .get(&pid)
            .is_none_or(|known| known.reaper || known.names.iter().any(|name| takes_over(name)))
}

/// Whether a process of this name takes over the children of others: the kernel does not tell, and these
/// are known to. Names are cut at 15 bytes.
fn takes_over(name: &[u8]) -> bool {
    matches!(
        name,
        b"systemd"
            | b"init"
            | b"conmon"
            | b"tini"
            | b"docker-init"
            | b"dumb-init"
            | b"catatonit"
            | b"runsv"
            | b"s6-svscan"
    ) || name.starts_with(b"containerd-shim")
}

/// A process and its ancestors, nearest first. A table put together while numbers were given again may
/// hold a circle: it ends after as many steps as there are processes.
fn ancestry(pid: u32, table: &Table) -> impl Iterator<Item = (u32, &Known)> {
    let first = table.get(&pid).map(|known| (pid, known));
    std::iter::successors(first, |(_, known)| {
        table
            .get(&known.parent)
            .map(|parent| (known.parent, parent))
    })
    .take(table.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: u32 = 1000;
    const BOB: u32 = 1001;

    fn table(rows: &[(u32, u32, &str, u32)]) -> Table {
        rows.iter()
            .map(|(pid, parent, name, uid)| {
                let known = Known {
                    parent: *parent,
                    names: vec![name.as_bytes().to_vec()],
                    rights: Some(Rights {
                        real: *uid,
                        effective: *uid,
                    }),
                    reaper: *pid == 1,
                };
                (*pid, known)
            })
            .collect()
    }

    fn machine() -> Table {
        table(&[
            (1, 0, "systemd", 0),
            (10, 1, "sshd", 0),
            (11, 10, "sshd", ADA),
            (12, 11, "bash", ADA),
            (13, 12, "ssh-agent", ADA),
            (20, 12, "claude", ADA),
            (21, 20, "bash", ADA),
            (22, 21, "gpg", ADA),
            (23, 21, "sudo", 0),
            (24, 23, "psql", BOB),
            (30, 1, "systemd", ADA),
            (31, 30, "gnome-keyring-d", ADA),
            (40, 1, "orphan", ADA),
            (50, 1, "node", BOB),
            (51, 1, "resolved", 101),
            (60, 10, "bwrap", ADA),
            (61, 999, "lost", ADA),
        ])
    }

    #[test]
    fn descendants_of_claude_are_kin_whoever_they_run_as_and_roots_are_not() {
        let table = machine();
        for pid in [20, 22, 24, 60] {
            assert_eq!(suspicion(pid, &table, ADA), Some(true), "{pid}");
        }
        for pid in [1, 10, 23] {
            assert_eq!(suspicion(pid, &table, ADA), None, "{pid}");
        }
    }

    #[test]
    fn a_process_whose_ancestry_is_known_and_leads_elsewhere_holds_nothing() {
        let table = machine();
        for pid in [11, 13, 50, 51, 77] {
            assert_eq!(suspicion(pid, &table, ADA), None, "{pid}");
        }
    }

    #[test]
    fn whoever_may_have_lost_a_parent_is_lost() {
        let mut table = machine();
        for pid in [31, 40, 61] {
            assert_eq!(suspicion(pid, &table, ADA), Some(false), "{pid}");
        }
        // In a container of one's own the first process takes over.
        table.extend(self::table(&[(70, 10, "sh", ADA), (71, 70, "x", ADA)]));
        assert_eq!(suspicion(71, &table, ADA), None);
        table.get_mut(&70).unwrap().reaper = true;
        assert_eq!(suspicion(71, &table, ADA), Some(false));
        table.extend(self::table(&[
            (80, 1, "containerd-shim-", 0),
            (81, 80, "x", ADA),
        ]));
        assert_eq!(suspicion(81, &table, ADA), Some(false));
    }

    #[test]
    fn a_process_of_unknown_owner_may_be_ours() {
        let mut table = machine();
        table.get_mut(&40).unwrap().rights = None;
        assert_eq!(suspicion(40, &table, ADA), Some(false));
        table.get_mut(&50).unwrap().rights = None;
        assert_eq!(suspicion(50, &table, ADA), Some(true));
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let table = table(&[(5, 6, "a", ADA), (6, 5, "b", ADA), (7, 7, "c", ADA)]);
        for pid in [5, 6, 7] {
            assert_eq!(suspicion(pid, &table, ADA), None);
        }
    }
}

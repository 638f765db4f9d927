//! Sessions of Claude Code: the registry, environments, and processes that neither names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use sandtray_core::leftover::evidence::Session;
use sandtray_core::time::Time;

use super::programs::Version;
use super::registry::{self, Domain, Record, Seen};
use super::told::Told;

/// A process that lives, as far as a record can be held against it.
pub(super) struct Running<'a> {
    pub(super) pid: u32,
    /// Its numbers in namespaces within ours.
    pub(super) inner: &'a [u32],
    /// When it started, as the registry counts; none where this system counts otherwise.
    pub(super) start: Option<u64>,
    pub(super) started: Time,
}

/// Sessions, and the versions of processes that the registry tells.
pub(super) type Found = (Vec<Session>, BTreeMap<u32, Version>);

/// # Errors
/// Where a registry, or the record of a process that lives, cannot be read: its session may be any.
pub(super) fn sessions(
    told: &Told,
    running: &[Running<'_>],
    configs: &BTreeSet<PathBuf>,
    domain: &Domain,
    boot: Option<Time>,
) -> Result<Found, String> {
    let (mut sessions, mut versions) = (Vec::new(), BTreeMap::new());
    for config in configs {
        for record in registry::read(config)? {
            let alive = registry::alive(&record, seen(told, running, &record), domain, boot);
            if record.damaged && alive != Some(false) {
                let folder = config.join("sessions");
                let cause = "the record of a live process makes no sense";
                return Err(format!("read {}: {cause}", folder.display()));
            }
            if let (Some(true), Some(version)) = (alive, record.version) {
                versions.insert(record.pid, version);
            }
            sessions.push(Session {
                pid: record.pid,
                id: record.id,
                cwd: record.cwd,
                alive,
            });
        }
    }
    let lives = |pid: u32, id: String, cwd: Option<PathBuf>| Session {
        pid,
        id,
        cwd,
        alive: Some(true),
    };
    for (id, pid) in &told.sessions {
        sessions.push(lives(*pid, id.clone(), None));
    }
    // A record that is missing proves nothing (#74566): whoever runs in a folder works there.
    for (pid, cwd) in told.claudes() {
        let known = |session: &Session| session.pid == pid && session.alive == Some(true);
        if !sessions
            .iter()
            .any(|session| known(session) && session.cwd.is_some())
        {
            sessions.push(lives(pid, String::new(), cwd.map(ToOwned::to_owned)));
        }
    }
    Ok((sessions, versions))
}

/// What the processes say of a record's: those that have its number, in our numbering or in one within.
fn seen(told: &Told, running: &[Running<'_>], record: &Record) -> Seen {
    let mut seen = Seen {
        all_newer: true,
        ..Seen::default()
    };
    for process in running {
        if process.pid != record.pid && !process.inner.contains(&record.pid) {
            continue;
        }
        seen.there = true;
        seen.same_start |= record.start.is_some() && record.start == process.start;
        // Both are rounded to seconds.
        seen.all_newer &= process.started > record.written.plus(2);
        seen.is_claude |= told.claudes().any(|(pid, _)| pid == process.pid);
    }
    seen
}

//! Sessions of Claude Code: the registry, environments, and processes that neither names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use sandtray_core::leftover::evidence::Session;
use sandtray_core::time::Time;

use super::pass::Pass;
use crate::act::app::proc::Stat;
use crate::leftovers::evidence::programs::Version;
use crate::leftovers::evidence::registry::{self, Domain, Record, Seen};

/// Sessions, and the versions of processes that the registry tells.
type Found = (Vec<Session>, BTreeMap<u32, Version>);

/// # Errors
/// Where a registry, or the record of a process that lives, cannot be read: its session may be any.
pub(super) fn sessions(
    pass: &Pass<'_>,
    configs: &BTreeSet<PathBuf>,
    boot: Option<Time>,
    started: &dyn Fn(&Stat) -> Time,
) -> Result<Found, String> {
    let domain = Domain {
        machine: std::fs::read_to_string("/etc/machine-id")
            .ok()
            .map(|id| id.trim().to_owned())
            .filter(|_| pass.scene.real),
    };
    let (mut sessions, mut versions) = (Vec::new(), BTreeMap::new());
    for config in configs {
        for record in registry::read(config)? {
            let alive = registry::alive(&record, seen(pass, &record, started), &domain, boot);
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
    for (id, pid) in &pass.told.sessions {
        sessions.push(lives(*pid, id.clone(), None));
    }
    // A record that is missing proves nothing (#74566): whoever runs in a folder works there.
    for (pid, cwd) in pass.told.claudes() {
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
fn seen(pass: &Pass<'_>, record: &Record, started: &dyn Fn(&Stat) -> Time) -> Seen {
    let mut seen = Seen {
        all_newer: true,
        ..Seen::default()
    };
    for (pid, stat) in &pass.stats {
        let within = || {
            pass.inner
                .get(pid)
                .is_some_and(|inner| inner.contains(&record.pid))
        };
        if (*pid != record.pid && !within()) || (stat.ended && stat.threads < 2) {
            continue;
        }
        seen.there = true;
        seen.same_start |= record.start == Some(stat.started);
        // Both are rounded to seconds.
        seen.all_newer &= started(stat) > record.written.plus(2);
        seen.is_claude |= pass.told.is_claude(*pid);
    }
    seen
}

//! Processes of macOS and Windows, through sysinfo: who there is, and what they say of themselves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::{self, Evidence};
use sandtray_core::machine::Machine;
use sandtray_core::time::Time;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use super::registry::Domain;
use super::sessions::{self, Running};
use super::told::{Told, Words};
use super::{bun, jobs};

/// One process.
#[derive(Clone, Debug)]
#[cfg_attr(
    windows,
    allow(dead_code, reason = "nobody's ancestry is asked for there")
)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: u32,
    pub(super) name: String,
    pub(super) executable: Option<PathBuf>,
    pub(super) started: Time,
    /// Whose it is; none where that cannot be said.
    pub(super) uid: Option<u32>,
    pub(super) own: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) processes: Vec<Process>,
    pub(super) told: Told,
}

/// Lists the processes. `temp` is the system's temp folder.
pub(super) fn read(temp: &Path) -> Listed {
    let mut listed = Listed {
        told: Told::new(temp),
        ..Listed::default()
    };
    let Ok(mut system) = System::new() else {
        return listed;
    };
    let wanted = ProcessRefreshKind::nothing()
        .with_environ(UpdateKind::Always)
        .with_cmd(UpdateKind::Always)
        .with_cwd(UpdateKind::Always)
        .with_exe(UpdateKind::Always)
        .with_user(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, wanted);
    let me = std::process::id();
    let us = system
        .process(sysinfo::Pid::from_u32(me))
        .and_then(|process| process.user_id().cloned());
    for (pid, seen) in system.processes() {
        let own = us.is_some() && seen.user_id() == us.as_ref();
        let process = Process {
            pid: pid.as_u32(),
            parent: seen.parent().map_or(0, sysinfo::Pid::as_u32),
            name: seen.name().to_string_lossy().into_owned(),
            executable: seen.exe().map(Path::to_owned),
            started: Time(i64::try_from(seen.start_time()).unwrap_or(i64::MAX)),
            uid: uid(seen),
            own,
        };
        if process.pid != me {
            take(&mut listed.told, seen, &process);
        }
        listed.processes.push(process);
    }
    listed.processes.sort_by_key(|process| process.pid);
    listed
}

#[cfg(unix)]
fn uid(seen: &sysinfo::Process) -> Option<u32> {
    seen.user_id().map(|uid| **uid)
}

#[cfg(not(unix))]
const fn uid(_seen: &sysinfo::Process) -> Option<u32> {
    None
}

fn take(told: &mut Told, seen: &sysinfo::Process, process: &Process) {
    let mut environment = Vec::new();
    for variable in seen.environ() {
        environment.extend_from_slice(variable.as_encoded_bytes());
        environment.push(0);
    }
    let arguments = || {
        let cmd = seen.cmd().iter();
        cmd.map(|argument| argument.as_encoded_bytes().to_vec())
            .collect()
    };
    let built = || {
        let file = process.executable.as_deref().map(std::fs::File::open);
        file.and_then(Result::ok)
            .is_some_and(|mut file| bun::is_built_with(&mut file).unwrap_or(false))
    };
    told.take(Words {
        pid: process.pid,
        started: process.started,
        name: process.name.as_bytes(),
        executable: process.executable.as_deref(),
        arguments: &arguments,
        bun: &built,
        // An empty one is one that may not be seen: every program has something in it.
        environment: (!environment.is_empty()).then_some(environment.as_slice()),
        here: true,
        cwd: seen.cwd().map(Path::to_owned),
        own: process.own,
    });
}

/// What follows from the list alone.
pub(super) fn evidence(
    listed: &Listed,
    machine: &Machine,
    config_dirs: &[PathBuf],
    boot: Option<Time>,
) -> Evidence {
    let mut evidence = Evidence {
        at: crate::machine::now(machine),
        boot,
        ..Evidence::default()
    };
    if listed.processes.is_empty() {
        for signal in [
            Signal::Held,
            Signal::Sockets,
            Signal::Sessions,
            Signal::Environments,
            Signal::Processes,
        ] {
            let cause = "the system does not list its processes".to_owned();
            evidence.missing.insert(signal, cause);
        }
    }
    let mut configs: BTreeSet<PathBuf> = config_dirs.iter().cloned().collect();
    if !machine.is_confined() {
        configs.extend(listed.told.config_dirs.iter().cloned());
    }
    let lives = |pid: u32| listed.processes.iter().any(|process| process.pid == pid);
    evidence.jobs.clone_from(&listed.told.jobs);
    for config in &configs {
        evidence.jobs.extend(jobs::running(config, &lives, boot));
    }
    let running: Vec<Running<'_>> = listed
        .processes
        .iter()
        .map(|process| Running {
            pid: process.pid,
            inner: &[],
            start: None,
            started: process.started,
        })
        .collect();
    let found = sessions::sessions(&listed.told, &running, &configs, &Domain::default(), boot);
    let (sessions, versions) = found.unwrap_or_else(|cause| {
        evidence.missing.entry(Signal::Sessions).or_insert(cause);
        Default::default()
    });
    evidence.sessions = sessions;
    evidence.agents = listed.told.agents(&versions);
    evidence.named.clone_from(&listed.told.named);
    evidence.processes = listed
        .processes
        .iter()
        .map(|process| {
            let seen = evidence::Process {
                started: process.started,
                inner: Vec::new(),
                name: process.name.clone(),
            };
            (process.pid, seen)
        })
        .collect();
    evidence
}

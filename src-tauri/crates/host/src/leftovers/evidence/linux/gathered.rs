//! One pass, put together.

use std::collections::BTreeSet;
use std::path::PathBuf;

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::{Evidence, Process};
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::pass::{Pass, Scene};
use super::{desktop, loops, view};
use crate::act::app::proc::Stat;
use crate::leftovers::evidence::jobs;
use crate::leftovers::evidence::registry::Domain;
use crate::leftovers::evidence::sessions::{self, Found, Running};

/// Looks once and answers everything.
pub(super) fn evidence(
    scene: &Scene,
    machine: &Machine,
    claude: &Claude,
    config_dirs: &[PathBuf],
) -> Evidence {
    let at = crate::machine::now(machine);
    let mut pass = Pass::new(scene);
    pass.run();
    let boot = pass.boot;
    loops::add(&mut pass.holds, &scene.blocks);

    let mut missing = view::missing(&pass, &folders(machine));
    for (signal, cause) in &pass.missing {
        missing.entry(*signal).or_insert_with(|| cause.clone());
    }
    if boot.is_none() {
        missing
            .entry(Signal::Processes)
            .or_insert_with(|| "/proc does not say when the machine was started".to_owned());
    }
    let hidden = missing.contains_key(&Signal::Processes);

    let mut configs: BTreeSet<PathBuf> = config_dirs.iter().cloned().collect();
    if !machine.is_confined() {
        configs.extend(pass.told.config_dirs.iter().cloned());
    }
    let mut running = pass.told.jobs.clone();
    for config in &configs {
        let lives = |pid: u32| pass.stats.contains_key(&pid);
        running.extend(jobs::running(config, &lives, boot));
    }
    let (sessions, versions) = match found(&pass, &configs) {
        Ok(found) => found,
        Err(cause) => {
            missing.entry(Signal::Sessions).or_insert(cause);
            Default::default()
        }
    };
    let agents = pass.told.agents(&versions);
    Evidence {
        at,
        boot,
        unseen: pass.unseen(),
        sessions,
        processes: pass
            .stats
            .iter()
            .map(|(pid, stat)| (*pid, process(&pass, stat)))
            .collect(),
        agents,
        jobs: running,
        desktops: (!hidden)
            .then(|| desktop::running(&pass, machine, claude))
            .flatten(),
        missing,
        held: pass.holds.held,
        mount_sources: pass.sources,
        mount_points: pass.points,
        listening: pass.listening,
        named: pass.told.named,
    }
}

fn process(pass: &Pass<'_>, stat: &Stat) -> Process {
    Process {
        started: pass.started(stat),
        inner: pass.inner.get(&stat.pid).cloned().unwrap_or_default(),
        name: String::from_utf8_lossy(&stat.name).into_owned(),
    }
}

/// Sessions, held against the processes that live.
fn found(pass: &Pass<'_>, configs: &BTreeSet<PathBuf>) -> Result<Found, String> {
    let machine = std::fs::read_to_string("/etc/machine-id").ok();
    let domain = Domain {
        machine: machine
            .map(|id| id.trim().to_owned())
            .filter(|_| pass.scene.real),
    };
    let running: Vec<Running<'_>> = pass
        .stats
        .values()
        .filter(|stat| !stat.ended || stat.threads > 1)
        .map(|stat| Running {
            pid: stat.pid,
            inner: pass.inner.get(&stat.pid).map_or(&[], Vec::as_slice),
            start: Some(stat.started),
            started: pass.started(stat),
        })
        .collect();
    sessions::sessions(&pass.told, &running, configs, &domain, pass.boot)
}

/// The folders that a container must have for itself if nobody else may use them.
fn folders(machine: &Machine) -> Vec<PathBuf> {
    match &machine.only_roots {
        Some(only) => only.clone(),
        None => vec![machine.folders.temp.clone(), PathBuf::from("/tmp")],
    }
}

//! Gates about processes that made a thing or may use it again.

use super::{Judged, Says, live, unknown};
use crate::leftover::candidate::Candidate;
use crate::leftover::evidence::{Agent, Evidence, Process, Unseen};
use crate::time::Time;

/// Start times are computed from ticks and dates come in whole seconds; so much apart may be the same moment.
const SLACK: i64 = 2;

/// From this version on a process reuses one directory for its whole life (#96129 saw 2.1.280 leak still).
const REUSES: (u32, u32, u32) = (2, 1, 281);

/// Whether something that began then can have made what was born or used at that moment.
fn was_there(began: Time, moment: Time) -> bool {
    began <= moment.plus(SLACK)
}

/// The process in its name is gone. A number that exists again is a stranger's where it began later than the
/// thing; one inside another namespace may be the owner under another number (#92590). The thing's latest
/// moment counts: where a filesystem keeps no birth, `touch` can set back what stands for it.
pub(super) fn owner_gone(candidate: &Candidate, evidence: &Evidence) -> Says {
    let Some(pid) = candidate.named.pid else {
        return unknown("its name does not say whose it is");
    };
    // A process of an earlier start of this machine is gone, whatever runs now.
    if evidence
        .boot
        .is_some_and(|boot| candidate.latest().plus(SLACK) < boot)
    {
        return Judged::Dead;
    }
    let old_enough = |process: &&Process| was_there(process.started, candidate.latest());
    if let Some(owner) = evidence.processes.get(&pid).filter(old_enough) {
        return live(format!("its owner still runs: {} ({pid})", owner.name));
    }
    let inner = evidence
        .processes
        .iter()
        .filter(|(_, process)| process.inner.contains(&pid) && old_enough(process))
        .min_by_key(|(outer, _)| **outer);
    match inner {
        Some((outer, process)) => unknown(format!(
            "its owner may be {} ({outer}), which has the number {pid} in its sandbox",
            process.name
        )),
        None => Judged::Dead,
    }
}

/// Nobody keeps it for a whole life: neither mounted nor held between two commands, it looks dead.
pub(super) fn no_reuse(candidate: &Candidate, evidence: &Evidence) -> Says {
    let may = |agent: &&Agent| {
        agent.claude
            && agent.version.is_none_or(|version| version >= REUSES)
            && agent
                .temp
                .as_deref()
                .is_none_or(|temp| temp == &*candidate.base)
            && was_there(agent.started, candidate.born)
    };
    let seen = evidence.agents.iter().filter(may).map(|agent| agent.pid);
    let pids = seen.chain(unseen_agents(evidence, candidate.born));
    match pids.min() {
        Some(pid) => unknown(format!(
            "Claude Code ({pid}) may be reusing it until it ends"
        )),
        None => Judged::Dead,
    }
}

/// Every program of that kind began later than its last use.
pub(super) fn older_than_agents(candidate: &Candidate, evidence: &Evidence) -> Says {
    let moment = candidate.latest();
    let seen = evidence
        .agents
        .iter()
        .filter(|agent| was_there(agent.started, moment))
        .map(|agent| (agent.pid, agent.claude));
    let unseen = unseen_agents(evidence, moment).map(|pid| (pid, true));
    match seen.chain(unseen).min() {
        Some((pid, claude)) => {
            let who = if claude {
                "Claude Code"
            } else {
                "a program built with bun"
            };
            unknown(format!("{who} ({pid}) may be using it until it ends"))
        }
        None => Judged::Dead,
    }
}

/// Processes that cannot be looked into and call themselves what Claude Code calls itself: by its name, or by
/// its version (`2.1.258`).
fn unseen_agents(evidence: &Evidence, moment: Time) -> impl Iterator<Item = u32> {
    let agent = move |process: &&Unseen| {
        let name = process.name.as_bytes();
        let called = matches!(name, b"claude" | b"claude.exe" | b"bun")
            || crate::leftover::shape::fits("{version}", name).is_some();
        called && was_there(process.started, moment)
    };
    evidence
        .unseen
        .iter()
        .filter(agent)
        .map(|process| process.pid)
}

/// By its folder's name too: a job's folder may be reached by more than one path.
pub(super) fn job_gone(candidate: &Candidate, evidence: &Evidence) -> Says {
    let Some(job) = &candidate.origin.job else {
        return unknown("its background job is not known");
    };
    let runs = evidence
        .jobs
        .iter()
        .any(|running| running == job || running.file_name() == job.file_name());
    if runs {
        live("its background job runs")
    } else {
        Judged::Dead
    }
}

/// The app of this data folder does not run.
pub(super) fn app_closed(candidate: &Candidate, evidence: &Evidence) -> Says {
    let Some(desktops) = &evidence.desktops else {
        return unknown("whether Claude Desktop runs cannot be told");
    };
    let path = candidate.full_path();
    if desktops.iter().any(|data| path.starts_with(data)) {
        live("Claude Desktop runs")
    } else {
        Judged::Dead
    }
}

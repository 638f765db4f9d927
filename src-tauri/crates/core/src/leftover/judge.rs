//! Gates over a candidate and the evidence.
//!
//! A candidate is dead when it passes what holds of every class and every gate of its own. Where one rule
//! finds it in use and another cannot tell, the use is told: it is the better reason.
//!
//! Only the signals that a class needs must be complete ([`signals`]): a sandbox that hides other users'
//! files does not keep an empty directory from being proven dead by the mount tables.
//!
//! Why the rules are values: a test switches each one off and sees a case turn dead, so no gate
//! can stand behind another that already rejects everything.

mod content;
mod owners;
mod sessions;
#[cfg(test)]
mod tests;
mod uses;

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::evidence::Evidence;
use super::{Class, Gate, Kind, Removal, Signal};
use crate::time::Time;

/// What a candidate is, with the reason where it is not dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It passed every gate.
    Dead,
    /// Something uses or needs it.
    Live(String),
    /// A gate could not be decided, or it is not what its class is.
    Unknown(String),
}

/// What one rule says. `Dead` means that it has nothing against.
type Says = Judged;

/// Something uses or needs it.
fn live(reason: impl Into<String>) -> Says {
    Judged::Live(reason.into())
}

/// Not decided, or not what its class is.
fn unknown(reason: impl Into<String>) -> Says {
    Judged::Unknown(reason.into())
}

/// One thing that is asked of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Its class may go at all.
    Removable,
    /// Its owner is this user.
    Own,
    /// It is on disk what its class is.
    Kind,
    /// No date of it lies ahead.
    Clock,
    /// It carries no mount, in any namespace that can be seen.
    NoMount,
    /// No other filesystem was met in it.
    OneFilesystem,
    /// Nothing in it is another user's.
    NoStranger,
    /// All of it could be looked at.
    Readable,
    /// What its gates need was gathered.
    Signals,
    /// A gate of its class.
    Gate(Gate),
}

/// What is asked of every candidate.
const ALWAYS: [Rule; 9] = [
    Rule::Removable,
    Rule::Own,
    Rule::Kind,
    Rule::Clock,
    Rule::NoMount,
    Rule::OneFilesystem,
    Rule::NoStranger,
    Rule::Readable,
    Rule::Signals,
];

/// Judges a candidate.
#[must_use]
pub fn judge(candidate: &Candidate, evidence: &Evidence, now: Time) -> Judged {
    judge_without(candidate, evidence, now, &|_| false)
}

/// Judges a candidate with some rules switched off; nothing but a test may switch one off.
fn judge_without(
    candidate: &Candidate,
    evidence: &Evidence,
    now: Time,
    off: &dyn Fn(Rule) -> bool,
) -> Judged {
    let gates = candidate.class.gates.iter().map(|gate| Rule::Gate(*gate));
    let mut doubt = None;
    for rule in ALWAYS.into_iter().chain(gates) {
        if off(rule) {
            continue;
        }
        match ask(rule, candidate, evidence, now) {
            Judged::Dead => {}
            Judged::Unknown(reason) => doubt = doubt.or(Some(reason)),
            used @ Judged::Live(_) => return used,
        }
    }
    doubt.map_or(Judged::Dead, Judged::Unknown)
}

/// What one rule says of a candidate.
fn ask(rule: Rule, candidate: &Candidate, evidence: &Evidence, now: Time) -> Says {
    let content = &candidate.content;
    match rule {
        Rule::Removable => refuse(
            candidate.class.removal == Removal::Never,
            "Sandtray never removes these",
        ),
        Rule::Own => refuse(!candidate.own, "it belongs to another user"),
        Rule::Kind => refuse(
            !candidate.kind_fits,
            match candidate.class.kind {
                Kind::Directory => "it is no folder",
                Kind::File => "it is no regular file",
                Kind::Socket => "it is no socket",
            },
        ),
        Rule::Clock => refuse(candidate.latest() > now, "its date lies in the future"),
        Rule::NoMount => uses::no_mount_point(candidate, evidence),
        Rule::OneFilesystem => match content.mounts {
            0 => Judged::Dead,
            _ => live("another filesystem is mounted in it"),
        },
        Rule::NoStranger => refuse(
            content.foreign > 0,
            "something in it belongs to another user",
        ),
        Rule::Readable => refuse(
            content.unreadable > 0,
            "not everything in it could be looked at",
        ),
        Rule::Signals => signals(candidate.class)
            .into_iter()
            .find_map(|signal| {
                let cause = evidence.missing.get(&signal)?;
                Some(unknown(format!("{}: {cause}", unseen_signal(signal))))
            })
            .unwrap_or(Judged::Dead),
        Rule::Gate(gate) => ask_gate(gate, candidate, evidence, now),
    }
}

fn refuse(against: bool, reason: &str) -> Says {
    if against {
        unknown(reason)
    } else {
        Judged::Dead
    }
}

fn ask_gate(gate: Gate, candidate: &Candidate, evidence: &Evidence, now: Time) -> Says {
    match gate {
        Gate::Idle(seconds) => content::idle(candidate, now, seconds),
        Gate::Empty
        | Gate::NoRepository
        | Gate::OnlyBytecode
        | Gate::NativeLibrary
        | Gate::OnePathLine
        | Gate::OnlyOwnKind
        | Gate::TranscriptGone
        | Gate::NotLaunched
        | Gate::NotInstalled
        | Gate::Superseded => content::proven(gate, &candidate.content),
        Gate::NotNewest => content::not_among_newest(candidate, 1),
        Gate::NotAmongNewest(count) => content::not_among_newest(candidate, count),
        Gate::NoMountSource => uses::no_mount_source(candidate, evidence),
        Gate::NotHeld => uses::not_held(candidate, evidence),
        Gate::NoWriter => uses::no_writer(candidate, evidence),
        Gate::NoListener => uses::no_listener(candidate, evidence),
        Gate::NotNamedInEnvironment => uses::not_named(candidate, evidence),
        Gate::OwnerGone => owners::owner_gone(candidate, evidence),
        Gate::NoReuse => owners::no_reuse(candidate, evidence),
        Gate::OlderThanAgents => owners::older_than_agents(candidate, evidence),
        Gate::JobGone => owners::job_gone(candidate, evidence),
        Gate::AppClosed => owners::app_closed(candidate, evidence),
        Gate::SessionGone => sessions::session_gone(candidate, evidence),
        Gate::ProjectQuiet => sessions::project_quiet(candidate, evidence),
    }
}

/// The signals that a class needs: where one of them is missing, everything of the class is unknown.
#[must_use]
pub fn signals(class: &Class) -> BTreeSet<Signal> {
    let needs = class.gates.iter().flat_map(|gate| needed(*gate));
    needs.copied().collect()
}

/// What a gate looks at.
const fn needed(gate: Gate) -> &'static [Signal] {
    match gate {
        Gate::Idle(_)
        | Gate::Empty
        | Gate::NoRepository
        | Gate::OnlyBytecode
        | Gate::NotNewest
        | Gate::NotAmongNewest(_)
        | Gate::NativeLibrary
        | Gate::OnePathLine
        | Gate::OnlyOwnKind
        | Gate::TranscriptGone
        | Gate::NotLaunched
        | Gate::NotInstalled
        | Gate::Superseded => &[],
        Gate::NoMountSource => &[Signal::Mounts],
        Gate::NotHeld | Gate::NoWriter => &[Signal::Held],
        Gate::NoListener => &[Signal::Sockets],
        Gate::OwnerGone | Gate::NoReuse | Gate::OlderThanAgents | Gate::AppClosed => {
            &[Signal::Processes]
        }
        // Environments are a second voice about sessions that Windows does not have; the registry is the
        // first everywhere.
        Gate::SessionGone | Gate::ProjectQuiet => &[Signal::Sessions],
        Gate::JobGone => &[Signal::Sessions, Signal::Environments],
        Gate::NotNamedInEnvironment => &[Signal::Environments],
    }
}

const fn unseen_signal(signal: Signal) -> &'static str {
    match signal {
        Signal::Held => "what programs have open cannot be seen",
        Signal::Mounts => "what sandboxes have mounted cannot be seen",
        Signal::Sockets => "which sockets are listened on cannot be seen",
        Signal::Sessions => "which sessions run cannot be seen",
        Signal::Environments => "the environments of programs cannot be seen",
        Signal::Processes => "which programs run cannot be seen",
    }
}

//! The one sentence: what and when; and the second: why, and what to do.

use crate::bytes::{decimal, grouped};
use crate::gauge::{GaugeKind, UnknownReason};
use crate::status::{GaugeStatus, Status, relevant, worst};
use crate::time::{DAY, Time};
use crate::verdict::{Cause, Verdict};

use super::{name, number, span};

/// The gauge as the subject of a sentence: `The sessions disk`, `Disk /`.
fn subject(gauge: &GaugeStatus) -> String {
    match gauge.kind {
        GaugeKind::GuestSessions | GaugeKind::GuestSystem => {
            let rest = gauge.name.strip_prefix('S').unwrap_or(&gauge.name);
            format!("The s{rest}")
        }
        GaugeKind::GuestSessionsInodes | GaugeKind::GuestSystemInodes => {
            let disk = gauge.name.strip_prefix(name::FILE_COUNT);
            let disk = disk.unwrap_or(&gauge.name);
            format!("The {}", disk.strip_prefix("the ").unwrap_or(disk))
        }
        GaugeKind::HostBytes | GaugeKind::HostInodes => name::place(&gauge.detail, gauge.memory),
    }
}

/// What is the matter with one gauge, as a sentence without its full stop.
#[must_use]
pub fn headline(gauge: &GaugeStatus, now: Time) -> String {
    let subject = subject(gauge);
    let files = !gauge.kind.in_bytes();
    match gauge.verdict {
        Verdict::Unknown => unknown(&subject, gauge.reason),
        Verdict::Ok => format!("{subject} has room"),
        Verdict::Low | Verdict::Critical => {
            if gauge.full {
                let state = if files {
                    "cannot hold one more file"
                } else {
                    "is full"
                };
                return format!("{subject} {state}");
            }
            // "Full in six weeks" is no news about a disk with 200 MB left.
            let worth_saying = match (gauge.cause, gauge.verdict) {
                (Some(Cause::Time), _) => i64::MAX,
                (_, Verdict::Critical) => 7 * DAY,
                _ => 30 * DAY,
            };
            let soon = gauge
                .forecast
                .full_at
                .is_some_and(|at| at.since(now) <= worth_saying);
            match span::until(&gauge.forecast, now).filter(|_| soon) {
                Some(until) if files => {
                    format!("{subject} will have no room for more files {until}")
                }
                Some(until) => format!("{subject} will be full {until}"),
                None => state(&subject, gauge),
            }
        }
    }
}

/// How tight it is now, where time says nothing.
fn state(subject: &str, gauge: &GaugeStatus) -> String {
    let available = gauge.available.unwrap_or_default();
    match gauge.cause {
        _ if !gauge.kind.in_bytes() => {
            format!(
                "{subject} has room for only {} more files",
                grouped(available)
            )
        }
        Some(Cause::Percent) => format!("{subject} is {} full", number::percent(gauge)),
        Some(Cause::Time) => format!("{subject} was filling and may be full soon"),
        _ => format!("{subject} has only {} left", decimal(available)),
    }
}

fn unknown(subject: &str, reason: Option<UnknownReason>) -> String {
    match reason {
        Some(UnknownReason::NotMeasured) => format!("{subject} was not measured yet"),
        Some(UnknownReason::TimedOut) => format!("{subject} does not answer"),
        Some(UnknownReason::Missing) => format!("{subject} is gone"),
        Some(UnknownReason::Busy) => format!("{subject} is in use and cannot be read now"),
        Some(UnknownReason::Unsupported) => {
            format!("{subject} has a format Sandtray does not read")
        }
        Some(UnknownReason::Denied) => format!("{subject} may not be read"),
        Some(UnknownReason::Corrupt | UnknownReason::Failed) => {
            format!("{subject} could not be read")
        }
        None => format!("{subject} does not say how large it is"),
    }
}

/// Why, and what to do about one gauge.
#[must_use]
pub fn advice(gauge: &GaugeStatus) -> String {
    match gauge.verdict {
        Verdict::Ok => "Nothing to do.".to_owned(),
        Verdict::Unknown => unknown_advice(gauge.reason).to_owned(),
        Verdict::Low | Verdict::Critical => {
            format!("{} {} {}", taken(gauge), why(gauge), remedy(gauge))
        }
    }
}

/// How much is taken, as a sentence.
fn taken(gauge: &GaugeStatus) -> String {
    let used = gauge.used.unwrap_or_default();
    let usable = used.saturating_add(gauge.available.unwrap_or_default());
    if !gauge.kind.in_bytes() {
        return format!("{} of {} files exist.", grouped(used), grouped(usable));
    }
    let taken = format!("{} of {} are taken", decimal(used), decimal(usable));
    match gauge.baseline {
        Some(fresh) => format!("{taken}, a fresh one has {}.", decimal(fresh)),
        None => format!("{taken}."),
    }
}

/// What it is and what happens when it is full.
const fn why(gauge: &GaugeStatus) -> &'static str {
    match (gauge.kind, gauge.full) {
        (GaugeKind::GuestSessions, true) => "Cowork's tasks fail before they start.",
        (GaugeKind::GuestSessions, false) => {
            "Cowork keeps the files of its sessions on it; when it is full, every task fails before it starts."
        }
        (GaugeKind::GuestSessionsInodes, true) => {
            "A disk can only hold so many files, and Cowork makes some for every task: tasks fail before they start, though space is left."
        }
        (GaugeKind::GuestSessionsInodes, false) => {
            "A disk can only hold so many files, large or small; without room for more, every task fails before it starts."
        }
        (GaugeKind::GuestSystem, true) => "Cowork's tasks fail.",
        (GaugeKind::GuestSystem, false) => {
            "What tasks install inside the sandbox lies on it; when it is full, tasks fail."
        }
        (GaugeKind::HostBytes, _) if gauge.memory => {
            "This is memory, not a disk: what lies there is missing to every program."
        }
        (GaugeKind::HostBytes, _) => {
            "On a full disk work is lost, and Claude can lose its settings."
        }
        (GaugeKind::GuestSystemInodes, _) => {
            "A disk can only hold so many files, large or small: then tasks fail although space is left."
        }
        (GaugeKind::HostInodes, _) => {
            "A disk can only hold so many files, large or small: then writing fails although space is left."
        }
    }
}

/// What can be done now. Claude's own menu item prunes caches through the running guest, leaves chats
/// alone and frees a part at best (facts of the VM §6); nothing is said here about the other items.
const fn remedy(gauge: &GaugeStatus) -> &'static str {
    match (gauge.kind, gauge.full) {
        (
            GaugeKind::GuestSessions
            | GaugeKind::GuestSystem
            | GaugeKind::GuestSessionsInodes
            | GaugeKind::GuestSystemInodes,
            false,
        ) => {
            "In Claude, Help > Troubleshooting > Free Up Cowork Disk Space clears caches inside it and leaves chats alone."
        }
        (
            GaugeKind::GuestSessions
            | GaugeKind::GuestSystem
            | GaugeKind::GuestSessionsInodes
            | GaugeKind::GuestSystemInodes,
            true,
        ) => {
            "If Cowork still starts, Help > Troubleshooting > Free Up Cowork Disk Space in Claude may make some room and leaves chats alone."
        }
        (GaugeKind::HostBytes, _) if gauge.memory => {
            "Remove what grew there, or end the program that writes it."
        }
        (GaugeKind::HostBytes, _) => {
            "Empty the trash or move large files away; the window shows what grows."
        }
        (GaugeKind::HostInodes, _) => {
            "Look for folders with very many small files; the window shows the largest groups."
        }
    }
}

const fn unknown_advice(reason: Option<UnknownReason>) -> &'static str {
    match reason {
        Some(UnknownReason::NotMeasured) => "The first measurement is on its way.",
        Some(UnknownReason::TimedOut) => {
            "A network folder that is not connected does this. It is asked again every minute."
        }
        Some(UnknownReason::Missing) => {
            "It was there before: an update, a reset or another program has taken it away."
        }
        Some(UnknownReason::Busy) => {
            "Claude holds it while Cowork runs. It is read again when Cowork is quiet."
        }
        Some(UnknownReason::Unsupported) => {
            "How full it is inside cannot be told; what it takes on this computer is still watched."
        }
        Some(UnknownReason::Denied) => "Check who owns it and whether this user may open it.",
        Some(UnknownReason::Corrupt) => {
            "Its content contradicts itself, as in the middle of a write. It is read again every minute."
        }
        Some(UnknownReason::Failed) | None => "The list of gaps says what was tried.",
    }
}

/// The headline and the advice of a whole status. Reads its gauges, bundles, roots and times; not its
/// own two sentences.
#[must_use]
pub fn summary(status: &Status) -> (String, String) {
    let now = status.at;
    let Some(first) = worst(&status.gauges) else {
        return nothing_known(status);
    };
    match first.verdict {
        Verdict::Unknown if first.reason == Some(UnknownReason::NotMeasured) => nothing_known(status),
        Verdict::Ok if !status.has_sandbox() => (
            "No sandbox storage found yet".to_owned(),
            "Claude's Cowork has made no disks here and no folder of Claude Code was found. Disks and temp folders are watched meanwhile.".to_owned(),
        ),
        Verdict::Ok => ("Everything has room".to_owned(), next_wall(status)),
        Verdict::Unknown => (headline(first, now), advice(first)),
        Verdict::Low | Verdict::Critical => {
            let mut text = advice(first);
            let also = relevant(&status.gauges)
                .find(|gauge| gauge.verdict == Verdict::Critical && gauge.id != first.id);
            if let Some(also) = also {
                text = format!("{text} Also: {}.", lower_the(&headline(also, now)));
            }
            (headline(first, now), text)
        }
    }
}

fn lower_the(sentence: &str) -> String {
    match sentence.strip_prefix("The ") {
        Some(rest) => format!("the {rest}"),
        None => sentence.to_owned(),
    }
}

fn nothing_known(status: &Status) -> (String, String) {
    if status.measured_at.is_none() {
        return (
            "Measuring for the first time".to_owned(),
            "Claude's disks and the temp folders are looked for and read.".to_owned(),
        );
    }
    (
        "Nothing could be measured".to_owned(),
        "The list of gaps says what was tried.".to_owned(),
    )
}

/// The first gauge that will be full, if any is known to fill.
fn next_wall(status: &Status) -> String {
    let next = relevant(&status.gauges)
        .filter(|gauge| gauge.forecast.full_at.is_some())
        .min_by_key(|gauge| gauge.forecast.full_at);
    let told = next.and_then(|gauge| {
        let until = span::until(&gauge.forecast, status.at)?;
        let what = if !gauge.kind.in_bytes() {
            format!("the number of files on {}", lower_the(&subject(gauge)))
        } else {
            lower_the(&subject(gauge))
        };
        Some(format!("The next to fill is {what}, {until}."))
    });
    told.unwrap_or_else(|| {
        let calm = relevant(&status.gauges)
            .all(|gauge| gauge.forecast.state != crate::status::ForecastState::Unknown);
        if calm {
            "Nothing is filling.".to_owned()
        } else {
            "How fast it fills is not known yet.".to_owned()
        }
    })
}

/// Title and body of a notification about one gauge: what and when; how much, and the remedy.
/// Shorter than the window's text: a banner shows three lines.
#[must_use]
pub fn notice(gauge: &GaugeStatus, now: Time) -> (String, String) {
    let body = match gauge.verdict {
        Verdict::Low | Verdict::Critical => format!("{} {}", taken(gauge), remedy(gauge)),
        Verdict::Ok | Verdict::Unknown => advice(gauge),
    };
    (headline(gauge, now), body)
}

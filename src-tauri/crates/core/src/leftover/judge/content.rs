//! Gates that a candidate answers by itself.

use super::{Judged, Says, live, unknown};
use crate::leftover::Gate;
use crate::leftover::candidate::{Candidate, Content};
use crate::time::{DAY, HOUR, MINUTE, Time};

/// Not used for so long. A moment in the name counts like a date (#80367).
pub(super) fn idle(candidate: &Candidate, now: Time, seconds: i64) -> Says {
    if now.since(candidate.latest()) >= seconds {
        return Judged::Dead;
    }
    let span = if seconds >= DAY {
        plural(seconds / DAY, "a day", "days")
    } else if seconds >= HOUR {
        plural(seconds / HOUR, "an hour", "hours")
    } else {
        plural(seconds / MINUTE, "a minute", "minutes")
    };
    live(format!("it was used less than {span} ago"))
}

fn plural(count: i64, one: &str, many: &str) -> String {
    if count <= 1 {
        one.to_owned()
    } else {
        format!("{count} {many}")
    }
}

/// At least so many of its siblings are newer.
pub(super) fn not_among_newest(candidate: &Candidate, count: u8) -> Says {
    if candidate.newer_siblings >= u32::from(count) {
        return Judged::Dead;
    }
    live(match count {
        0 | 1 => "it is the newest of its kind".to_owned(),
        count => format!("it is among the {count} newest of its kind"),
    })
}

/// What host saw in it. What nobody looked at proves nothing.
pub(super) fn proven(gate: Gate, content: &Content) -> Says {
    let (found, wanted, otherwise, unseen) = match gate {
        Gate::Empty => (
            content.empty,
            true,
            unknown("something is in it"),
            "whether it is empty was not seen",
        ),
        Gate::NoRepository => (
            content.repository,
            false,
            live("it holds a git repository"),
            "whether it holds a git repository was not seen",
        ),
        Gate::OnlyBytecode => (
            content.only_bytecode,
            true,
            unknown("it holds more than compiled Python files"),
            "what it holds was not seen",
        ),
        Gate::NativeLibrary => (
            content.native,
            true,
            unknown("it is no native library"),
            "whether it is a native library was not seen",
        ),
        Gate::OnePathLine => (
            content.path_line,
            true,
            unknown("it holds something other than a path"),
            "what it holds was not seen",
        ),
        Gate::OnlyOwnKind => (
            content.own_kind,
            true,
            unknown("it holds something that does not belong there"),
            "what it holds was not seen",
        ),
        Gate::TranscriptGone => (
            content.transcript,
            false,
            live("its conversation can still be resumed"),
            "whether its conversation still exists was not seen",
        ),
        Gate::NotLaunched => (
            content.launched,
            false,
            live("a launcher or a link points to it"),
            "whether a launcher or a link points to it was not seen",
        ),
        Gate::NotInstalled => (
            content.installed,
            false,
            live("the list of installed plugins names it"),
            "the list of installed plugins could not be read",
        ),
        Gate::Superseded => (
            content.superseded,
            true,
            live("it is still needed: nothing that replaces it was found beside it"),
            "whether something replaces it was not seen",
        ),
        _ => return unknown("this cannot be told by what is in it"),
    };
    match found {
        Some(found) if found == wanted => Judged::Dead,
        Some(_) => otherwise,
        None => unknown(unseen),
    }
}

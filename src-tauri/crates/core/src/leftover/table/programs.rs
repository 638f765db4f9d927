//! Program files of Claude Code (facts §1.7).

use super::{ALL, DAY, HOUR, UNIX};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "old_version",
        title: "old versions of Claude Code",
        about: "Claude Code keeps the versions it was updated from, about 250 MB each.",
        proof: "The launcher points to another one, a newer one stands beside it, and no program runs it.",
        cost: "Going back to it means downloading it again.",
        source: "#14980, #43583, #77294, jemishavasoya/dev-cleaner PR 62",
        systems: ALL,
        places: &[Place::Home(".local/share/claude/versions")],
        shapes: &["{version}"],
        kind: Kind::File,
        tier: Tier::Ask,
        removal: Removal::Name,
        gates: &[
            Gate::Idle(HOUR),
            Gate::NotLaunched,
            Gate::NotNewest,
            Gate::NotHeld,
        ],
        remedy: "Start Claude Code through its own launcher: with another one it keeps every version.",
        otherwise: None,
    },
    Class {
        name: "update_staging",
        title: "unfinished updates of Claude Code",
        about: "An update was downloaded here and then stopped.",
        proof: "It was not touched for a day, no program has anything in it open, and every running Claude \
                Code is younger.",
        cost: "",
        source: "CL 2.0.62",
        systems: UNIX,
        places: &[Place::Home(".cache/claude/staging")],
        shapes: &["{version}"],
        kind: Kind::Directory,
        tier: Tier::Automatic,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(DAY),
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
            // Claude Code updates itself.
            Gate::OlderThanAgents,
        ],
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "npm_partial",
        title: "copies from stopped npm updates",
        about: "npm moves the old version aside while it installs the new one; a stopped update leaves it.",
        proof: "It was not touched for a day, nothing that starts Claude Code points into it, and no program \
                has anything in it open.",
        cost: "If the update never finished, this may be the only copy of Claude Code that npm has.",
        source: "DOC troubleshooting of installation",
        systems: ALL,
        places: &[
            Place::Home(".npm-global/lib/node_modules/@anthropic-ai"),
            Place::Home(".local/lib/node_modules/@anthropic-ai"),
            Place::Home(".nvm/versions/node/*/lib/node_modules/@anthropic-ai"),
            Place::Home("AppData/Roaming/npm/node_modules/@anthropic-ai"),
        ],
        shapes: &[".claude-code-{A8}"],
        kind: Kind::Directory,
        tier: Tier::Ask,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(DAY),
            Gate::NotLaunched,
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
        ],
        remedy: "Use the native installer: it does not update through npm.",
        otherwise: None,
    },
];

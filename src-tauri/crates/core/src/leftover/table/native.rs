//! Copies of native add-ons that single-file programs of bun unpack (facts §1.5).
//!
//! Not only Claude's: opencode and others are built the same way, so the words say bun. Removing one that is
//! mapped crashed Claude Code (#26057).

use super::{ALL, MOMENT};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "native_copy",
        title: "copies of native add-ons",
        about: "Claude Code and other programs built with bun unpack a native library at every start and do \
                not remove it: up to 700 a day, 0.6 to 7 MB each.",
        proof: "It is a native library, no program has it open or mapped, and every running program of that \
                kind is younger.",
        cost: "",
        source: "#23095, #22083, #24274, #26057, oven-sh/bun#29585",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &[
            ".{h16}-{d8}.node",
            ".{h16}-{d8}.so",
            ".{h16}-{d8}.dylib",
            ".{h16}-{d8}.dll",
            "{uuid}.tmp.node",
        ],
        kind: Kind::File,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: &[
            Gate::Idle(MOMENT),
            Gate::NativeLibrary,
            Gate::NotHeld,
            Gate::OlderThanAgents,
        ],
        remedy: "Update the program: newer ones share one copy per user.",
        otherwise: None,
    },
    Class {
        name: "native_shared_copy",
        title: "shared copies of native add-ons",
        about: "Newer programs built with bun share one unpacked copy per user. It is no leftover.",
        proof: "Nothing: it is used again at every start.",
        cost: "",
        source: "oven-sh/bun PR 29587",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &[
            ".bun-{n}-{h16}.node",
            ".bun-{n}-{h16}.so",
            ".bun-{n}-{h16}.dylib",
        ],
        kind: Kind::File,
        tier: Tier::Report,
        removal: Removal::Never,
        gates: &[],
        remedy: "",
        otherwise: None,
    },
];

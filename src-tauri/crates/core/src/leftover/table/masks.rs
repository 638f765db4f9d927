//! Placeholders that a sandbox mounted something over (facts §1.2).
//!
//! bubblewrap cannot mount over a path that does not exist, so it makes an empty file or folder first. They
//! come and go during normal work. Taking a live one away switches the sandbox's protection off: hence
//! nobody may work in the project, and every mount table is asked, not only our own.

use super::{LINUX, MOMENT};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

const PROOF: &str = "It is empty and read-only as the sandbox makes it, no sandbox has anything mounted over it, no \
     repository tracks it, and no session runs in the project.";

/// For files: what makes one ours is the length of 0 with the mode 0444, which the last gate but one asks.
const FILE: &[Gate] = &[
    Gate::Idle(MOMENT),
    Gate::Empty,
    Gate::OnlyOwnKind,
    Gate::NoMountSource,
    Gate::ProjectQuiet,
];

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "mask_stub",
        title: "empty placeholder files",
        about: "The sandbox put an empty file where none was, to keep commands from making one, and was \
                killed before it could remove it.",
        proof: PROOF,
        cost: "If you made this empty file yourself, it is gone.",
        source: "#81602, #26722, #94008, #78072, #31078; srt 83",
        systems: LINUX,
        places: &[Place::Project(""), Place::Home("")],
        shapes: &[
            ".gitconfig",
            ".gitmodules",
            ".bashrc",
            ".bash_profile",
            ".zshrc",
            ".zprofile",
            ".profile",
            ".ripgreprc",
            ".mcp.json",
            ".netrc",
            "HEAD",
            "config",
        ],
        kind: Kind::File,
        tier: Tier::Ask,
        removal: Removal::Name,
        gates: FILE,
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "mask_stub_settings",
        title: "empty placeholder settings",
        about: "The sandbox put an empty settings file where none was and was killed before it could remove \
                it. While it is there, Claude Code cannot save what you allow for good.",
        proof: PROOF,
        cost: "If you made this empty file yourself, it is gone.",
        source: "#83099, #28189, claude doctor of 2.1.257",
        systems: LINUX,
        places: &[Place::Project(".claude"), Place::Config("")],
        shapes: &[
            "settings.json",
            "settings.local.json",
            "launch.json",
            ".config.json",
        ],
        kind: Kind::File,
        tier: Tier::Ask,
        removal: Removal::Name,
        gates: FILE,
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "mask_stub_dir",
        title: "empty placeholder folders",
        about: "The sandbox put an empty folder where none was, to keep commands from making one, and was \
                killed before it could remove it.",
        proof: "It is empty, no sandbox has anything mounted over it, no repository tracks it, and no \
                session runs in the project.",
        cost: "If you made this empty folder yourself, it is gone.",
        source: "#31078, #26722; srt 83",
        systems: LINUX,
        places: &[Place::Project(""), Place::Project(".claude")],
        shapes: &[
            ".vscode", ".idea", "commands", "agents", "skills", "hooks", "objects", "refs",
        ],
        kind: Kind::Directory,
        tier: Tier::Ask,
        removal: Removal::Empty,
        gates: &[
            Gate::Idle(MOMENT),
            Gate::Empty,
            Gate::NoMountSource,
            Gate::ProjectQuiet,
        ],
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "mask_stub_git",
        title: "empty placeholders in repositories",
        about: "An empty file or folder where git keeps its own; a sandbox may have put it there.",
        proof: "Nothing: an empty one may be your repository's own.",
        cost: "",
        source: "srt 83",
        systems: LINUX,
        places: &[Place::Project(".git")],
        shapes: &["config"],
        kind: Kind::File,
        tier: Tier::Report,
        removal: Removal::Never,
        gates: &[],
        remedy: "",
        otherwise: None,
    },
];

//! What lies in the temp folder of a background job (facts §1.4).
//!
//! Why two classes of one name: a mirror of absolute paths that holds nothing but `__pycache__/*.pyc` can be
//! made again at any time, and left alone it grows by 6 GB an hour while its job runs (#91512). Anything
//! else in such a folder may be what the job is working on.

use super::{ALL, HOUR};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "bytecode_overlay",
        title: "copies of compiled Python files",
        about: "A background job compiled Python files into a folder of its own and left the folder behind. \
                Each is 30 to 80 MB, and there can be a new one every minute.",
        proof: "It holds nothing but compiled Python files, was not touched for an hour, is not the newest, \
                and no program has anything in it open.",
        cost: "",
        source: "#91512 (2.1.241)",
        systems: ALL,
        places: &[Place::Job],
        shapes: &["tmp.{+}"],
        kind: Kind::Directory,
        tier: Tier::Automatic,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(HOUR),
            Gate::OnlyBytecode,
            Gate::NotNewest,
            Gate::NotHeld,
            Gate::NoMountSource,
        ],
        remedy: "Give the job one folder for compiled files (PYTHONPYCACHEPREFIX) instead of a new one for \
                 every command, or tell Python to write none (PYTHONDONTWRITEBYTECODE=1).",
        otherwise: Some("overlay"),
    },
    Class {
        name: "overlay",
        title: "temporary folders of background jobs",
        about: "A background job made a temporary folder for a command and did not remove it.",
        proof: "The job does not run, nothing in it was touched for an hour, it holds no repository, and no \
                program has anything in it open.",
        cost: "What the job put there is gone: results it did not copy elsewhere too.",
        source: "#91512, yulonglin/dotfiles PR 61",
        systems: ALL,
        places: &[Place::Job],
        shapes: &["tmp.{+}"],
        kind: Kind::Directory,
        tier: Tier::Ask,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(HOUR),
            Gate::JobGone,
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
        ],
        remedy: "Delete background jobs that are done: Claude Code then removes their temporary folder.",
        otherwise: None,
    },
];

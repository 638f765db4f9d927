//! What Claude Desktop keeps beside its bundles (facts §1.7; of the VM §1.1, §1.2).

use super::{ALL, DAY, LINUX, MOMENT};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "guest_cli_version",
        title: "old versions of Claude Code in the sandbox",
        about: "Claude Desktop keeps the versions of Claude Code that it gave its sandbox, 210 to 295 MB \
                each.",
        proof: "A newer one stands beside it, no program has anything in it open, and Claude Desktop is \
                closed.",
        cost: "If the app still wants this version, it downloads it again.",
        source: "#58972, facts of the VM §1.2",
        systems: ALL,
        places: &[Place::Desktop("claude-code-vm")],
        shapes: &["{version}"],
        kind: Kind::Directory,
        tier: Tier::Ask,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(DAY),
            Gate::NotNewest,
            Gate::AppClosed,
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
        ],
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "desktop_cache",
        title: "caches of Claude Desktop",
        about: "What the app's browser engine keeps to start and draw faster.",
        proof: "Claude Desktop is closed, and no program has anything in it open.",
        cost: "The app loads a little slower once.",
        source: "#58972, #60067",
        systems: ALL,
        places: &[Place::Desktop("")],
        shapes: &[
            "Cache",
            "Code Cache",
            "GPUCache",
            "DawnCache",
            "DawnGraphiteCache",
            "DawnWebGPUCache",
        ],
        kind: Kind::Directory,
        tier: Tier::Ask,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(MOMENT),
            Gate::AppClosed,
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
        ],
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "old_desktop_disk",
        title: "disks of old apps for Linux",
        about: "Apps for Linux before the official one kept their sandbox here. It may hold work of old \
                sessions.",
        proof: "Nothing: files of yours may be on it.",
        cost: "",
        source: "aaddrick/claude-desktop-debian, patrickjaja/claude-cowork-service",
        systems: LINUX,
        places: &[Place::Home(".local/share/claude-desktop/vm")],
        shapes: &["{+}.qcow2"],
        kind: Kind::File,
        tier: Tier::Report,
        removal: Removal::Never,
        gates: &[],
        remedy: "",
        otherwise: None,
    },
];

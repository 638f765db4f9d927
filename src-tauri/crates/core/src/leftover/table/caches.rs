//! Caches and logs that are made again when somebody wants them (facts §1.3, §1.7).

use super::{ALL, DAY, HOUR};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "node_compile_cache",
        title: "compiled code of Node programs",
        about: "Node keeps compiled code in many small files; they took three quarters of all file slots of \
                a volume once.",
        proof: "Nothing in it was touched for an hour, and no program has anything in it open.",
        cost: "Node programs start a little slower once.",
        source: "erwins-enkel/shepherd#560",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &["node-compile-cache"],
        kind: Kind::Directory,
        tier: Tier::Automatic,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(HOUR),
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
        ],
        remedy: "Set NODE_COMPILE_CACHE to a folder that you clean, or NODE_DISABLE_COMPILE_CACHE=1.",
        otherwise: None,
    },
    Class {
        name: "mcp_log",
        title: "logs of MCP servers",
        about: "Claude Code writes a log for every MCP server and session.",
        proof: "It was not written for a day, and no program has it open.",
        cost: "",
        source: "#18869",
        systems: ALL,
        places: &[
            Place::Cache("claude-cli-nodejs/*/mcp-logs-{+}"),
            // On Windows the caches of programs lie one folder deeper.
            Place::Cache("claude-cli-nodejs/Cache/*/mcp-logs-{+}"),
        ],
        shapes: &["{+}.jsonl", "{+}.txt", "{+}.log"],
        kind: Kind::File,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: &[Gate::Idle(DAY), Gate::NotHeld],
        remedy: "Do not leave debug logging on: it multiplies these logs.",
        otherwise: None,
    },
];

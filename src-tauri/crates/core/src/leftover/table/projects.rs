//! What agents leave in projects: somebody's work as often as not (facts §1.7).

use super::{ALL, HOUR, WINDOWS};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "worktree",
        title: "worktrees of agents",
        about: "An agent worked in a checkout of its own, 230 MB to 3 GB each. It may hold work that was \
                never committed or pushed.",
        proof: "Nothing: only git can tell whether the work in it is safe elsewhere.",
        cost: "",
        source: "#63087, #55435, #57765, #74719, #95644",
        systems: ALL,
        places: &[
            Place::Project(".claude/worktrees"),
            Place::Home(".claude-worktrees/*"),
        ],
        shapes: &["{+}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Never,
        gates: &[],
        remedy: "Look at them with \"git worktree list\" and remove those you are done with by \
                 \"git worktree remove\": it refuses where work would be lost.",
        otherwise: None,
    },
    Class {
        name: "reserved_name",
        title: "files called nul",
        about: "A command meant for Unix wrote to a file called nul. Windows reserves that name, so the \
                Explorer cannot delete it.",
        proof: "It was not touched for an hour, and no program has it open.",
        cost: "What the command printed into it is gone.",
        source: "#17783",
        systems: WINDOWS,
        places: &[Place::Project("")],
        shapes: &["nul", "NUL"],
        kind: Kind::File,
        tier: Tier::Ask,
        removal: Removal::Name,
        gates: &[Gate::Idle(HOUR), Gate::NotHeld],
        remedy: "",
        otherwise: None,
    },
];

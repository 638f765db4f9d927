//! Sockets that nobody listens on any more (facts §1.1, §1.7).
//!
//! Removing a live one kills a session's commands for good (monoes/monomind#273). A number in a name means
//! something only in its own namespace (#92590), and a listener in another network namespace is seen by its
//! path's last name alone: so every gate must hold at once.

use super::{LINUX, MOMENT, UNIX};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

/// For sockets whose name carries the process.
const OWNED: &[Gate] = &[
    Gate::Idle(MOMENT),
    Gate::OwnerGone,
    Gate::NoListener,
    Gate::NoMountSource,
];

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "mux_socket",
        title: "dead sandbox sockets",
        about: "Every session with a sandbox listens on a socket. It stays behind when the session is \
                killed, and in older versions when it ends: 59 an hour.",
        proof: "The process in its name has ended, nobody listens on it, and no sandbox has it mounted.",
        cost: "",
        source: "#96129, srt 61 to 79; srt 80 and later on a kill",
        systems: UNIX,
        places: &[Place::Temp],
        shapes: &["srt-mux-{pid}-{base36}.sock"],
        kind: Kind::Socket,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: OWNED,
        remedy: "Update Claude Code: newer versions remove the socket when they end.",
        otherwise: None,
    },
    Class {
        name: "tls_inner_socket",
        title: "dead sockets of encrypted connections",
        about: "A sandbox that looks into encrypted connections opened a socket for each of them.",
        proof: "The process in its name has ended, nobody listens on it, and no sandbox has it mounted.",
        cost: "",
        source: "srt 51 to 79",
        systems: UNIX,
        places: &[Place::Temp],
        shapes: &["srt-tt-{pid}-{base36}.sock"],
        kind: Kind::Socket,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: OWNED,
        remedy: "Update Claude Code: newer versions make none.",
        otherwise: None,
    },
    Class {
        name: "bridge_socket",
        title: "dead network sockets of sandboxes",
        about: "Commands in a sandbox reach the network through a pair of sockets. They stay behind when \
                the session is killed.",
        proof: "Nobody listens on it in any network namespace, and no sandbox has it mounted.",
        cost: "",
        source: "srt 23 to 83, on a kill; monoes/monomind#273",
        systems: LINUX,
        places: &[Place::Temp],
        shapes: &["claude-http-{h16}.sock", "claude-socks-{h16}.sock"],
        kind: Kind::Socket,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: &[Gate::Idle(MOMENT), Gate::NoListener, Gate::NoMountSource],
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "session_socket",
        title: "dead sockets between sessions",
        about: "Sessions talk to each other through sockets; a killed session leaves its own behind.",
        proof: "The process in its name has ended, nobody listens on it, and no sandbox has it mounted.",
        cost: "",
        source: "#89401, #91223 (2.1.224 and later)",
        systems: UNIX,
        places: &[
            Place::TempBelow("cc-socks"),
            Place::TempBelow("cc-socks-{n}"),
            Place::Runtime("cc-socks"),
        ],
        shapes: &["{pid}.sock"],
        kind: Kind::Socket,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: OWNED,
        remedy: "",
        otherwise: None,
    },
    Class {
        name: "browser_bridge_socket",
        title: "dead sockets of the browser bridge",
        about: "Claude in Chrome talks to Claude Code through this socket. A dead one keeps the browser from \
                connecting again.",
        proof: "The process in its name has ended, nobody listens on it, and no sandbox has it mounted.",
        cost: "",
        source: "#25992",
        systems: UNIX,
        places: &[Place::TempBelow("claude-mcp-browser-bridge-{+}")],
        shapes: &["{pid}.sock"],
        kind: Kind::Socket,
        tier: Tier::Automatic,
        removal: Removal::Name,
        gates: OWNED,
        remedy: "",
        otherwise: None,
    },
];

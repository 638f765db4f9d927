//! A stand-in for Claude Desktop, for the journeys that quit it, move its disks and start it again.
//!
//! Two halves. The *program* (`src/bin/stand-in-claude.rs`, [`program`]) behaves like the app on
//! Linux: a parent with children of the same executable, a "VM" of its own executable that holds the
//! disks open and may outlive it, the real file names and log lines, a rebuild in phases, and every
//! misbehaviour that the facts list. The *test's side* ([`StandIn`]) lays out a bundle and a session
//! tree, starts the program, talks to it and reaps it.
//!
//! * [`script`]: what the program is told to do, and the misbehaviours by name.
//! * [`layout`]: a whole bundle on disk; [`sessions`]: the host-side session tree.
//! * [`tree`], [`identity`]: what a journey compares before and after.
//! * [`rebuild`]: the app's look at its bundle and its repair, in phases ([`phase`]); [`gate`]: how
//!   it takes the bundle apart; [`log`]: its log.
//! * [`builder`]: what a test asks for; [`running`]: the program seen from a test; [`witness`]: what its processes report; [`reap`]:
//!   how they end.
//!
//! The program and [`StandIn`] run on Linux: what they imitate there (signals, `qemu`, a socket) the
//! app does not have elsewhere. Layout, tree and identity work everywhere.

pub mod gate;
pub mod identity;
pub mod layout;
pub mod log;
pub mod phase;
pub mod rebuild;
pub mod script;
pub mod sessions;
pub mod tree;

#[cfg(target_os = "linux")]
pub mod builder;
#[cfg(target_os = "linux")]
pub mod program;
#[cfg(target_os = "linux")]
pub mod reap;
#[cfg(target_os = "linux")]
pub mod running;
#[cfg(target_os = "linux")]
pub mod witness;

#[cfg(target_os = "linux")]
pub use builder::Builder;
pub use identity::{Disk, disks};
pub use layout::Layout;
#[cfg(target_os = "linux")]
pub use running::StandIn;
pub use script::{Begins, Misbehaviour, Rebuilds, Script};
pub use tree::Tree;

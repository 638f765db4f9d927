//! What agents and sandboxes leave behind, and what proves that nobody needs it any more.
//!
//! ```text
//! table (one row a class) ─┐
//! candidate (host looked) ─┼→ judge → Dead · Live(why) · Unknown(why) → plan → removal by host
//! evidence (one pass)     ─┘
//! ```
//!
//! Age alone is never proof: a sweep by age destroyed the output of running sessions (#91402). Each class
//! names [`Gate`]s; a candidate is dead when it passes every one of them. A gate that cannot be decided
//! makes it unknown, and unknown is kept.
//!
//! * [`table`]: the classes. Adding one is adding a row.
//! * [`shape`]: the exact names.
//! * [`candidate`]: what host saw of one thing.
//! * [`evidence`]: what one pass over the machine's processes gave.
//! * [`judge`]: gates over both.
//! * [`tally`]: candidates counted as they come.
//! * [`view`]: what surfaces show.

pub mod candidate;
pub mod evidence;
pub mod judge;
pub mod shape;
pub mod table;
pub mod tally;
pub mod view;

use serde::{Deserialize, Serialize};

use crate::machine::Os;

/// How freely a dead leftover may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Proven dead and worth nothing: goes in one click, or on a schedule where that is switched on.
    Automatic,
    /// Dead, but may be wanted: picked by hand, parked first.
    Ask,
    /// Not provably anybody's, or somebody's work: shown, counted, explained.
    Report,
}

/// What a candidate must be on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory, never through a link.
    Directory,
    /// A regular file.
    File,
    /// A socket on Unix; on Windows they do not exist.
    Socket,
}

/// How a dead candidate goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// `rmdir`: goes only where it is empty in that very moment.
    Empty,
    /// `unlink` of one name.
    Name,
    /// Everything in it, by descriptor, then itself.
    Tree,
    /// Never by us.
    Never,
}

/// Where candidates of a class lie. Components of a pattern are separated by `/`; `*` stands for any one
/// name, and a component may be a shape too (`claude-mcp-browser-bridge-{+}`): ask
/// [`shape::fits_component`]. The class's shape says what the last name, which the pattern leaves out,
/// looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Directly in every temp root.
    Temp,
    /// In a temp root, below folders of this pattern.
    TempBelow(&'static str),
    /// In a temp root of Claude Code's own (`claude-<uid>`), below folders of this pattern; empty for the
    /// root itself.
    Session(&'static str),
    /// Directly in the temp folder of a background job (`jobs/<id>/tmp`).
    Job,
    /// Below a configuration folder of Claude Code; empty for the folder itself.
    Config(&'static str),
    /// Below the user's home; empty for the home itself.
    Home(&'static str),
    /// Below the folder where programs keep what can be made again (`~/.cache`, `~/Library/Caches`,
    /// `%LOCALAPPDATA%`).
    Cache(&'static str),
    /// Below the folder of what a user's programs are doing now (`$XDG_RUNTIME_DIR`).
    Runtime(&'static str),
    /// Directly in a `claudevm.bundle`, or below folders of this pattern in it.
    Bundle(&'static str),
    /// Below the data folder of Claude Desktop.
    Desktop(&'static str),
    /// Below a folder in which sessions of Claude Code ran: those of the registry, and the `projects` of
    /// `.claude.json`. The folder is the candidate's base.
    Project(&'static str),
    /// Below the folder that all users of a machine share (`%ProgramData%`).
    Shared(&'static str),
}

/// What must hold of a candidate, each by itself decidable from a candidate and the evidence.
///
/// Every class also requires, without saying so: own uid, the kind, the name, not older than the clock
/// allows ([`judge`]), not a mount point, no mount below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// Last born, changed or written at least this many seconds ago. Only ever beside a proof.
    Idle(i64),
    /// Nothing in it.
    Empty,
    /// No mount of any process has it, or something in it, as its source.
    NoMountSource,
    /// No process has it, or something in it, open, mapped, as its folder, its root or its program.
    NotHeld,
    /// No process may write it; readers do not count.
    NoWriter,
    /// Nobody listens on it, or on a socket in it, in any network namespace.
    NoListener,
    /// The process in its name has ended: gone, or born after it.
    OwnerGone,
    /// No process of Claude Code can be reusing it for its whole life (srt ≥ 77, #96129).
    NoReuse,
    /// No live session has its id, or its project's folder as its own.
    SessionGone,
    /// The conversation it belongs to is gone too, so nobody can resume it.
    TranscriptGone,
    /// The background job it belongs to does not run.
    JobGone,
    /// Holds no git repository or worktree.
    NoRepository,
    /// Holds nothing but folders that mirror absolute paths and `__pycache__/*.pyc` (#91512).
    OnlyBytecode,
    /// Is not the newest of its siblings of this class.
    NotNewest,
    /// Is not among the newest N of its siblings of this class.
    NotAmongNewest(u8),
    /// Begins as a native library does.
    NativeLibrary,
    /// Its whole content is one line, a path.
    OnePathLine,
    /// Holds only what belongs to its class.
    OnlyOwnKind,
    /// No environment of a live process names it, or something in it.
    NotNamedInEnvironment,
    /// Older than every live process of Claude Code or bun.
    OlderThanAgents,
    /// Nothing that must go on working points to it: a launcher, a `latest` link.
    NotLaunched,
    /// No list of what is installed names it.
    NotInstalled,
    /// Claude Desktop of this data folder does not run.
    AppClosed,
    /// No `.origin` in use names it, and what it is a spare of stands beside it.
    Superseded,
    /// Tracked by no repository and no session runs in its project.
    ProjectQuiet,
}

/// What one pass over the machine can tell. A class needs only some of it, and only that must be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Open files, folders, roots, programs and mappings of processes.
    Held,
    /// Mount tables of every mount namespace.
    Mounts,
    /// Listening sockets of every network namespace.
    Sockets,
    /// The session registry.
    Sessions,
    /// Environments of own processes.
    Environments,
    /// The list of processes.
    Processes,
}

/// One class of leftovers: a row of the [`table`].
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Stable name, in JSON and on the command line: `empty_mount_source`.
    pub name: &'static str,
    /// What a person calls many of them: "empty mount sources".
    pub title: &'static str,
    /// What it is and why it is there, in a sentence.
    pub about: &'static str,
    /// What proves it dead, in a sentence.
    pub proof: &'static str,
    /// What its loss costs; empty where nothing.
    pub cost: &'static str,
    /// Who said so: issues and source versions.
    pub source: &'static str,
    /// The systems on which it is made.
    pub systems: &'static [Os],
    /// Where.
    pub places: &'static [Place],
    /// What its name looks like, in the language of [`shape`].
    pub shapes: &'static [&'static str],
    /// What it is on disk.
    pub kind: Kind,
    /// How freely it may go.
    pub tier: Tier,
    /// How it goes.
    pub removal: Removal,
    /// What must hold.
    pub gates: &'static [Gate],
    /// What to do about the cause, in a sentence; empty where there is nothing.
    pub remedy: &'static str,
    /// The class that a thing of this name and place belongs to where its content does not prove this one
    /// ([`table::settled`]).
    pub otherwise: Option<&'static str>,
}

impl PartialEq for Class {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Class {}

//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use sandtray_core::act::Scope;
use sandtray_core::history::Range;
use sandtray_core::leftover::Tier;

/// Watches the storage of Claude's sandboxes from the host.
///
/// Exit codes: 0 done, 1 failed, 2 usage, 3 refused.
#[derive(Debug, Parser)]
#[command(
    name = "sandtrayctl",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    /// Print JSON with a schema number instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Look at the machine that this TOML file describes, and at nothing of the real one
    #[arg(long, global = true, hide = true, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show how full everything is and where it leads
    Status {
        /// Leave out what takes long: sizes of bundles and temp folders come from the history
        #[arg(long)]
        quick: bool,
    },
    /// List bundles and temp folders
    Locate,
    /// Measure folders: apparent and allocated size, entries, what could not be read
    Measure {
        /// What to measure; bundles and temp folders where none is named
        paths: Vec<PathBuf>,
        /// Threads to measure with
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
        threads: u16,
    },
    /// Show what was measured over time
    History {
        /// How far back
        #[arg(long, value_enum, default_value = "7d")]
        range: RangeArg,
        /// Only the gauge or meter of this id
        #[arg(long, value_name = "ID")]
        gauge: Option<String>,
    },
    /// Keep watching; print changes and notices until stopped
    Watch,
    /// List what agents and sandboxes left behind, and what of it is proven dead
    Leftovers,
    /// Remove leftovers that are proven dead; what may be wanted is moved aside instead
    Clean {
        /// Only this class, by the name that `leftovers` lists; may be repeated
        #[arg(long = "class", value_name = "CLASS")]
        classes: Vec<String>,
        /// Only this tier; automatic where neither a tier nor a class is named
        #[arg(long, value_enum)]
        tier: Option<TierArg>,
        /// Only in this temp folder, one that `locate` lists; may be repeated
        #[arg(long = "root", value_name = "PATH")]
        roots: Vec<PathBuf>,
        /// Remove what would be moved aside; it cannot be undone
        #[arg(long)]
        for_good: bool,
        #[command(flatten)]
        consent: ConsentArgs,
    },
    /// Move disks aside so that Claude Desktop builds new ones; undo stays possible
    Reset {
        /// How much; what is full decides where none is named
        #[arg(long, value_enum)]
        scope: Option<ScopeArg>,
        /// Which bundle, by the id that `locate --json` prints; needed where there are several
        #[arg(long, value_name = "ID")]
        bundle: Option<String>,
        /// How many seconds the rebuild is watched at most
        #[arg(long, value_name = "SECONDS", default_value_t = 120)]
        wait: u64,
        #[command(flatten)]
        consent: ConsentArgs,
    },
    /// List, restore and discard what was moved aside
    Parked {
        #[command(subcommand)]
        command: Option<ParkedCommand>,
    },
    /// Show what was done to this machine
    Journal {
        #[command(subcommand)]
        command: Option<JournalCommand>,
    },
    /// Look into a guest's disk image, without mounting or writing it
    Disk {
        #[command(subcommand)]
        command: DiskCommand,
    },
}

/// How a person consents.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ConsentArgs {
    /// Only show what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ParkedCommand {
    /// List the copies, newest first
    List,
    /// Move a copy back; what is there now is moved aside
    Restore {
        /// The copy
        id: String,
        /// How many seconds the app is watched afterwards at most
        #[arg(long, value_name = "SECONDS", default_value_t = 120)]
        wait: u64,
        #[command(flatten)]
        consent: ConsentArgs,
    },
    /// Give a copy to the trash, or remove it for good
    Discard {
        /// The copy
        id: String,
        /// Remove it without the trash; it cannot be undone
        #[arg(long)]
        for_good: bool,
        /// Even where the new disks were never seen working
        #[arg(long)]
        unverified: bool,
        #[command(flatten)]
        consent: ConsentArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum JournalCommand {
    /// Put right what ended in the middle
    Resolve,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScopeArg {
    SessionDisk,
    SystemDisk,
    Bundle,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::SessionDisk => Self::SessionDisk,
            ScopeArg::SystemDisk => Self::SystemDisk,
            ScopeArg::Bundle => Self::Bundle,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TierArg {
    Automatic,
    Ask,
}

impl From<TierArg> for Tier {
    fn from(tier: TierArg) -> Self {
        match tier {
            TierArg::Automatic => Self::Automatic,
            TierArg::Ask => Self::Ask,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum DiskCommand {
    /// Show partitions, filesystems and how full they are
    Info {
        /// The image: `rootfs.img`, `sessiondata.img`
        image: PathBuf,
    },
    /// Show what fills a folder inside an image, largest first
    Du {
        /// The image
        image: PathBuf,
        /// A folder inside it
        #[arg(default_value = "/")]
        path: OsString,
    },
    /// List a folder inside an image
    Ls {
        /// The image
        image: PathBuf,
        /// A folder or file inside it
        #[arg(default_value = "/")]
        path: OsString,
    },
    /// Copy a file or folder out of an image; nothing that exists is overwritten
    Get {
        /// The image
        image: PathBuf,
        /// A file or folder inside it
        path: OsString,
        /// The folder to copy it into; made where it is missing
        dest: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RangeArg {
    #[value(name = "1h")]
    Hour,
    #[value(name = "24h")]
    Day,
    #[value(name = "7d")]
    Week,
    #[value(name = "30d")]
    Month,
    #[value(name = "1y")]
    Year,
}

impl From<RangeArg> for Range {
    fn from(range: RangeArg) -> Self {
        match range {
            RangeArg::Hour => Self::Hour,
            RangeArg::Day => Self::Day,
            RangeArg::Week => Self::Week,
            RangeArg::Month => Self::Month,
            RangeArg::Year => Self::Year,
        }
    }
}

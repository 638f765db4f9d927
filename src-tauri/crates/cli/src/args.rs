//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use sandtray_core::history::Range;

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
    /// Look into a guest's disk image, without mounting or writing it
    Disk {
        #[command(subcommand)]
        command: DiskCommand,
    },
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

//! The command line of the app.

use std::path::PathBuf;

use sandtray_core::machine::Machine;
use sandtray_host::machine;

use crate::error::Failed;

/// Says early when Claude's sandbox storage will fill a disk.
///
/// Lives in the tray; a second start opens the window of the one that runs. For a machine without
/// a desktop there is sandtrayctl.
#[derive(Debug, clap::Parser)]
#[command(name = "sandtray", version)]
pub struct Args {
    /// Open the window at start.
    #[arg(long, conflicts_with = "hidden")]
    pub open: bool,
    /// Start in the tray and never open a window unasked (used at login).
    #[arg(long)]
    pub hidden: bool,
    /// Look at the machine that FILE describes, and at nothing of the real one.
    #[arg(long, value_name = "FILE", hide = true)]
    pub machine: Option<PathBuf>,
}

impl Args {
    /// The machine to look at.
    ///
    /// # Errors
    /// Where FILE cannot be read.
    pub fn machine(&self) -> Result<Machine, Failed> {
        match &self.machine {
            Some(file) => Ok(machine::load(file)?),
            None => Ok(machine::current()?),
        }
    }

    /// Whether the window opens at start. A WebDriver session needs a window to attach to.
    #[must_use]
    pub fn opens_window(&self) -> bool {
        self.open || std::env::var_os("TAURI_AUTOMATION").is_some()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn a_plain_start_is_tray_only_and_hidden_excludes_open() {
        let plain = Args::try_parse_from(["sandtray"]).unwrap();
        assert!(!plain.open && !plain.hidden && plain.machine.is_none());
        assert!(Args::try_parse_from(["sandtray", "--open", "--hidden"]).is_err());
        assert!(Args::try_parse_from(["sandtray", "/some/file"]).is_err());
    }
}

//! What is wrong with Sandtray itself.

use std::fmt;

use crate::status::{Fault, FaultKind};

/// A fault in one sentence: what is the matter and what it means.
#[must_use]
pub const fn fault(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::HistorySetAside => "The history was damaged and set aside; a new one began",
        FaultKind::HistoryInMemory => {
            "The history cannot be written now; it is kept in memory until it can"
        }
        FaultKind::HistoryNewer => {
            "The history was written by a newer Sandtray; it is left alone and nothing is added"
        }
        FaultKind::SettingsUnreadable => {
            "The settings could not be read; the defaults are in force and the file is left alone"
        }
        FaultKind::SettingsNewer => {
            "The settings were written by a newer Sandtray; the defaults are in force and the file is left alone"
        }
        FaultKind::SettingsUnknownKeys => {
            "The settings hold words Sandtray does not know; they are kept"
        }
        FaultKind::ReadOnly => "Another Sandtray keeps the history; this one only reads it",
        FaultKind::ClockWentBack => {
            "The clock of this computer went back; the trend is judged from what lies before it"
        }
        FaultKind::ActInterrupted => "An earlier action ended in the middle",
        FaultKind::NoTray => "This desktop shows no tray icons; the window shows the same",
        FaultKind::NoNotifications => {
            "This desktop takes no notifications; the tray and the window show the same"
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(fault(self.kind))?;
        if self.text.is_empty() {
            Ok(())
        } else {
            write!(f, ": {}", self.text.replace('\n', ". "))
        }
    }
}

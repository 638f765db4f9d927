//! The phases of a repair by the names that commands and reports use.

use std::fmt;

/// One step of the repair; its text is the name that commands use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The packed image moves in from `warm/`.
    Promote,
    /// A temporary folder and an empty `.partial`.
    DownloadBegins,
    /// The `.partial` has grown to so many percent.
    Download(u8),
    /// Checked and renamed to its name.
    Downloaded,
    /// A file that will be the image, half written.
    UnpackBegins(&'static str),
    /// Renamed into place, `.origin` written.
    Unpacked(&'static str),
    /// A fresh sessions disk.
    SessionDisk,
    /// `All files ready`.
    FilesReady,
    /// The VM starts: the app's own step.
    Boot,
}

impl fmt::Display for Phase {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Promote => text.write_str("promote"),
            Self::DownloadBegins => text.write_str("download begins"),
            Self::Download(percent) => write!(text, "download {percent}"),
            Self::Downloaded => text.write_str("downloaded"),
            Self::UnpackBegins(name) => write!(text, "unpack begins {name}"),
            Self::Unpacked(name) => write!(text, "unpacked {name}"),
            Self::SessionDisk => text.write_str("session disk"),
            Self::FilesReady => text.write_str("files ready"),
            Self::Boot => text.write_str("boot"),
        }
    }
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Done.
    Did(Phase),
    /// The VM may start; whoever asked starts it.
    Boot,
    /// Nothing moves any more, and nothing says so (#32197).
    Hangs,
    /// The app gives up, for this reason, which its log names.
    Failed(String),
    /// There is nothing left to do.
    Done,
}

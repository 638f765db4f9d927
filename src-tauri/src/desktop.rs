//! What differs per system. Each file holds the same functions.

use tauri::AppHandle;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "windows")]
mod windows;

#[cfg(target_os = "linux")]
pub use linux::*;
#[cfg(target_os = "macos")]
pub use macos::*;
#[cfg(target_os = "windows")]
pub use windows::*;

/// Whether something shows tray icons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrayHost {
    /// It does.
    Present,
    /// Nothing does, now.
    Absent {
        /// Why, and what to do.
        cause: String,
        /// Whether there is a session bus, so that a second start finds this one.
        bus: bool,
    },
}

/// What the notification server can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoticeServer {
    /// Clicks come back.
    pub actions: bool,
    /// The body is read as markup, so `&` and `<` must be escaped.
    pub markup: bool,
}

/// The action of a click on the notification itself.
pub const DEFAULT_ACTION: &str = "default";
/// The action of "Remind me tomorrow".
pub const TOMORROW: Action = ("tomorrow", "Remind me tomorrow");
/// The action that leads to the reset.
pub const RESET: Action = ("reset", "Reset sandbox storage…");
/// An action on a notification: its id and its label.
pub type Action = (&'static str, &'static str);

/// Our name for systems that file notifications by application.
#[must_use]
pub fn identity(app: &AppHandle) -> String {
    app.config().identifier.clone()
}

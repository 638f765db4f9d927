//! What the engine reports, carried to each surface.

use sandtray_host::engine::Event;
use serde::Serialize;
use tauri::{AppHandle, Emitter, EventTarget, Manager};

use crate::notify::Notifier;
use crate::{tray, window};

/// To the window: a new snapshot, as payload.
pub const STATUS: &str = "status-changed";
/// To the window: a chart drawn before is out of date.
pub const HISTORY: &str = "history-changed";
/// To the window: an act runs or has ended, as payload.
pub const ACTS: &str = "acts-changed";
/// To the window: lead to a place, as payload.
pub const FOCUS: &str = "lead";

/// To the window: how far a reading of a disk's inside is, as payload.
pub const INSIDE: &str = "inside-progress";
/// To the window: how far a look for leftovers is, as payload.
pub const LEFTOVERS: &str = "leftovers-progress";
/// To the window: a clean-up runs or has ended, as payload.
pub const CLEANING: &str = "cleaning";
/// To the window: how far a rescue is, as payload.
pub const RESCUE: &str = "rescue-progress";

/// Carries events; lives on the engine's thread and must never make it wait.
#[derive(Debug)]
pub struct Reporter {
    app: AppHandle,
    notifier: Notifier,
}

impl Reporter {
    /// A reporter to the surfaces of an app.
    #[must_use]
    pub fn new(app: AppHandle) -> Self {
        Self {
            notifier: Notifier::new(app.clone()),
            app,
        }
    }

    /// Carries one event.
    pub fn report(&self, event: Event) {
        match event {
            Event::Status(status) => {
                tray::show(&self.app, &status);
                send(&self.app, STATUS, status.as_ref());
            }
            Event::Recorded => send(&self.app, HISTORY, ()),
            Event::Notice(notice) => self.notifier.tell(notice),
            Event::Acts(acts) => send(&self.app, ACTS, acts),
            Event::ActEnded(receipt) => self.notifier.tell_end(&receipt),
            Event::Cleaning(cleaning) => send(&self.app, CLEANING, cleaning),
            Event::Cleaned(receipt) => self.notifier.tell_cleaned(&receipt),
        }
    }
}

/// Sends to the window. Nothing is serialised while nobody looks.
pub fn send(app: &AppHandle, event: &str, payload: impl Serialize + Clone) {
    if app.get_webview_window(window::MAIN).is_none() {
        return;
    }
    let to = EventTarget::webview_window(window::MAIN);
    if let Err(error) = app.emit_to(to, event, payload) {
        tracing::warn!("cannot reach the window: {error}");
    }
}

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
/// To the window: show this gauge, as payload.
pub const FOCUS: &str = "focus-gauge";

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
                self.send(STATUS, status.as_ref());
            }
            Event::Recorded => self.send(HISTORY, ()),
            Event::Notice(notice) => self.notifier.tell(notice),
        }
    }

    /// Sends to the window. Nothing is serialised while nobody looks.
    fn send(&self, event: &str, payload: impl Serialize + Clone) {
        if self.app.get_webview_window(window::MAIN).is_none() {
            return;
        }
        let to = EventTarget::webview_window(window::MAIN);
        if let Err(error) = self.app.emit_to(to, event, payload) {
            tracing::warn!("cannot reach the window: {error}");
        }
    }
}

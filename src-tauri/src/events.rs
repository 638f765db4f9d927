//! What the engine reports, carried to each surface.

use std::sync::Arc;

use sandtray_core::status::Status;
use sandtray_core::time::{MINUTE, Time};
use sandtray_host::engine::Event;
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
    charted: Option<Charted>,
}

/// What the history grows by: a minute, or a full measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Charted {
    minute: i64,
    measured_at: Option<Time>,
}

impl Reporter {
    /// A reporter to the surfaces of an app.
    #[must_use]
    pub fn new(app: AppHandle) -> Self {
        Self {
            notifier: Notifier::new(app.clone()),
            app,
            charted: None,
        }
    }

    /// Carries one event.
    pub fn report(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.status(&status),
            Event::Notice(notice) => self.notifier.tell(notice),
        }
    }

    fn status(&mut self, status: &Arc<Status>) {
        tray::show(&self.app, status);
        let charted = Charted {
            minute: status.at.0.div_euclid(MINUTE),
            measured_at: status.measured_at,
        };
        let grown = self.charted.replace(charted) != Some(charted);
        // Nothing is serialised while nobody looks.
        if self.app.get_webview_window(window::MAIN).is_none() {
            return;
        }
        let to = || EventTarget::webview_window(window::MAIN);
        let mut sent = self.app.emit_to(to(), STATUS, status.as_ref());
        if grown {
            sent = sent.and(self.app.emit_to(to(), HISTORY, ()));
        }
        if let Err(error) = sent {
            tracing::warn!("cannot reach the window: {error}");
        }
    }
}

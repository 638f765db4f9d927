//! macOS: menu bar, template icons, no icon in the Dock.

use notify_rust::{Notification, NotificationHandle};
use sandtray_core::notice::NoticeLevel;
use tauri::{ActivationPolicy, App};

use super::{Action, NoticeServer, TrayHost};
use crate::error::Failed;
use crate::icon::Panel;

/// Pixels: 18 points of the menu bar, doubled.
pub const ICON_EDGE: u32 = 36;
/// A title would stand as text in the menu bar.
pub const TRAY_HAS_TITLE: bool = false;

/// A display is always there.
///
/// # Errors
/// Never.
pub fn check_display() -> Result<(), Failed> {
    Ok(())
}

/// Keeps the app out of the Dock, and files its notifications under its own name.
pub fn settle_in(app: &mut App) {
    app.set_activation_policy(ActivationPolicy::Accessory);
    if let Err(error) = notify_rust::set_application(&app.config().identifier) {
        tracing::debug!("notifications keep the terminal's name: {error}");
    }
}

/// The menu bar colours a template itself.
#[must_use]
pub fn panel() -> Panel {
    Panel::Template
}

/// The menu bar is always there.
pub fn watch_tray_host(mut report: impl FnMut(TrayHost) + Send + 'static) {
    report(TrayHost::Present);
}

/// What the notification centre can do.
///
/// # Errors
/// Never.
pub fn notice_server() -> Result<NoticeServer, String> {
    Ok(NoticeServer {
        actions: true,
        markup: false,
    })
}

/// Adds what this system shows beside the text. A click on the banner needs no action of its own.
pub fn dress(
    notice: &mut Notification,
    _level: NoticeLevel,
    actions: Option<&[Action]>,
    _identity: &str,
) {
    for (id, label) in actions.unwrap_or_default() {
        notice.action(id, label);
    }
}

/// Banners have no number here.
#[must_use]
pub fn number(_handle: &NotificationHandle) -> Option<u32> {
    None
}

/// Nothing to take back by number.
pub fn withdraw(_number: u32) {}

/// The system ends web processes itself.
pub fn release_web() {}

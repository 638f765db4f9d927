//! Windows: notification area and toasts.

use notify_rust::{Notification, NotificationHandle, Urgency};
use sandtray_core::notice::NoticeLevel;
use tauri::App;

use super::{Action, NoticeServer, TrayHost};
use crate::error::Failed;
use crate::icon::Panel;

/// Pixels: the area's 16 at twice the density.
pub const ICON_EDGE: u32 = 32;
/// The area shows tooltips only.
pub const TRAY_HAS_TITLE: bool = false;

/// A display is always there.
///
/// # Errors
/// Never.
pub fn check_display() -> Result<(), Failed> {
    Ok(())
}

/// Nothing to settle here.
pub fn settle_in(_app: &mut App) {}

/// The taskbar has a theme of its own, apart from that of windows.
#[must_use]
pub fn panel() -> Panel {
    Panel::Either
}

/// The notification area is always there.
pub fn watch_tray_host(mut report: impl FnMut(TrayHost) + Send + 'static) {
    report(TrayHost::Present);
}

/// What toasts can do.
///
/// # Errors
/// Never.
pub fn notice_server() -> Result<NoticeServer, String> {
    Ok(NoticeServer {
        actions: true,
        markup: false,
    })
}

/// Adds what this system shows beside the text. A click on the toast needs no action of its own.
pub fn dress(
    notice: &mut Notification,
    level: NoticeLevel,
    actions: Option<&[Action]>,
    identity: &str,
) {
    notice.app_id(identity).urgency(match level {
        NoticeLevel::Low => Urgency::Normal,
        NoticeLevel::Critical | NoticeLevel::Full => Urgency::Critical,
    });
    for (id, label) in actions.unwrap_or_default() {
        notice.action(id, label);
    }
}

/// Toasts have no number here.
#[must_use]
pub fn number(_handle: &NotificationHandle) -> Option<u32> {
    None
}

/// Nothing to take back by number.
pub fn withdraw(_number: u32) {}

/// The system ends web processes itself.
pub fn release_web() {}

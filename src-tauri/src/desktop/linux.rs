//! Linux: StatusNotifierItem and freedesktop notifications over the session bus, GTK for the window.

use std::time::Duration;

use notify_rust::{Hint, Notification, NotificationHandle, Urgency};
use sandtray_core::notice::NoticeLevel;
use tauri::App;
use zbus::blocking::connection::Builder;
use zbus::blocking::fdo::DBusProxy;
use zbus::blocking::{Connection, MessageIterator};
use zbus::message::Type;

use super::{Action, DEFAULT_ACTION, NoticeServer, TrayHost};
use crate::error::Failed;
use crate::icon::Panel;

/// Pixels: the panel's 22, doubled, so that both plain and dense panels scale it evenly.
pub const ICON_EDGE: u32 = 44;
/// The item carries a title beside the tooltip.
pub const TRAY_HAS_TITLE: bool = true;

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const WATCHER_PATH: &str = "/StatusNotifierWatcher";
const NOTICES: &str = "org.freedesktop.Notifications";
const NOTICES_PATH: &str = "/org/freedesktop/Notifications";
/// A server that does not answer within it counts as absent.
const PATIENCE: Duration = Duration::from_secs(5);

/// Checks that a window can be shown; the toolkit would panic later.
///
/// # Errors
/// Where there is no display.
pub fn check_display() -> Result<(), Failed> {
    gtk::init().map_err(|error| {
        Failed::new(format!(
            "cannot open a display: {error}\n\
             On a machine without a desktop use `sandtrayctl watch`."
        ))
    })
}

/// Nothing to settle here.
pub fn settle_in(_app: &mut App) {}

/// What the icon lies on. GNOME's bar is dark in every theme; the others do not say.
#[must_use]
pub fn panel() -> Panel {
    let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
    let dark = ["GNOME", "Unity", "Pantheon"];
    if desktop.split(':').any(|name| dark.contains(&name)) {
        Panel::Dark
    } else {
        Panel::Either
    }
}

/// Reports whether a tray host is there, now and whenever that changes. Waits on the bus on a
/// thread of its own, without a single wake-up in between.
pub fn watch_tray_host(mut report: impl FnMut(TrayHost) + Send + 'static) {
    let watch = move || {
        if let Err(error) = follow_tray_host(&mut report) {
            report(TrayHost::Absent {
                cause: format!("no session bus ({error})"),
                bus: false,
            });
        }
    };
    let thread = std::thread::Builder::new().name("tray host".into());
    if let Err(error) = thread.spawn(watch) {
        tracing::error!("cannot watch for a tray host: {error}");
    }
}

fn follow_tray_host(report: &mut impl FnMut(TrayHost)) -> zbus::Result<()> {
    let bus = Builder::session()?.method_timeout(PATIENCE).build()?;
    let daemon = DBusProxy::new(&bus)?;
    let signals = || zbus::MatchRule::builder().msg_type(Type::Signal);
    daemon.add_match_rule(
        signals()
            .sender("org.freedesktop.DBus")?
            .member("NameOwnerChanged")?
            .arg(0, WATCHER)?
            .build(),
    )?;
    let hosts = signals().interface(WATCHER)?;
    daemon.add_match_rule(hosts.member("StatusNotifierHostRegistered")?.build())?;

    // Listening starts before the first question, so that no change falls between the two.
    let signals = MessageIterator::from(&bus);
    let mut last = None;
    let mut ask = |report: &mut dyn FnMut(TrayHost)| {
        let host = tray_host(&bus);
        if last.as_ref() != Some(&host) {
            last = Some(host.clone());
            report(host);
        }
    };
    ask(report);
    for message in signals {
        let message = message?;
        let header = message.header();
        let member = header.member().map(|member| member.as_str());
        if message.message_type() == Type::Signal
            && matches!(
                member,
                Some("NameOwnerChanged" | "StatusNotifierHostRegistered")
            )
        {
            ask(report);
        }
    }
    Ok(())
}

fn tray_host(bus: &Connection) -> TrayHost {
    let get = (
        "org.kde.StatusNotifierWatcher",
        "IsStatusNotifierHostRegistered",
    );
    let properties = Some("org.freedesktop.DBus.Properties");
    let answer = bus
        .call_method(Some(WATCHER), WATCHER_PATH, properties, "Get", &get)
        .and_then(|reply| reply.body().deserialize::<zbus::zvariant::OwnedValue>())
        .and_then(|value| Ok(bool::try_from(value)?));
    let cause = match answer {
        Ok(true) => return TrayHost::Present,
        Ok(false) => "the desktop shows no tray icons now".to_owned(),
        Err(error) if unowned(&error) => {
            "this desktop has none; on GNOME the AppIndicator extension adds one".to_owned()
        }
        Err(error) => error.to_string(),
    };
    TrayHost::Absent { cause, bus: true }
}

/// Whether nobody owns the name that was called; the rest are real failures and keep their text.
fn unowned(error: &zbus::Error) -> bool {
    let unknown = "org.freedesktop.DBus.Error.ServiceUnknown";
    matches!(error, zbus::Error::MethodError(name, ..) if name.as_str() == unknown)
}

/// What the notification server can do.
///
/// # Errors
/// Where there is no server, no session bus, or no answer.
pub fn notice_server() -> Result<NoticeServer, String> {
    // Asked over a connection of our own: a server that hangs must not hold the thread for ever.
    let ask = || -> zbus::Result<Vec<String>> {
        let bus = Builder::session()?.method_timeout(PATIENCE).build()?;
        let reply = bus.call_method(
            Some(NOTICES),
            NOTICES_PATH,
            Some(NOTICES),
            "GetCapabilities",
            &(),
        )?;
        reply.body().deserialize()
    };
    let can = ask().map_err(|error| match error {
        error if unowned(&error) => "no notification server runs".to_owned(),
        error => error.to_string(),
    })?;
    let has = |name: &str| can.iter().any(|can| can == name);
    Ok(NoticeServer {
        actions: has("actions"),
        markup: has("body-markup"),
    })
}

/// Adds what this system shows beside the text.
pub fn dress(
    notice: &mut Notification,
    level: NoticeLevel,
    actions: Option<&[Action]>,
    _identity: &str,
) {
    notice
        .icon("sandtray")
        .hint(Hint::DesktopEntry("Sandtray".into()))
        .urgency(match level {
            NoticeLevel::Low => Urgency::Normal,
            NoticeLevel::Critical | NoticeLevel::Full => Urgency::Critical,
        });
    if let Some(actions) = actions {
        // Most servers never show this label: it is the click on the body.
        notice.action(DEFAULT_ACTION, "Open Sandtray");
        for (id, label) in actions {
            notice.action(id, label);
        }
    }
}

/// The server's number of a notification that is on the screen.
#[must_use]
pub fn number(handle: &NotificationHandle) -> Option<u32> {
    Some(handle.id())
}

/// Takes a notification back.
pub fn withdraw(number: u32) {
    let close = || -> zbus::Result<()> {
        let bus = Builder::session()?.method_timeout(PATIENCE).build()?;
        let close = "CloseNotification";
        bus.call_method(Some(NOTICES), NOTICES_PATH, Some(NOTICES), close, &number)?;
        Ok(())
    };
    if let Err(error) = close() {
        tracing::debug!("cannot take back a notification: {error}");
    }
}

/// Ends the web view's network process, which WebKit keeps for ever once a window was open
/// (tauri#14626): 11 MB for nothing. WebKit starts another with the next window. Called on the
/// main thread and only while there is no window.
pub fn release_web() {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return;
    };
    for process in processes.flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|it| it.parse().ok()) else {
            continue;
        };
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        if is_network_process_of(&stat, std::process::id())
            && let Some(pid) = rustix::process::Pid::from_raw(pid)
            && rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_ok()
        {
            tracing::info!("network process ended");
        }
    }
}

/// Whether a line of `/proc/<pid>/stat` is that of a WebKit network process which `parent` started.
fn is_network_process_of(stat: &str, parent: u32) -> bool {
    // The name ends at the last parenthesis; it may hold some itself. State and parent follow.
    let Some((head, rest)) = stat.rsplit_once(") ") else {
        return false;
    };
    let name = head.split_once('(').map(|(_, name)| name);
    let its_parent = rest.split(' ').nth(1).and_then(|it| it.parse().ok());
    // The kernel keeps 15 bytes of a name.
    name == Some("WebKitNetworkPr") && its_parent == Some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_network_process_of_our_own_is_ended() {
        let ours = "32448 (WebKitNetworkPr) S 700 700 700 0 -1 4194304";
        assert!(is_network_process_of(ours, 700));
        assert!(!is_network_process_of(ours, 32448), "its own id");
        assert!(!is_network_process_of(ours, 701), "another browser's");
        for other in [
            "1 (WebKitWebProces) S 700 700",
            "1 (x) (WebKitNetworkPr) S 700",
            "1 (WebKitNetworkPr) S",
            "",
        ] {
            assert!(!is_network_process_of(other, 700), "{other}");
        }
    }
}

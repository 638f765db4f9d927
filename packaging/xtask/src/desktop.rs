//! A desktop for the real app: a virtual display, and a session bus on which nothing starts by itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{cannot, command, found};

/// A bus without services to activate: the system's own notification server would otherwise come up
/// the moment the app asks for one, and take the name that a test plays, or shows the lack of.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// A command that runs the words added to it on such a desktop. Its files go to `folder`.
///
/// The limit is for a driver that hangs: each wait inside has a limit of its own.
pub(crate) fn session(folder: &Path) -> Result<Command, String> {
    for program in ["timeout", "xvfb-run", "dbus-run-session", "WebKitWebDriver"] {
        if found(program).is_none() {
            return Err(format!("{program} is not installed"));
        }
    }
    let bus = folder.join("bus.conf");
    fs::write(&bus, BUS).map_err(|cause| cannot("write", &bus, &cause))?;
    let mut session = command("timeout");
    session
        .args(["--kill-after=5", "1200", "xvfb-run", "-a"])
        .args(["-s", "-screen 0 1280x800x24", "dbus-run-session"])
        .arg(format!("--config-file={}", bus.display()))
        .arg("--")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS");
    Ok(session)
}

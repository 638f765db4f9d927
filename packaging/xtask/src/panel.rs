//! The tray in a real panel, for a picture: icon, and the menu that opens from it.

use std::fs;
use std::path::Path;

use crate::command::{self, built, cannot, command};

/// A panel with nothing but the tray and a clock, at the top of the screen.
const PANEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array">
        <value type="int" value="1"/>
        <value type="int" value="2"/>
        <value type="int" value="3"/>
      </property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="separator">
      <property name="expand" type="bool" value="true"/>
      <property name="style" type="uint" value="0"/>
    </property>
    <property name="plugin-2" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
      <property name="size-max" type="uint" value="24"/>
    </property>
    <property name="plugin-3" type="string" value="clock"/>
  </property>
</channel>
"#;

/// The pauses are for the eye of the camera: a panel does not say when it has painted.
const SCRIPT: &str = r#"
xsetroot -solid '#8a8f98'
openbox &
xfce4-panel --disable-wm-check &
"$DEMO" run -- "$APP" --hidden 2>"$LOG" &
app=$!
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  grep -q 'tray shown' "$LOG" && break
  sleep 1
done
sleep 5
xdotool mousemove 1196 16 click 3
sleep 2
import -window root -crop 460x270+820+0 +repage "$PICTURE"
kill "$app"
wait "$app"
"#;

/// Draws `picture`, on the demo machine. The session bus is an ordinary one: the panel's own
/// services start on demand. Nobody shows notifications on it that could cover the menu.
pub(crate) fn draw(picture: &Path) -> Result<(), String> {
    let home = std::env::temp_dir().join(format!("sandtray-panel-{}", std::process::id()));
    let config = home.join(".config/xfce4/xfconf/xfce-perchannel-xml");
    let run = home.join("run");
    for folder in [&config, &run] {
        fs::create_dir_all(folder).map_err(|cause| cannot("create", folder, &cause))?;
    }
    let file = config.join("xfce4-panel.xml");
    fs::write(&file, PANEL).map_err(|cause| cannot("write", &file, &cause))?;
    let mut session = command("timeout");
    session
        .args(["120", "xvfb-run", "-a", "-s", "-screen 0 1280x800x24"])
        .args(["dbus-run-session", "--", "sh", "-c", SCRIPT])
        .env("HOME", &home)
        .env("XDG_RUNTIME_DIR", &run)
        .env("SANDTRAY_LOG", "info")
        .env("DEMO", built("debug", "demo-machine"))
        .env("APP", built("debug", "sandtray"))
        .env("LOG", home.join("app.log"))
        .env("PICTURE", picture)
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS");
    let drawn = command::run(&mut session);
    // A folder in the temp folder that stays is only untidy.
    let _ignored = fs::remove_dir_all(&home);
    drawn
}

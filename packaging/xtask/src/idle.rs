//! `cargo xtask bench idle`: what it costs to keep the app running, beside a bare tray.
//!
//! The measuring itself stands with the desktop journeys (`tests/tests/e2e/idle.rs`), which know how
//! to play a tray host; here both apps are built alike and started on a display of their own.

use std::process::Command;

use crate::command::{self, built, cargo, command, found};
use crate::packages::{self, Need};
use crate::ui::{self, To};

/// Optimised as what is shipped, without the link that takes a minute.
const PROFILE: &str = "release-dev";

pub(crate) fn run() -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Err("the idle bench reads /proc: it runs on Linux only".to_owned());
    }
    packages::ensure(&[Need::Window, Need::Tests, Need::Pictures])?;
    ui::build(&mut To::Terminal)?;
    let mut build = cargo();
    build
        .args(["build", "--profile", PROFILE, "-p", "sandtray"])
        .args([
            "--features",
            "sandtray/custom-protocol",
            "--bin",
            "sandtray",
            "--example",
            "bare_tray",
        ]);
    command::run(&mut build)?;
    let mut session = on_a_desktop("idle::cost")?;
    session
        .env("SANDTRAY_APP", built(PROFILE, "sandtray"))
        .env("SANDTRAY_BARE", built(PROFILE, "examples/bare_tray"));
    command::run(&mut session)
}

/// One test of the desktop journeys by name, on a virtual display with a window manager.
pub(crate) fn on_a_desktop(test: &str) -> Result<Command, String> {
    for program in ["xvfb-run", "dbus-run-session", "openbox", "wmctrl"] {
        if found(program).is_none() {
            return Err(format!("{program} is not installed"));
        }
    }
    // The test program is built first, with this terminal to see it.
    command::run(cargo().args(["test", "-p", "sandtray-tests", "--test", "e2e", "--no-run"]))?;
    let mut session = command("xvfb-run");
    session
        .args([
            "-a",
            "-s",
            "-screen 0 1280x800x24",
            "dbus-run-session",
            "--",
            "sh",
            "-c",
        ])
        .arg("openbox & exec \"$@\"")
        .arg("sh")
        .arg(cargo().get_program())
        .args([
            "test",
            "--quiet",
            "-p",
            "sandtray-tests",
            "--test",
            "e2e",
            "--",
        ])
        .args(["--ignored", "--exact", test, "--nocapture"])
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS");
    Ok(session)
}

//! `cargo xtask bench idle`: what it costs to keep the app running, beside a bare tray.
//!
//! The measuring itself stands with the desktop journeys (`tests/tests/e2e/idle.rs`), which know how
//! to play a tray host; here both apps are built alike and started on a display of their own.

use std::process::Command;

use crate::command::{self, built, cargo, found, scratch};
use crate::desktop;
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
    for program in ["openbox", "wmctrl"] {
        if found(program).is_none() {
            return Err(format!("{program} is not installed"));
        }
    }
    // The test program is built first, with this terminal to see it.
    let package = ["-p", "sandtray-tests", "--features", "desktop"];
    let journeys = [&package[..], &["--test", "e2e"]].concat();
    command::run(cargo().arg("test").args(&journeys).arg("--no-run"))?;
    let mut session = desktop::session(&scratch()?)?;
    session
        .args(["sh", "-c", "openbox & exec \"$@\"", "sh"])
        .arg(cargo().get_program())
        .args(["test", "--quiet"])
        .args(&journeys)
        .args(["--", "--ignored", "--exact", test, "--nocapture"]);
    Ok(session)
}

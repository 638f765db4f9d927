//! What starts the app again after it has quit: a session's autostart, a supervisor, the user.
//!
//! It begins when the app quits and ends when it has started the app once.

use std::io::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use super::super::reap::Handle;
use super::super::script::Script;
use super::tether::Tether;
use super::{HANDED_DOWN, vm_program};

/// Tells the app which file to make once it is up.
pub(super) const BACK: &str = "STAND_IN_BACK";

/// Leaves one behind that will start the app, as it was started this time.
pub(super) fn leave_behind(
    script: &Script,
    executable: &Path,
    words: &[String],
) -> Result<(), Error> {
    let _runs_on = vm_program(script, executable, "autostart-watch")?
        .arg(std::process::id().to_string())
        .arg(executable)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(())
}

/// Waits for the app's end and for what it was told to wait for, then starts the app.
pub(super) fn run(script: &Script, words: &[String]) -> Result<ExitCode, Error> {
    let tether = Tether::join(script, "autostart-watch", |_| {})?;
    let [pid, executable, rest @ ..] = words else {
        return Err(Error::other("autostart-watch PID EXECUTABLE WORDS…"));
    };
    if let Some(app) = pid.parse().ok().and_then(Handle::of) {
        app.wait(None)?;
    }
    let mut command = Command::new(executable);
    if let Some(trigger) = &script.come_back_when {
        tether.say("watches");
        // A person's or a supervisor's moment; nothing that a test waits through: who makes the
        // file waits for the answer beside it.
        while !trigger.exists() {
            std::thread::sleep(Duration::from_millis(2));
        }
        command.env(BACK, answer(trigger));
    }
    let _runs_on = command
        .args(rest)
        .env_remove(HANDED_DOWN)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    tether.say("started the app");
    Ok(ExitCode::SUCCESS)
}

/// The trigger's path with `.back` added.
fn answer(trigger: &Path) -> PathBuf {
    let mut name = trigger.as_os_str().to_owned();
    name.push(".back");
    name.into()
}

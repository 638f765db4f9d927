//! Asks the app to quit as the Dock does; no permission to automate is needed.

use std::thread;
use std::time::Duration;

use objc2_app_kit::NSRunningApplication;

use super::super::patience::wait;
use super::super::{ASKED, App, MAY_ASK, Quit};
use super::look;
use crate::walk::Cancel;

pub(in super::super) fn quit(
    app: &App,
    limit: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&str),
) -> Quit {
    if cancel.is_cancelled() {
        return Quit::Stopped;
    }
    let runs = || look::own(app.pid).is_some_and(|own| own.started == app.started);
    if !runs() {
        return Quit::Gone;
    }
    if look::executable(app.pid).as_ref() != Some(&app.executable) {
        return Quit::CannotAsk(format!("process {} is not what it was", app.pid));
    }
    let Ok(pid) = i32::try_from(app.pid) else {
        return Quit::CannotAsk(format!("{} is no process number", app.pid));
    };
    // The object stands for the process that has the number now; it is the one we know if that still runs.
    let Some(running) = NSRunningApplication::runningApplicationWithProcessIdentifier(pid) else {
        return Quit::CannotAsk(format!("process {pid} is no application that can be asked"));
    };
    if !runs() {
        return Quit::Gone;
    }
    if !running.terminate() {
        return Quit::CannotAsk("the system did not pass the request on".to_owned());
    }
    tell(ASKED);
    wait(limit, cancel, tell, MAY_ASK, &mut |patience| {
        if runs() {
            thread::sleep(patience);
        }
        Ok(!runs())
    })
}

//! Systems on which the app cannot be handled: everything is unknown, and so nothing is done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sandtray_core::act::Launch;
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::{App, Held, Quit, Running};
use crate::error::{Cause, Failure};
use crate::walk::Cancel;

const UNSUPPORTED: &str = "not supported on this system";

pub(super) fn find(_machine: &Machine, _claude: &Claude, _bundle: &Bundle) -> Running {
    Running::Unknown(UNSUPPORTED.to_owned())
}

pub(super) const fn launch(
    _machine: &Machine,
    _claude: &Claude,
    _bundle: &Bundle,
    _app: Option<&App>,
) -> Option<Launch> {
    None
}

pub(super) fn quit(
    _app: &App,
    _limit: Duration,
    _cancel: &Cancel,
    _tell: &mut dyn FnMut(&str),
) -> Quit {
    Quit::CannotAsk(UNSUPPORTED.to_owned())
}

pub(super) fn holders(_machine: &Machine, _claude: &Claude, _files: &[PathBuf]) -> Held {
    Held::Unknown(UNSUPPORTED.to_owned())
}

pub(super) fn start(_machine: &Machine, _launch: &Launch) -> Result<(), Failure> {
    Err(Failure::new(
        "start Claude Desktop",
        Path::new("claude"),
        Cause::Unsupported(UNSUPPORTED.to_owned()),
    ))
}

pub(super) const fn boot() -> Option<String> {
    None
}

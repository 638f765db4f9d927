//! How the app is started again.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sandtray_core::act::Launch;
use sandtray_core::bundle::{Bundle, Profile};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Claude;

use super::super::App;
use super::executable::PACKAGES;
use super::find::data_of;

pub(in super::super) fn launch(
    machine: &Machine,
    claude: &Claude,
    bundle: &Bundle,
    app: Option<&App>,
) -> Option<Launch> {
    if let Some((program, arguments)) = claude.launch.split_first() {
        let text = |text: &String| PathText::from_bytes(text.as_bytes());
        return Some(Launch {
            program: text(program),
            arguments: arguments.iter().map(text).collect(),
        });
    }
    if let Some(app) = app {
        return Some(Launch {
            program: (&app.executable).into(),
            arguments: app
                .arguments
                .iter()
                .skip(1)
                // A link that was opened once (a sign-in) is not opened again.
                .filter(|argument| !argument.as_bytes().starts_with(b"claude://"))
                .map(|argument| PathText::from_bytes(argument.as_bytes()))
                .collect(),
        });
    }
    let program = usual(machine, claude)?;
    let mut arguments = Vec::new();
    // Without it another account's data would be opened.
    if bundle.profile == Profile::Extra
        && let Some(data) = data_of(bundle)
    {
        let mut argument = OsString::from("--user-data-dir=");
        argument.push(data);
        arguments.push(PathText::from_bytes(argument.as_bytes()));
    }
    Some(Launch {
        program: (&program).into(),
        arguments,
    })
}

/// The program a person would start.
fn usual(machine: &Machine, claude: &Claude) -> Option<PathBuf> {
    if !claude.executable.is_empty() {
        return Some(PathBuf::from(&claude.executable));
    }
    if machine.is_confined() {
        return None;
    }
    PACKAGES
        .iter()
        .filter(|package| Path::new(package.executable).is_file())
        .map(|package| PathBuf::from(package.starter))
        .find(|starter| starter.is_file())
}

//! What needs a browser or a display: pictures of the window's states, and the real app.

use super::hermetic::Scratch;
use super::steps::Outcome;
use super::{WORKSPACE, counts, npm_script};
use crate::command::{Log, built, cargo, found, scratch as scratch_folder};
use crate::desktop;
use crate::packages::{self, Need};

/// Draws every state of the window in Chromium and checks that none overflows or complains.
pub(crate) fn pictures(log: &mut Log) -> Result<Outcome, String> {
    // Not needed to build or to use the product: absent, it is a skip.
    let there = packages::ensure(&[Need::Browser]);
    let browser = ["chromium", "google-chrome", "chromium-browser"]
        .iter()
        .find_map(|name| found(name));
    let Some(browser) = browser else {
        let reason = there.err().unwrap_or_default().replace('\n', " ");
        return Ok(Outcome::skipped(
            "window-pictures",
            format!("no Chromium here {reason}"),
        ));
    };
    let mut pictures = npm_script("pictures");
    // All of them take ten minutes on two cores: whoever changes the window runs them by hand.
    pictures.env("CHROMIUM", browser).env("PICTURES", "few");
    log.run(&mut pictures)?;
    Ok(Outcome::checked(1))
}

/// What the journeys' program is told: one at a time, and not what draws or measures when asked for
/// by name.
pub(crate) const JOURNEYS: [&str; 7] = [
    "--ignored",
    "--test-threads=1",
    "--show-output",
    "--skip",
    "pictures::",
    "--skip",
    "idle::",
];

/// The real app on a virtual display with a session bus of its own: tray, notification, window.
pub(crate) fn journeys(log: &mut Log, scratch: &Scratch) -> Result<Outcome, String> {
    if !cfg!(target_os = "linux") {
        return Ok(Outcome::skipped(
            "desktop",
            "the tray and the window are driven on Linux only",
        ));
    }
    let mut session = match desktop::session(scratch.folder()) {
        Ok(session) => session,
        Err(reason) => return Ok(Outcome::skipped("desktop", reason)),
    };
    let pictures = scratch_folder()?.join("pictures");
    session
        .arg(cargo().get_program())
        .arg("test")
        .args(WORKSPACE)
        .args(["--test", "e2e", "--"])
        .args(JOURNEYS)
        .env("SANDTRAY_APP", built("debug", "sandtray"))
        .env("SANDTRAY_PICTURES", pictures);
    let (well, text) = log.try_run(scratch.confine(&mut session))?;
    Outcome::of_tests(well, counts::rust(&text), &text)
}

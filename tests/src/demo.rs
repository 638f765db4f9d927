//! The demo machine: everything the product watches, in one throw-away folder, with a past.
//!
//! The story it tells (#94239): a reset sixteen days ago, then work every day, and a sessions disk
//! that will be full in a few days; a system disk that has been almost full since its first day; a
//! temp folder that nobody tidies.

use std::io::Error;
use std::path::Path;

use sandtray_host::error::Failure;
use sandtray_host::{engine, walk};

use crate::leftovers::{self, Amount};
use crate::machine::{Bundle, TestMachine};
use crate::past;

/// How full the demo's sessions disk is now.
pub const SESSIONS_PERCENT: f64 = 88.4;
/// How full its system disk is: that of a fresh one (#37860).
pub const SYSTEM_PERCENT: f64 = 86.0;

/// Builds the demo machine in `folder`.
///
/// # Errors
/// Where disks cannot be made (`mke2fs` missing) or the folder cannot be written.
pub fn build(folder: &Path) -> Result<TestMachine, Error> {
    let mut machine = TestMachine::at(&folder.canonicalize()?)?;
    machine.label = Some("Demo".to_owned());
    machine.save()?;

    let bundle = Bundle::create(&machine.claude())?;
    bundle.companions()?;
    bundle.system(SYSTEM_PERCENT)?;
    bundle.sessions(SESSIONS_PERCENT, 180)?;

    leftovers::in_temp_root(
        &machine.tmp(),
        uid(),
        Amount {
            directories: 3000,
            files: 300,
        },
    )?;
    leftovers::in_home(&machine.home())?;
    remember(&machine).map_err(|failure| Error::other(failure.to_string()))?;
    Ok(machine)
}

/// Gives the machine its past, in the series and under the names that the product itself uses.
fn remember(machine: &TestMachine) -> Result<(), Failure> {
    let described = sandtray_host::machine::load(&machine.file())?;
    // Looked at with another data folder: the past has to be written before the present.
    let mut looked_at = described.clone();
    looked_at.own_data = machine.root().join("first-look");
    let status = engine::once(looked_at.clone(), true, &walk::Progress::default());
    // A folder that nobody needs any more; one that stays is only odd.
    std::fs::remove_dir_all(&looked_at.own_data).ok();
    past::write(&described, &status)
}

fn uid() -> u32 {
    #[cfg(unix)]
    return rustix::process::getuid().as_raw();
    #[cfg(not(unix))]
    return 0;
}

//! The demo machine: everything the product watches, in one throw-away folder, with a past.
//!
//! The story it tells (#94239): a reset sixteen days ago, then work every day, and a sessions disk
//! that will be full in a few days; a system disk that has been almost full since its first day; a
//! temp folder that nobody tidies.

use std::io::Error;
use std::path::Path;

use crate::leftovers::{self, Amount};
use crate::machine::{Bundle, TestMachine};

/// How full the demo's sessions disk is now.
pub const SESSIONS_PERCENT: f64 = 88.0;
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
    Ok(machine)
}

fn uid() -> u32 {
    #[cfg(unix)]
    return rustix::process::getuid().as_raw();
    #[cfg(not(unix))]
    return 0;
}

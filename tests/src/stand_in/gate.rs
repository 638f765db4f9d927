//! The platform gate: the app takes its own bundle apart.

use std::io::Error;

use super::layout::origin;
use super::log::Log;
use super::rebuild::{FILES, remove};
use super::script::Script;

/// The platform gate: the app decides that this machine cannot run the VM and deletes what it could
/// install again, in the live folder (#37947, #41066). The sessions disk and the packed image stay.
///
/// # Errors
/// Where something cannot be removed.
pub fn platform_gate(script: &Script) -> Result<(), Error> {
    let log = Log::of_vm(&script.user_data);
    log.info("[cleanupVMBundleIfUnsupported] yukonSilver not supported (status=unsupported)")?;
    log.info("[deleteVMBundle] Deleting reinstall files")?;
    for name in FILES {
        remove(&script.bundle().join(name))?;
        remove(&origin(&script.bundle(), name))?;
    }
    log.info(
        "[deleteVMBundle] Reinstall files deleted (sessiondata.img and rootfs.img.zst preserved)",
    )
}

//! Processes on macOS and Windows, through sysinfo: environments of this user's processes.
//! Type-checked only; not run by our own CI. Open files are not asked for here yet.

use std::collections::BTreeSet;
use std::path::PathBuf;

use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use super::Named;

pub(super) fn named() -> Named {
    let Ok(mut system) = System::new() else {
        return Named::default();
    };
    let wanted = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, wanted);
    let mut named = Named::default();
    for process in system.processes().values() {
        for variable in process.environ() {
            named.add(variable.as_encoded_bytes());
        }
    }
    named
}

pub(super) const fn held(_files: &[PathBuf]) -> Option<BTreeSet<PathBuf>> {
    None
}

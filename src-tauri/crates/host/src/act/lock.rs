//! One act at a time, in every Sandtray of this user.
//!
//! The lock is the system's and ends with the process; its file is never removed, because whoever removes a
//! lock file may remove the one that another just took.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use sandtray_core::act::RefusalKind;
use sandtray_core::machine::Machine;

use super::hands::Hands;

/// Its name in our own data folder.
const FILE: &str = "action.lock";

/// Held while this value lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock without waiting.
    pub(super) fn take(machine: &Machine, hands: &Hands) -> Result<Self, RefusalKind> {
        let path = machine.own_data.join(FILE);
        let refused = |cause: std::io::Error| RefusalKind::NoJournal {
            cause: format!("{}: {cause}", path.display()),
        };
        hands.make_dirs(&machine.own_data).map_err(refused)?;
        if path.symlink_metadata().is_err()
            && let Err(error) = hands.write_new_synced(&path, b"")
            // Another one made it at the same time.
            && path.symlink_metadata().is_err()
        {
            return Err(refused(error));
        }
        let file = open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(RefusalKind::Busy),
            Err(TryLockError::Error(cause)) => Err(refused(cause)),
        }
    }
}

/// Whether somebody holds the lock now. Makes no file where there is none.
pub(super) fn is_held(machine: &Machine) -> bool {
    let Ok(file) = open(&machine.own_data.join(FILE)) else {
        return false;
    };
    // Given back at once; who tries in this very moment is told to try again.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

//! One act at a time, in every Sandtray of this user.
//!
//! The lock is the system's and ends with the process; its file is never removed, because whoever removes a
//! lock file may remove the one that another just took.
//!
//! Whoever acts takes it alone. Whoever only reads asks for it as one of many and gives it back at once; an
//! act that begins in that very moment tells the two apart and tries again, so that a reader stops nobody.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use sandtray_core::act::RefusalKind;
use sandtray_core::machine::Machine;

use super::hands::Hands;

/// Its name in our own data folder.
const FILE: &str = "action.lock";
/// A reader has the lock for microseconds: this often it is tried again, a moment apart.
const TRIES: u32 = 500;
const MOMENT: Duration = Duration::from_millis(1);

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
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if is_only_read(&file) => std::thread::sleep(MOMENT),
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(cause)) => return Err(refused(cause)),
            }
        }
        Err(RefusalKind::Busy)
    }
}

/// Whether those who stand in the way are readers, who are gone in a moment.
fn is_only_read(file: &File) -> bool {
    file.try_lock_shared().is_ok() && file.unlock().is_ok()
}

/// Whether an act holds the lock now. Makes no file where there is none, and where no lock can be asked for
/// none could be taken either: nobody acts.
pub(super) fn is_held(machine: &Machine) -> bool {
    let Ok(file) = File::open(machine.own_data.join(FILE)) else {
        return false;
    };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

#[cfg(test)]
mod tests;

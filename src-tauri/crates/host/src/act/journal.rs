//! The journal on disk.

use sandtray_core::act::journal::Journal;
use sandtray_core::act::receipt::Rebuild;
use sandtray_core::machine::Machine;

use crate::error::Failure;

/// Its name in our own data folder.
pub const FILE: &str = "journal.jsonl";

/// Reads the journal; an empty one where there is none. Needs no lock.
///
/// # Errors
/// Where it is there and cannot be read.
pub fn read(_machine: &Machine) -> Result<Journal, Failure> {
    Ok(Journal::default())
}

/// Writes down what became of the rebuild that followed an act, which may outlast it.
///
/// # Errors
/// Where the journal cannot be written, or another act holds the lock.
pub fn rebuilt(_machine: &Machine, _act: &str, _rebuild: &Rebuild) -> Result<(), Failure> {
    Ok(())
}

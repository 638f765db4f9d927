//! The journal on disk: JSON Lines, appended and synced before an effect and after it, under the action
//! lock.
//!
//! * No journal, no act: what cannot be written down is not done.
//! * A reserve file of 64 KiB stands beside it and is given up when the volume is full, so that an act that
//!   has begun can be written down to its end.
//! * A torn last line is left as it is and the next one begins on a line of its own; a line of a newer
//!   Sandtray means that nothing is done. Nothing here is ever wiped.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sandtray_core::act::journal::{self as lines, Journal, Line, Record};
use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::{ACT_SCHEMA, RefusalKind};
use sandtray_core::machine::Machine;

use super::hands::Hands;
use super::lock::Lock;
use super::look::is_absence;
use crate::error::{Cause, Failure};
use crate::machine;

/// Its name in our own data folder.
pub const FILE: &str = "journal.jsonl";
/// What is given up when the volume is full.
const RESERVE: &str = "journal.reserve";
const RESERVED: usize = 64 * 1024;
/// A journal longer than this is not ours: an act takes some ten thousand bytes.
const LONGEST: u64 = 256 * 1024 * 1024;

/// Reads the journal; an empty one where there is none. Needs no lock.
///
/// # Errors
/// Where it is there and cannot be read.
pub fn read(machine: &Machine) -> Result<Journal, Failure> {
    let path = machine.own_data.join(FILE);
    let failed = |cause| {
        Failure::new("read the journal", &path, cause)
            .hint("Nothing is moved or removed until it can be read.")
    };
    match fs::metadata(&path) {
        Err(error) if is_absence(&error) => return Ok(Journal::default()),
        Err(error) => return Err(failed(error.into())),
        Ok(found) if found.len() > LONGEST => {
            return Err(failed(Cause::Unsupported(format!(
                "it is {} bytes long",
                found.len()
            ))));
        }
        Ok(_) => {}
    }
    fs::read(&path)
        .map(|bytes| lines::read(&bytes))
        .map_err(|error| failed(error.into()))
}

/// The journal, if something may be done on the strength of it.
pub(super) fn trusted(machine: &Machine) -> Result<Journal, RefusalKind> {
    let journal = read(machine).map_err(|failure| RefusalKind::NoJournal {
        cause: failure.cause.to_string(),
    })?;
    match journal.newer {
        Some(schema) => Err(RefusalKind::NoJournal {
            cause: Cause::Newer(schema.into()).to_string(),
        }),
        None => Ok(journal),
    }
}

/// Writes down what became of the rebuild that followed an act, which may outlast it.
///
/// # Errors
/// Where the journal cannot be written, or another act holds the lock.
pub fn rebuilt(machine: &Machine, act: &str, rebuild: &Rebuild) -> Result<(), Failure> {
    let hands = Hands::default();
    let path = machine.own_data.join(FILE);
    let failed = |cause| Failure::new("write the journal", &path, cause);
    let refused = |kind: RefusalKind| {
        let text = sandtray_core::act::Refusal::from(kind).text;
        failed(Cause::Io(io::Error::other(text)))
    };
    let lock = Lock::take(machine, &hands).map_err(refused)?;
    let writer = Writer::open(machine, &hands, &lock).map_err(refused)?.0;
    let rebuild = rebuild.clone();
    writer
        .append(act, Line::Rebuilt { rebuild })
        .map_err(|error| failed(error.into()))
}

/// Appends to the journal while the lock is held.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    machine: &'a Machine,
    hands: &'a Hands,
    path: PathBuf,
    reserve: PathBuf,
}

impl<'a> Writer<'a> {
    /// Opens the journal for an act, with what it holds.
    pub(super) fn open(
        machine: &'a Machine,
        hands: &'a Hands,
        _lock: &Lock,
    ) -> Result<(Self, Journal), RefusalKind> {
        let journal = trusted(machine)?;
        let writer = Self {
            machine,
            hands,
            path: machine.own_data.join(FILE),
            reserve: machine.own_data.join(RESERVE),
        };
        if writer.path.symlink_metadata().is_err() {
            writer
                .with_room(|| hands.write_new_synced(&writer.path, b""))
                .map_err(|error| RefusalKind::NoJournal {
                    cause: error.to_string(),
                })?;
        }
        writer.keep_reserve();
        Ok((writer, journal))
    }

    /// Writes a line and makes it durable.
    pub(super) fn append(&self, entry: &str, line: Line) -> io::Result<()> {
        let record = Record {
            schema: ACT_SCHEMA,
            entry: entry.to_owned(),
            at: machine::now(self.machine),
            line,
        };
        let text = serde_json::to_string(&record)?;
        self.with_room(|| {
            let begin = if is_torn(&self.path)? { "\n" } else { "" };
            let bytes = format!("{begin}{text}\n").into_bytes();
            self.hands.append_synced(&self.path, &bytes)
        })
    }

    /// Does something that needs a little room, and once more with the reserve given up where there was none.
    pub(super) fn with_room<T>(&self, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        match act() {
            Err(error) if is_full(&error) && self.release() => act(),
            done => done,
        }
    }

    fn release(&self) -> bool {
        self.reserve.symlink_metadata().is_ok()
            && self.hands.remove_file(&self.reserve).is_ok()
            && self.hands.sync_parent(&self.reserve).is_ok()
    }

    /// Takes the reserve again, where there is room; without it an act can still begin, and is put back
    /// where it cannot be written down.
    pub(super) fn keep_reserve(&self) {
        if self.reserve.symlink_metadata().is_ok() {
            return;
        }
        let kept = self
            .hands
            .write_new_synced(&self.reserve, &vec![0; RESERVED]);
        if kept.is_err() && self.reserve.symlink_metadata().is_ok() {
            // Half a reserve is taken anew next time.
            self.hands.remove_file(&self.reserve).ok();
        }
    }
}

/// Whether there is no room, in bytes, inodes or quota.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Whether the last line has no end: a crash, or a full volume, cut it off.
fn is_torn(path: &Path) -> io::Result<bool> {
    let mut file = fs::File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}

#[cfg(test)]
mod tests;

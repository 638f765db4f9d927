//! One log file, followed: what was added to it since the last look, in bounded bites.
//!
//! A log may not be there yet, may be cut, replaced, or never written again (on Windows they stop at about
//! 10 MiB, #85199). So the place is kept as an offset with the bytes before it: where these differ, it is
//! another log, and all of it is new. A line counts once it is whole.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sandtray_core::act::watch::line::{Said, parse};
use sandtray_core::paths::{PathText, hash};
use serde::{Deserialize, Serialize};

use crate::walk;

/// A line that is longer is no line of a log; what was read of it is dropped.
const LONGEST_LINE: u64 = 64 * 1024;
/// Further behind than this, what lies between is passed over: somebody writes faster than we read, or we
/// were away for days.
const FAR_BEHIND: u64 = 8 * 1024 * 1024;
/// How many bytes before the offset are remembered.
const MARK: u64 = 64;

/// Where a log was read up to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Its path, as it was when the place was stored.
    log: PathText,
    /// Its inode; none where it was not there.
    inode: Option<u64>,
    offset: u64,
    /// What stands right before the offset, as a hash.
    mark: u64,
    /// The line at the offset began before and is not for us.
    #[serde(default)]
    inside: bool,
}

/// A log that is followed.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    place: Place,
}

impl Log {
    /// Begins at the end of what is there now.
    pub(super) fn at_end(path: PathBuf) -> Self {
        let mut place = Place {
            log: PathText::new(&path),
            ..Place::default()
        };
        if let Ok(Some((mut file, inode, length))) = open(&path) {
            place.inode = Some(inode);
            place.offset = length;
            place.mark = mark(&mut file, length).unwrap_or_default();
            place.inside = !ends_a_line(&mut file, length).unwrap_or(true);
        }
        Self { path, place }
    }

    /// Goes on where it was, if its place is among those that were stored; else at its end.
    pub(super) fn resume(path: PathBuf, places: &[Place]) -> Self {
        let name = PathText::new(&path);
        match places.iter().find(|place| place.log == name) {
            Some(place) => Self {
                path,
                place: place.clone(),
            },
            None => Self::at_end(path),
        }
    }

    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Reads on, at most `budget` bytes, and takes what was read from it.
    pub(super) fn read(&mut self, budget: &mut u64, said: &mut Vec<Said>) {
        let Ok(Some((mut file, inode, length))) = open(&self.path) else {
            return;
        };
        if !self.is_same(&mut file, inode, length) {
            self.finish_moved(budget, said);
            self.place = Place {
                log: self.place.log.clone(),
                inode: Some(inode),
                ..Place::default()
            };
        }
        // What cannot be read now is read at the next look.
        self.read_on(&mut file, length, budget, said).ok();
    }

    /// Whether this is the log that was read before, with nothing of that taken away.
    fn is_same(&self, file: &mut File, inode: u64, length: u64) -> bool {
        self.place.inode == Some(inode)
            && length >= self.place.offset
            && mark(file, self.place.offset).is_ok_and(|mark| mark == self.place.mark)
    }

    /// Reads the rest of a log that was moved aside by a rotation, where it is found beside the new one.
    fn finish_moved(&mut self, budget: &mut u64, said: &mut Vec<Said>) {
        let (Some(inode), Some(folder)) = (self.place.inode, self.path.parent()) else {
            return;
        };
        let moved = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .take(1000)
            .find(|path| {
                *path != self.path
                    && walk::entry(path).is_ok_and(|entry| entry.identity.inode == inode)
            });
        if let Some(path) = moved
            && let Ok(Some((mut file, inode, length))) = open(&path)
            && self.is_same(&mut file, inode, length)
        {
            self.read_on(&mut file, length, budget, said).ok();
        }
    }

    fn read_on(
        &mut self,
        file: &mut File,
        length: u64,
        budget: &mut u64,
        said: &mut Vec<Said>,
    ) -> io::Result<()> {
        let place = &mut self.place;
        if length.saturating_sub(place.offset) > FAR_BEHIND {
            place.offset = length.saturating_sub(LONGEST_LINE);
            place.inside = true;
        }
        let wanted = (*budget).min(length.saturating_sub(place.offset));
        if wanted == 0 {
            return Ok(());
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(place.offset))?;
        file.by_ref().take(wanted).read_to_end(&mut bytes)?;
        let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        *budget = budget.saturating_sub(read);
        // Up to the last line that is whole; the rest is read again when there is more of it.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        let used = match whole {
            Some(last) => last.saturating_add(1),
            // Longer than any line: dropped, and its end will not be taken for a line.
            None if read >= LONGEST_LINE => {
                place.inside = true;
                bytes.len()
            }
            None => 0,
        };
        let lines = bytes.get(..used).unwrap_or_default();
        if whole.is_some() {
            let mut lines = lines.split(|byte| *byte == b'\n');
            if place.inside {
                lines.next();
                place.inside = false;
            }
            said.extend(lines.filter_map(|line| parse(&String::from_utf8_lossy(line))));
        }
        place.offset = place
            .offset
            .saturating_add(u64::try_from(used).unwrap_or(u64::MAX));
        place.mark = mark(file, place.offset)?;
        Ok(())
    }
}

/// Opens a log that is a plain file, or a link to one; none where it is not there or is something else.
fn open(path: &Path) -> io::Result<Option<(File, u64, u64)>> {
    // Opening a pipe would wait for a writer.
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        _ => return Ok(None),
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let real = fs::canonicalize(path)?;
    Ok(Some((file, walk::entry(&real)?.identity.inode, length)))
}

fn mark(file: &mut File, offset: u64) -> io::Result<u64> {
    let from = offset.saturating_sub(MARK);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.by_ref()
        .take(offset.saturating_sub(from))
        .read_to_end(&mut bytes)?;
    Ok(hash(&bytes))
}

fn ends_a_line(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    file.seek(SeekFrom::Start(last))?;
    file.read_exact(&mut byte)?;
    Ok(byte == *b"\n")
}

#[cfg(test)]
mod tests;

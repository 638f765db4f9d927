//! Leftovers that were moved aside: they can come back until somebody discards them.
//!
//! A copy is a folder of this user's alone, on the volume of what it holds, because everything moves by
//! rename: in our own data folder where that is the same volume, else in `.sandtray-parked-<uid>` in the
//! folder that was cleaned. What came from where is written down, and durable, before the first of a batch
//! moves; so a copy explains itself after a power loss too.
//!
//! * `place`: where things are moved to. `copy`: what stands there, by its list and by the disk.

mod copy;
mod place;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::evidence::{Evidence, FileId};
use sandtray_core::leftover::view::{ParkedLeftovers, ParkedState};
use sandtray_core::leftover::{Kind, Removal};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;
use sandtray_core::words;
use serde::{Deserialize, Serialize};

use self::copy::Copy;
use super::clean::failed;
use super::evidence::gather;
use super::remove::{Base, Met, Skip, Target};
use crate::act::hands::Hands;
use crate::act::path::exact;
use crate::error::{Cause, Failure};
use crate::walk::Cancel;

pub(super) use self::place::Place;

/// The folder of copies, and of what is known of them, in our own data folder.
const OWN: &str = "parked-leftovers";
/// What a copy says of itself: JSON Lines.
const LIST: &str = "list.jsonl";

/// One line of a list: what was about to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    schema: u32,
    at: Time,
    /// The folder in which it stands.
    folder: PathText,
    /// Its name there.
    name: String,
    /// Where it was.
    from: PathText,
    class: String,
    title: String,
    allocated: Allocated,
    device: u64,
    inode: u64,
}

/// Every copy of leftovers, newest first. Reads only.
#[must_use]
pub fn list(machine: &Machine) -> Vec<ParkedLeftovers> {
    let entries = fs::read_dir(machine.own_data.join(OWN));
    let mut found: Vec<ParkedLeftovers> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.to_owned();
            let copy = Copy::read(entry.path()).ok()?;
            Some(copy.view(&id))
        })
        .filter(|copy| copy.count > 0 || copy.state == ParkedState::Absent)
        .collect();
    found.sort_by(|a, b| (b.parked_at, &b.id).cmp(&(a.parked_at, &a.id)));
    found
}

/// What became of a copy that was to come back or to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Came back, or went.
    pub done: u64,
    /// Stayed, with the reasons.
    pub stayed: BTreeMap<String, u64>,
    /// Blocks of what went.
    pub allocated: Allocated,
    /// What the volume gained; none where unknown.
    pub freed_measured: Option<i64>,
}

fn open(machine: &Machine, id: &str) -> Result<Copy, Failure> {
    let own = machine.own_data.join(OWN).join(id);
    // An id is one name, whoever sent it.
    if id.is_empty() || Path::new(id).components().count() != 1 || id.starts_with('.') {
        let cause = Cause::Unsupported("no copy has such a name".to_owned());
        return Err(Failure::new("open the copy", &own, cause));
    }
    Copy::read(own).map_err(|failure| {
        failure.hint("`sandtrayctl parked list` shows the copies that there are.")
    })
}

fn target<'a>(line: &Line, name: &'a Path, found: &fs::Metadata) -> Target<'a> {
    let kind = if found.is_dir() {
        Kind::Directory
    } else if found.is_file() {
        Kind::File
    } else {
        Kind::Socket
    };
    Target {
        path: name,
        id: FileId {
            device: line.device,
            inode: line.inode,
        },
        kind,
        removal: if found.is_dir() {
            Removal::Tree
        } else {
            Removal::Name
        },
        touched: Time(i64::MAX),
        // It was judged before it was moved aside.
        own_repository: true,
    }
}

/// Moves everything of a copy back to where it was; what has a new neighbour of its name stays parked.
///
/// # Errors
/// Where there is no such copy, or its list cannot be read.
pub fn restore(machine: &Machine, id: &str) -> Result<Moved, Failure> {
    let copy = open(machine, id)?;
    let mut moved = Moved::default();
    let hands = Hands::default();
    for (line, path) in copy.standing() {
        let done = (|| {
            let from = exact(&line.from).ok_or(Skip::Changed("its record is damaged"))?;
            let (Some(parent), Some(name), Some(folder), Some(parked)) = (
                from.parent(),
                from.file_name(),
                path.parent(),
                path.file_name(),
            ) else {
                return Err(Skip::Changed("its record is damaged"));
            };
            let found = path
                .symlink_metadata()
                .map_err(|error| failed("look at", &path, &error))?;
            hands
                .make_dirs(parent)
                .map_err(|error| failed("make", parent, &error))?;
            let (out, into) = (Base::open(folder, machine)?, Base::open(parent, machine)?);
            let target = target(line, Path::new(parked), &found);
            out.park(&target, &into, name, &Cancel::default(), &mut |_| Ok(()))
        })();
        match done {
            Ok(()) => {
                moved.done = moved.done.saturating_add(1);
                moved.allocated += line.allocated;
            }
            Err(skip) => super::plan::count(&mut moved.stayed, skip.to_string(), 1),
        }
    }
    copy.tidy();
    Ok(moved)
}

/// What somebody has open stays, wherever it stands.
fn unheld(evidence: &Evidence, met: &Met<'_>) -> Result<(), Skip> {
    evidence.held.get(&met.id).map_or(Ok(()), |hold| {
        Err(Skip::Asked(words::leftovers::held(&hold.name, hold.pid)))
    })
}

/// Removes a copy for good.
///
/// # Errors
/// Where there is no such copy, or its list cannot be read.
pub fn discard(machine: &Machine, id: &str, cancel: &Cancel) -> Result<Moved, Failure> {
    let copy = open(machine, id)?;
    let folders = copy.folders();
    let room = super::volumes::Room::measure(folders.iter().map(PathBuf::as_path));
    // It was dead when it was moved aside; somebody may have opened it there since.
    let evidence = gather(machine, &[]);
    let mut moved = Moved::default();
    for (line, path) in copy.standing() {
        let done = (|| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(Skip::Changed("its record is damaged"));
            };
            let found = path
                .symlink_metadata()
                .map_err(|error| failed("look at", &path, &error))?;
            let base = Base::open(folder, machine)?;
            let target = target(line, Path::new(name), &found);
            base.remove(&target, cancel, &mut |met| unheld(&evidence, met))
        })();
        match done {
            Ok(removed) => {
                moved.done = moved.done.saturating_add(1);
                moved.allocated += removed.allocated;
            }
            Err(Skip::Cancelled) => break,
            Err(skip) => super::plan::count(&mut moved.stayed, skip.to_string(), 1),
        }
    }
    copy.tidy();
    moved.freed_measured = room.gained().bytes;
    Ok(moved)
}

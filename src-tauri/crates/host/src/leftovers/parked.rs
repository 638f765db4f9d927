//! Leftovers that were moved aside: they can come back until somebody discards them.
//!
//! A copy is a folder of this user's alone, on the volume of what it holds, because everything moves by
//! rename: in our own data folder where that is the same volume, else in `.sandtray-parked-<uid>` in the
//! folder that was cleaned. What came from where is written down, and durable, before the first of a batch
//! moves; so a copy explains itself after a power loss too.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::Kind;
use sandtray_core::leftover::Removal;
use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::evidence::FileId;
use sandtray_core::leftover::view::{LEFTOVERS_SCHEMA, ParkedLeftovers, ParkedState, ReasonCount};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;
use serde::{Deserialize, Serialize};

use super::clean::failed;
use super::remove::{Ask, Base, Skip, Target};
use crate::act::hands::Hands;
use crate::act::path::exact;
use crate::error::{Cause, Failure};
use crate::volume::of_path;
use crate::walk::Cancel;

/// The folder of copies, and of what is known of them, in our own data folder.
const OWN: &str = "parked-leftovers";
/// What a copy says of itself: JSON Lines.
const LIST: &str = "list.jsonl";
/// Its content, where it lies beside its list.
const CONTENT: &str = "content";
/// A list longer than this is not ours.
const LONGEST: u64 = 512 * 1024 * 1024;

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

/// Where what goes out of one folder is put.
#[derive(Debug)]
pub(super) struct Place {
    folder: PathBuf,
    base: Base,
    list: PathBuf,
    at: Time,
    next: u64,
}

impl Place {
    /// Opens, or makes, the folder of a copy for what lies in `from`.
    pub(super) fn open(
        machine: &Machine,
        id: &str,
        from: &Path,
        at: Time,
    ) -> Result<Self, Failure> {
        let hands = Hands::default();
        let own = machine.own_data.join(OWN).join(id);
        let refused = |path: &Path, error: io::Error| {
            Failure::io("make a folder for what is moved aside in", path, error)
                .hint("Remove it for good instead, or make room first.")
        };
        hands
            .make_dirs(&own)
            .map_err(|error| refused(&own, error))?;
        let folder = if one_volume(&own, from) {
            own.join(CONTENT)
        } else {
            from.join(format!(".sandtray-parked-{}", machine.uid))
                .join(id)
        };
        hands
            .make_dirs(&folder)
            .map_err(|error| refused(&folder, error))?;
        let base = Base::open(&folder, machine).map_err(|skip| {
            let cause = Cause::Unsupported(skip.to_string());
            Failure::new("use the folder for what is moved aside", &folder, cause)
        })?;
        let list = own.join(LIST);
        let next = length(&list);
        Ok(Self {
            folder,
            base,
            list,
            at,
            next,
        })
    }

    /// Writes down what is about to move. Nothing moves that was not written down.
    pub(super) fn announce(&self, candidates: &[Candidate]) -> Result<(), Failure> {
        let mut text = Vec::new();
        for (candidate, name) in candidates.iter().zip(self.next..) {
            let line = Line {
                schema: LEFTOVERS_SCHEMA,
                at: self.at,
                folder: PathText::new(&self.folder),
                name: name.to_string(),
                from: PathText::new(&candidate.base.join(&candidate.path)),
                class: candidate.class.name.to_owned(),
                title: candidate.class.title.to_owned(),
                allocated: candidate.allocated,
                device: candidate.id.device,
                inode: candidate.id.inode,
            };
            let failed = |error| Failure::io("write", &self.list, io::Error::other(error));
            text.extend(serde_json::to_vec(&line).map_err(failed)?);
            text.push(b'\n');
        }
        let hands = Hands::default();
        let write = || {
            if self.list.symlink_metadata().is_ok() {
                hands.append_synced(&self.list, &text)
            } else {
                hands.write_new_synced(&self.list, &text)
            }
        };
        write().map_err(|error| {
            Failure::io("write down what moves aside in", &self.list, error)
                .hint("Nothing was moved. Remove it for good instead, or make room first.")
        })
    }

    /// Moves one candidate of the batch that was announced; they come in that order.
    pub(super) fn take(
        &mut self,
        from: &Base,
        target: &Target<'_>,
        cancel: &Cancel,
        ask: &mut Ask<'_>,
    ) -> Result<(), Skip> {
        let name = self.next.to_string();
        self.next = self.next.saturating_add(1);
        from.park(target, &self.base, name.as_ref(), cancel, ask)
    }

    /// Makes what moved durable.
    pub(super) fn settle(&self) -> Result<(), Skip> {
        Hands::default()
            .sync_dir(&self.folder)
            .map_err(|error| failed("sync", &self.folder, &error))
    }
}

/// How many lines a list has: the first name that is free.
fn length(list: &Path) -> u64 {
    let lines = |text: Vec<u8>| text.split(|byte| *byte == b'\n').count();
    fs::read(list).map_or(0, |text| u64::try_from(lines(text)).unwrap_or(0))
}

/// Whether a rename can lead from one to the other: one mount of one filesystem.
fn one_volume(a: &Path, b: &Path) -> bool {
    match (of_path(a), of_path(b)) {
        (Some(a), Some(b)) => a.volume.mount_point == b.volume.mount_point && a.device == b.device,
        _ => false,
    }
}

/// A copy, as its list and the disk say.
#[derive(Debug, Default)]
struct Copy {
    own: PathBuf,
    lines: Vec<Line>,
}

impl Copy {
    fn read(own: PathBuf) -> Result<Self, Failure> {
        let list = own.join(LIST);
        let failed = |error| Failure::io("read the list of what was moved aside", &list, error);
        let found = fs::metadata(&list).map_err(failed)?;
        if found.len() > LONGEST {
            let cause = Cause::Unsupported(format!("it is {} bytes long", found.len()));
            return Err(Failure::new(
                "read the list of what was moved aside",
                &list,
                cause,
            ));
        }
        let text = fs::read(&list).map_err(failed)?;
        let lines: Vec<Line> = text
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        if let Some(newer) = lines.iter().find(|line| line.schema > LEFTOVERS_SCHEMA) {
            let cause = Cause::Newer(newer.schema.into());
            return Err(Failure::new(
                "read the list of what was moved aside",
                &list,
                cause,
            ));
        }
        Ok(Self { own, lines })
    }

    /// What stands in it now, with its place.
    fn standing(&self) -> impl Iterator<Item = (&Line, PathBuf)> {
        self.lines.iter().filter_map(|line| {
            let path = exact(&line.folder)?.join(&line.name);
            path.symlink_metadata().is_ok().then_some((line, path))
        })
    }

    fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in self.lines.iter().filter_map(|line| exact(&line.folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    fn view(&self, id: &str) -> ParkedLeftovers {
        let mut classes: BTreeMap<String, u64> = BTreeMap::new();
        let (mut count, mut allocated) = (0_u64, Allocated::ZERO);
        for (line, _) in self.standing() {
            count = count.saturating_add(1);
            allocated += line.allocated;
            let counted = classes.entry(line.title.clone()).or_default();
            *counted = counted.saturating_add(1);
        }
        let there = self.folders().iter().any(|folder| folder.is_dir());
        ParkedLeftovers {
            id: id.to_owned(),
            path: self
                .folders()
                .first()
                .map_or_else(|| PathText::new(&self.own), PathText::from),
            parked_at: self.lines.first().map_or(Time(0), |line| line.at),
            count,
            allocated,
            classes: classes
                .into_iter()
                .map(|(reason, count)| ReasonCount { reason, count })
                .collect(),
            state: if there {
                ParkedState::There
            } else {
                ParkedState::Absent
            },
        }
    }

    /// Takes away what is left of a copy that is empty.
    fn tidy(&self) {
        if self.standing().next().is_some() {
            return;
        }
        let hands = Hands::default();
        for folder in self.folders() {
            // Not empty, or gone: then it stays, or is.
            hands.remove_dir(&folder).ok();
            if let Some(parent) = folder.parent().filter(|parent| *parent != self.own) {
                hands.remove_dir(parent).ok();
            }
        }
        hands.remove_file(&self.own.join(LIST)).ok();
        hands.remove_dir(&self.own).ok();
    }
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

/// Removes a copy for good.
///
/// # Errors
/// Where there is no such copy, or its list cannot be read.
pub fn discard(machine: &Machine, id: &str, cancel: &Cancel) -> Result<Moved, Failure> {
    let copy = open(machine, id)?;
    let folders = copy.folders();
    let room = super::volumes::Room::measure(folders.iter().map(PathBuf::as_path));
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
            base.remove(&target, cancel, &mut |_| Ok(()))
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

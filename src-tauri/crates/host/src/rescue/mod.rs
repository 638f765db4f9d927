//! Getting files out of a guest's disk: live, parked or broken, into a folder of the user's.
//!
//! The disk was written by somebody who may mean harm, and the target is where the user keeps things, so:
//!
//! * Everything is made by name below an open folder, never by path, and only where nothing is: a link
//!   put there meanwhile is not followed and nothing that exists is overwritten.
//! * Modes come out without setuid, setgid and sticky bits; owners are never changed.
//! * Symbolic links are made only where reading them as text proves that they stay inside: relative,
//!   going up only at their beginning and no further than what is copied. Others, absolute ones first,
//!   are left out and listed with their target; making text files of them would put things into a
//!   project that were never there.
//! * Pipes, sockets and devices are listed, not made.
//! * Holes stay holes, further names of a file stay names of that file where the target can.
//! * What is damaged is named and left out, and the rest comes out.
//!
//! * `names`: names that the target can hold. `links`: which links stay inside.
//! * `target`: making things below an open folder; the only part that differs per system.
//! * `copy`: the walk. `contents`: one file.

mod contents;
mod copy;
mod links;
mod names;
mod target;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::bytes::Bytes;
use sandtray_core::paths::PathText;
use sandtray_core::rescue::{RESCUE_SCHEMA, Receipt, Refusal};
use sandtray_core::words;

use crate::disk::ext4::{Ext4, Kind};
use crate::disk::inside::{self, absolute, resolve};
use crate::error::Failure;
use crate::volume;
use crate::walk::{Cancel, Progress};

/// A file takes at least this much of the target beside its contents.
const PER_ENTRY: u64 = 1024;
/// Said of what a list showed and the disk does not hold any more.
const OUTDATED: &str = "it is something else by now, or gone";

/// How to rescue.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Stops the copying; what is whole by then stays.
    pub cancel: Cancel,
    /// Counts entries.
    pub progress: Progress,
    /// Counts bytes written.
    pub bytes: Progress,
}

/// How a rescue ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done, as the receipt says.
    Done(Receipt),
    /// Nothing was done.
    Refused(Refusal),
}

/// Something on a disk that a list showed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    /// Where in the disk.
    pub path: Vec<u8>,
    /// Its inode then.
    pub inode: u32,
}

/// Copies files and folders of a disk into the folder `target`, which is made where it is missing.
/// The root of the disk is copied as its children, everything else under its own name.
///
/// # Errors
/// What cannot be opened or found, and where the target cannot be made. From the first file on,
/// everything that goes wrong is in the receipt.
pub fn copy(
    image: &Path,
    paths: &[Vec<u8>],
    target: &Path,
    options: &Options,
) -> Result<Outcome, Failure> {
    run(image, target, options, |ext4, _| choose(ext4, image, paths))
}

/// As [`copy()`], of things that a list showed: what is something else by now, or gone, is not copied and
/// stands among the receipt's failures.
///
/// # Errors
/// As [`copy()`]; not found where none of them is there any more.
pub fn copy_known(
    image: &Path,
    known: &[Known],
    target: &Path,
    options: &Options,
) -> Result<Outcome, Failure> {
    run(image, target, options, |ext4, receipt| {
        let chosen = choose_known(ext4, known, receipt);
        if chosen.is_empty() {
            let cause = io::Error::new(io::ErrorKind::NotFound, outdated(receipt));
            return Err(Failure::io("copy out of the disk image", image, cause)
                .hint("Open the list again, then choose anew."));
        }
        Ok(chosen)
    })
}

fn run(
    image: &Path,
    target: &Path,
    options: &Options,
    choice: impl FnOnce(&Ext4<'_>, &mut Receipt) -> Result<Vec<Chosen>, Failure>,
) -> Result<Outcome, Failure> {
    inside::look(image, |ext4| {
        let mut receipt = Receipt {
            schema: RESCUE_SCHEMA,
            target: PathText::new(target),
            ..Receipt::default()
        };
        let chosen = choice(ext4, &mut receipt)?;
        if let Some(refusal) = refuse(ext4, image, &chosen, target, options)? {
            return Ok(Outcome::Refused(refusal));
        }
        std::fs::create_dir_all(target).map_err(|cause| unmade(target, cause))?;
        let root = target::Folder::open(target).map_err(|cause| unmade(target, cause))?;
        let mut copy = copy::Copy::new(ext4, options, root, receipt);
        for item in &chosen {
            copy.run(item);
        }
        Ok(Outcome::Done(copy.finish()))
    })
}

fn unmade(target: &Path, cause: io::Error) -> Failure {
    Failure::io("make the folder to rescue into", target, cause)
        .hint("Choose a folder that you may write to.")
}

/// One thing to copy into the target's own folder.
struct Chosen {
    /// Where in the disk.
    path: Vec<u8>,
    /// Its name on the disk.
    name: Vec<u8>,
    inode: u32,
    /// The whole disk is copied, and this is one of its top names.
    whole: bool,
}

fn choose(ext4: &Ext4<'_>, image: &Path, paths: &[Vec<u8>]) -> Result<Vec<Chosen>, Failure> {
    let mut chosen = Vec::new();
    for path in paths {
        let path = absolute(path);
        let inode = resolve(ext4, image, &path)?;
        let name = inside::names(&path).last().unwrap_or_default().to_vec();
        if name.is_empty() {
            let mut children = Vec::new();
            ext4.read_directory(
                &inode,
                &mut |child| children.push((child.name.to_vec(), child.inode)),
                &mut |_| {},
            );
            children.sort_unstable();
            chosen.extend(children.into_iter().map(|(name, inode)| Chosen {
                path: sandtray_core::inside::join(&path, &name),
                name,
                inode,
                whole: true,
            }));
        } else {
            chosen.push(Chosen {
                path,
                name,
                inode: inode.number,
                whole: false,
            });
        }
    }
    Ok(chosen)
}

fn choose_known(ext4: &Ext4<'_>, known: &[Known], receipt: &mut Receipt) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    for Known { path, inode } in known {
        match inside::again(ext4, path, *inode, &mut |_| {}) {
            Ok(Some(_)) => chosen.push(Chosen {
                path: path.clone(),
                name: inside::names(path).last().unwrap_or_default().to_vec(),
                inode: *inode,
                whole: false,
            }),
            Ok(None) => receipt.fail("copy", path, OUTDATED.to_owned()),
            Err(cause) => receipt.fail("read", path, cause.to_string()),
        }
    }
    chosen
}

/// Why nothing of what was chosen can be copied: the first cause, and what it is about.
fn outdated(receipt: &Receipt) -> String {
    match &*receipt.failures {
        [] => "nothing was chosen".to_owned(),
        // A guest's name may hold anything; a message is one line.
        [first, ..] => format!("{}: {}", words::middle(&first.path.path, 80), first.cause),
    }
}

/// Why it cannot be done, before anything is made.
fn refuse(
    ext4: &Ext4<'_>,
    image: &Path,
    chosen: &[Chosen],
    target: &Path,
    options: &Options,
) -> Result<Option<Refusal>, Failure> {
    match std::fs::metadata(target) {
        Ok(metadata) if !metadata.is_dir() => {
            return Ok(Some(Refusal::NotAFolder {
                path: target.into(),
            }));
        }
        Ok(_) => {
            for item in chosen {
                let path = target.join(names::fit(&item.name, names::HERE).0);
                if std::fs::symlink_metadata(&path).is_ok() {
                    return Ok(Some(Refusal::TargetExists {
                        path: (&path).into(),
                    }));
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unmade(target, error)),
    }
    let (mut needed, mut entries) = (0_u64, 0_u64);
    let inside_options = inside::Options {
        cancel: options.cancel.clone(),
        progress: Progress::default(),
    };
    for item in chosen {
        let Ok(inode) = ext4.inode(item.inode) else {
            continue;
        };
        entries = entries.saturating_add(1);
        if inode.kind() == Kind::Dir {
            let usage = inside::sum(ext4, image, &item.path, &inside_options)?;
            let below = usage.entries.iter().map(|entry| entry.entries);
            let own = u64::try_from(usage.entries.len()).unwrap_or(u64::MAX);
            entries = below.fold(entries.saturating_add(own), u64::saturating_add);
            needed = needed.saturating_add(usage.allocated.0);
        } else {
            needed = needed.saturating_add(inode.sectors.saturating_mul(512));
        }
    }
    let needed = needed.saturating_add(entries.saturating_mul(PER_ENTRY));
    Ok(room(target, needed, entries))
}

/// Asks the volume. Where it cannot be asked, the copying finds out.
fn room(target: &Path, needed: u64, entries: u64) -> Option<Refusal> {
    let absolute = std::path::absolute(target).unwrap_or_else(|_| PathBuf::from(target));
    let existing = absolute.ancestors().find(|path| path.is_dir())?;
    let mounted = volume::of_path(existing)?;
    let fill = volume::Prober::default().probe(&mounted).ok()?;
    if fill.available < needed {
        return Some(Refusal::NotEnoughRoom {
            needed: Bytes(needed),
            available: Bytes(fill.available),
        });
    }
    let available = fill.inodes?.available;
    (available < entries).then_some(Refusal::NotEnoughInodes {
        needed: entries,
        available,
    })
}

/// A name in the target.
type Name = OsString;

//! The bundle's files over time: what grows, what is half-made, what was deleted.
//!
//! A name proves no progress. An empty `.partial` is what a finished or broken rebuild leaves behind
//! (#89869), so downloads count only while they grow. A system disk grows also when its guest writes, so
//! its growth means unpacking only while its `.origin` is missing or since it was begun anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{File, GROWS, SETTLED};
use crate::act::Identity;
use crate::bundle::Role;
use crate::time::Time;

/// More names than a bundle ever had; beyond it nothing is remembered.
const MOST: usize = 512;

/// What is remembered of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Track {
    apparent: u64,
    allocated: u64,
    modified: Option<i64>,
    identity: Identity,
    /// When it last grew.
    grew_at: Option<Time>,
    /// When it was begun anew: it is another file than before, or shorter. Over once it rests, or once
    /// its `.origin`, which is written last, was written too.
    anew_at: Option<Time>,
}

/// What the files say at one look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Motion {
    /// A packed image comes in.
    pub(super) downloading: bool,
    /// An image is being written.
    pub(super) unpacking: bool,
    /// Something of either kind grew since the look before.
    pub(super) progress: bool,
    /// The system disk was there at the look before and is not now.
    pub(super) vanished: bool,
}

/// The bundle's files over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Files {
    tracks: BTreeMap<String, Track>,
}

impl Files {
    /// Begins with what is there.
    pub(super) fn begin(files: &[File], now: Time) -> Self {
        let mut this = Self::default();
        this.look(files, now);
        for track in this.tracks.values_mut() {
            track.grew_at = None;
            track.anew_at = None;
        }
        this
    }

    /// Takes a look.
    pub(super) fn look(&mut self, files: &[File], now: Time) -> Motion {
        let had = self.tracks.keys().any(|name| is_system(name));
        let mut motion = Motion {
            vanished: had && !files.iter().any(|file| is_system(&file.name)),
            ..Motion::default()
        };
        self.tracks = files
            .iter()
            .take(MOST)
            .map(|file| (file.name.clone(), self.track(file, now)))
            .collect();
        for (name, track) in &self.tracks {
            let Some(kind) = kind(name, self.is_unfinished(name, track)) else {
                continue;
            };
            motion.progress |= track.grew_at == Some(now);
            let grows = track.grew_at.is_some_and(|at| now.since(at) < GROWS);
            match kind {
                Kind::Download => motion.downloading |= grows,
                Kind::Unpack => motion.unpacking |= grows,
            }
        }
        motion
    }

    fn is_unfinished(&self, name: &str, track: &Track) -> bool {
        let Some(origin) = self.tracks.get(&origin_of(name)) else {
            return true;
        };
        track
            .anew_at
            .is_some_and(|anew| origin.grew_at.is_none_or(|written| written < anew))
    }

    fn track(&self, file: &File, now: Time) -> Track {
        let before = self.tracks.get(&file.name);
        let empty = file.apparent.0 == 0;
        let another = before.is_none_or(|before| !same(before.identity, file.identity));
        let shorter = before.is_some_and(|before| file.apparent.0 < before.apparent);
        let longer = before.is_some_and(|before| {
            file.apparent.0 > before.apparent
                || file.allocated.0 > before.allocated
                || file.modified > before.modified
        });
        let rested = before
            .and_then(|before| before.grew_at)
            .is_none_or(|at| now.since(at) >= SETTLED);
        let grew = !empty && (another || longer);
        Track {
            apparent: file.apparent.0,
            allocated: file.allocated.0,
            modified: file.modified,
            identity: file.identity,
            grew_at: if grew {
                Some(now)
            } else {
                before.and_then(|before| before.grew_at)
            },
            anew_at: if another || shorter {
                Some(now)
            } else {
                before
                    .and_then(|before| before.anew_at)
                    .filter(|_| grew || !rested)
            },
        }
    }

    /// Downloads and temporary folders that do not grow: litter, as far as it can be told.
    pub(super) fn litter(&self, now: Time) -> Vec<String> {
        let idle = |track: &Track| track.grew_at.is_none_or(|at| now.since(at) >= GROWS);
        self.tracks
            .iter()
            .filter(|(name, track)| is_temporary(name) && idle(track))
            // A folder is as busy as what lies in it.
            .filter(|(name, _)| {
                let inside = format!("{name}/");
                !self
                    .tracks
                    .iter()
                    .any(|(other, track)| other.starts_with(&inside) && !idle(track))
            })
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// The same file, whatever its length.
const fn same(one: Identity, other: Identity) -> bool {
    one.device == other.device && one.inode == other.inode
}

enum Kind {
    Download,
    Unpack,
}

/// Which progress the growth of a file is, if any; `unfinished` where its `.origin` does not stand yet.
fn kind(name: &str, unfinished: bool) -> Option<Kind> {
    if is_temporary(name) {
        // `.wvm-tmp-a1B2c3/rootfs.img.zst`, `rootfs.img.zst.partial`: both end in what they hold.
        let held = name.strip_suffix(".partial").unwrap_or(name);
        let held = held.rsplit('/').next().unwrap_or(held);
        let packed = held.ends_with(".zst") || held.starts_with(".wvm-tmp-");
        return Some(if packed { Kind::Download } else { Kind::Unpack });
    }
    match Role::of(name) {
        Role::System | Role::Boot if unfinished => Some(Kind::Unpack),
        Role::Archive if unfinished => Some(Kind::Download),
        _ => None,
    }
}

fn is_temporary(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or(name);
    Role::of(first) == Role::Partial || name.ends_with(".partial")
}

fn is_system(name: &str) -> bool {
    Role::of(name) == Role::System
}

fn origin_of(name: &str) -> String {
    format!(".{name}.origin")
}

/// The release that a file's `.origin` names.
pub(super) fn origin<'a>(files: &'a [File], name: &str) -> Option<&'a str> {
    let beside = origin_of(name);
    let found = files.iter().find(|file| file.name == beside)?;
    found.content.as_deref().map(str::trim)
}

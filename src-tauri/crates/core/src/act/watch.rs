//! How far the app is with new disks, from what can be seen outside: files, known log lines, and whether
//! the app runs.
//!
//! Three rules, each paid for by a report:
//!
//! * **Silence is no failure.** The rebuild may begin only when somebody opens a task, and on Windows the
//!   logs stop for ever at 10 MiB (#85199). Then the files alone say when it is done.
//! * **A word is no failure before it has stood.** "Download failed" was said right after
//!   `All files ready` (#65817); a failed attempt is followed by the next. What goes on is not over.
//! * **Doing it again is not failing.** One build unpacks at each start (#81427). Deleting it again before
//!   it was ever whole is (#37947).
//!
//! [`mod@line`] knows the lines, `files` what grows, `disks` what must be there, `cause` the words;
//! [`Fold::step`] puts them together: it takes in what was said (`hear`) and says what follows (`judge`). A
//! fold can be stored and gone on with after a restart of ours.

mod cause;
mod disks;
mod files;
mod hear;
mod judge;
pub mod line;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::disks::Wanted;
use self::files::Files;
use self::line::{Fault, Said};
use super::receipt::Rebuild;
use super::{Identity, Scope};
use crate::bundle::Role;
use crate::bytes::{Allocated, Apparent};
use crate::time::{MINUTE, Time};

/// So long a file that grew counts as growing: downloads pause.
const GROWS: i64 = MINUTE;
/// So long something must be as it is before it is believed without a word in the log.
const SETTLED: i64 = 5;

/// A file of the bundle at one look. Files in a temporary folder have its name before theirs:
/// `.wvm-tmp-a1B2c3/rootfs.img`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its length; 0 for a folder.
    pub apparent: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// When it was changed, in nanoseconds since 1970; none where the system does not say.
    pub modified: Option<i64>,
    /// Who it is.
    pub identity: Identity,
    /// What it says, of an `.origin`.
    pub content: Option<String>,
    /// Of a disk: whether the filesystem on it can be read; none where it cannot be told now (Hyper-V
    /// locks it while the VM runs).
    pub readable: Option<bool>,
}

/// One look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The bundle's files; none where the bundle is not there.
    pub files: Vec<File>,
    /// What the logs said since the look before.
    pub lines: Vec<Said>,
    /// Whether the app runs; none where that is not known.
    pub runs: Option<bool>,
}

/// A fault that was met and may yet be overcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Met {
    fault: Fault,
    at: Time,
    /// The app has given up this attempt.
    final_: bool,
}

/// What is remembered from look to look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fold {
    wanted: Wanted,
    /// A sessions disk stood in its place at the beginning: it came back by a restore.
    restored: bool,
    began_at: Time,
    files: Files,
    /// Kilobytes of each download, by its number.
    downloads: BTreeMap<u32, (u64, u64)>,
    percent: Option<u8>,
    downloaded_at: Option<Time>,
    /// When an image was last seen to grow.
    #[serde(default)]
    unpacked_at: Option<Time>,
    files_ready: bool,
    prepared_at: Option<Time>,
    booting_at: Option<Time>,
    started_at: Option<Time>,
    mounted: bool,
    gate: bool,
    mismatch: bool,
    deletions: u32,
    deleting: bool,
    vanishings: u32,
    met: Option<Met>,
    repeats: BTreeMap<Fault, u32>,
    /// Since when the disks look whole and their filesystems readable or not to be told.
    whole_at: Option<Time>,
}

impl Fold {
    /// Begins: `before` are the names of the bundle's files before anything moved, `now_there` is a look
    /// after it moved and before the app is started.
    #[must_use]
    pub fn begin(scope: Scope, before: &[&str], now_there: &[File], now: Time) -> Self {
        Self {
            wanted: Wanted::new(scope, before),
            restored: now_there
                .iter()
                .any(|file| Role::of(&file.name) == Role::SessionData),
            began_at: now,
            files: Files::begin(now_there, now),
            downloads: BTreeMap::new(),
            percent: None,
            downloaded_at: None,
            unpacked_at: None,
            files_ready: false,
            prepared_at: None,
            booting_at: None,
            started_at: None,
            mounted: false,
            gate: false,
            mismatch: false,
            deletions: 0,
            deleting: false,
            vanishings: 0,
            met: None,
            repeats: BTreeMap::new(),
            whole_at: None,
        }
    }

    /// Names disks that were moved aside, so that none of them is taken for a new one.
    #[must_use]
    pub fn without(mut self, parked: impl IntoIterator<Item = Identity>) -> Self {
        self.wanted.parked.extend(parked);
        self.restored = false;
        self
    }

    /// Takes a look.
    pub fn step(&mut self, look: &Observation, now: Time) -> Rebuild {
        for said in &look.lines {
            self.hear(said, now);
        }
        let motion = self.files.look(&look.files, now);
        if motion.vanished && !self.mismatch {
            self.vanishings = self.vanishings.saturating_add(1);
            self.begin_anew();
        }
        if motion.progress {
            self.mismatch = false;
            // What grew since the look before may have grown before this look's words.
            if self.met.is_some_and(|met| met.at < now) {
                self.overcome();
            }
        }
        let rebuild = self.judge(look, motion, now);
        if rebuild == Rebuild::Ready {
            self.deletions = 0;
            self.vanishings = 0;
            self.gate = false;
            self.met = None;
            self.repeats.clear();
        }
        rebuild
    }

    /// Downloads and temporary folders that no longer grow: what a rebuild left behind, as far as it can be
    /// told. Reported, never counted as progress (#89869).
    #[must_use]
    pub fn litter(&self, now: Time) -> Vec<String> {
        self.files.litter(now)
    }
}

#[cfg(test)]
mod tests;

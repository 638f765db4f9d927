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
//! [`mod@line`] knows the lines, `files` what grows, `disks` what must be there, `cause` the words; [`Fold::step`] puts them together. A
//! fold can be stored and gone on with after a restart of ours.

mod cause;
mod disks;
mod files;
pub mod line;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::disks::{Disks, Wanted};
use self::files::{Files, Motion};
use self::line::{Download, Fault, Said};
use super::receipt::Rebuild;
use super::{Identity, Scope};
use crate::bundle::Role;
use crate::bytes::{Allocated, Apparent};
use crate::time::{MINUTE, Time};

/// So long a file that grew counts as growing: downloads pause.
const GROWS: i64 = MINUTE;
/// So long a download that the log spoke of is shown, though nothing moves (#32197).
const STALLED: i64 = 10 * MINUTE;
/// So long the start of a VM may take; its own limit is 60 to 120 seconds.
const BOOTS: i64 = 150;
/// So long something must be as it is before it is believed without a word in the log.
const SETTLED: i64 = 5;
/// So long a fault must stand before it is the end: the next attempt begins within a second or two.
const STANDS: i64 = 5;
/// So long there may be nothing where the app says there is something.
const EMPTY: i64 = 20;
/// Deletions without a whole bundle between them that make a loop.
const CYCLES: u32 = 2;
/// Times the same fault is met in a row that make a loop.
const REPEATS: u32 = 3;

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

/// Downloads told apart; the app has three or four.
const MOST_DOWNLOADS: usize = 16;

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

    fn hear(&mut self, said: &Said, now: Time) {
        match said {
            Said::Downloading(download) => {
                self.download(*download);
                self.downloaded_at = Some(now);
                self.files_ready = false;
                self.overcome();
            }
            Said::FilesReady => {
                self.files_ready = true;
                self.downloaded_at = None;
                self.overcome();
            }
            Said::Preparing => {
                self.begin_anew();
                self.overcome();
            }
            Said::Prepared => self.prepared_at = Some(now),
            Said::Booting => {
                self.booting_at = Some(now);
                self.started_at = None;
                self.overcome();
            }
            Said::Started => {
                self.started_at = Some(now);
                self.booting_at = None;
                self.overcome();
            }
            Said::Mounted => self.mounted = true,
            Said::Mismatch { want } => {
                self.wanted.release.clone_from(want);
                self.mismatch = true;
            }
            Said::Deleting => {
                self.deletions = self.deletions.saturating_add(1);
                self.begin_anew();
                self.deleting = true;
            }
            Said::Deleted => {
                if !self.deleting {
                    self.deletions = self.deletions.saturating_add(1);
                    self.begin_anew();
                }
                self.deleting = false;
            }
            Said::Unsupported => self.gate = true,
            Said::Fault { fault, first } => self.meet(*fault, *first, false, now),
            Said::GaveUp(fault) => self.meet(fault.unwrap_or(Fault::Unknown), false, true, now),
        }
    }

    fn download(&mut self, download: Download) {
        let room = self.downloads.len() < MOST_DOWNLOADS;
        if let Some(part) = download.part
            && (room || self.downloads.contains_key(&download.number))
        {
            self.downloads.insert(download.number, part);
        }
        let (got, total) = self
            .downloads
            .values()
            .fold((0_u64, 0_u64), |sum, (got, total)| {
                (sum.0.saturating_add(*got), sum.1.saturating_add(*total))
            });
        self.percent = match got.saturating_mul(100).checked_div(total) {
            Some(percent) if download.part.is_some() => u8::try_from(percent).ok(),
            _ => Some(download.percent),
        };
    }

    /// Nothing that was said of this attempt counts for the next.
    fn begin_anew(&mut self) {
        self.downloads.clear();
        self.percent = None;
        self.downloaded_at = None;
        self.unpacked_at = None;
        self.files_ready = false;
        self.prepared_at = None;
        self.booting_at = None;
        self.started_at = None;
        self.mounted = false;
        self.whole_at = None;
    }

    /// It goes on, so what was met was not the end.
    fn overcome(&mut self) {
        self.met = None;
    }

    fn meet(&mut self, fault: Fault, first: bool, final_: bool, now: Time) {
        // It is said right after everything has come in (#65817).
        if fault == Fault::Download && self.files_ready {
            return;
        }
        // What came in before it does not come in again: the next attempt counts for itself.
        self.downloads.clear();
        if first {
            let times = self.repeats.entry(fault).or_default();
            *times = times.saturating_add(1);
        }
        // The same failure is told by several lines, the first of which knows the most.
        match &mut self.met {
            Some(met) => {
                met.final_ |= final_;
                if met.fault == Fault::Unknown {
                    met.fault = fault;
                }
            }
            None => {
                self.met = Some(Met {
                    fault,
                    at: now,
                    final_,
                });
            }
        }
    }

    fn judge(&mut self, look: &Observation, motion: Motion, now: Time) -> Rebuild {
        if let Some(cause) = self.looping() {
            return Rebuild::Looping {
                cause: cause.sentence().to_owned(),
            };
        }
        let within = |at: Option<Time>, limit: i64| at.is_some_and(|at| now.since(at) < limit);
        let comes_in = !self.files_ready && within(self.downloaded_at, STALLED);
        let fetches = !self.files_ready && within(self.downloaded_at, GROWS);
        let state = self.wanted.judge(&look.files, self.mounted);
        self.whole_at = if state.whole && !motion.progress && !fetches {
            self.whole_at.or(Some(now))
        } else {
            None
        };
        if let Some(fault) = self.fault(state, now) {
            return Rebuild::Failed {
                cause: fault.sentence().to_owned(),
            };
        }
        if self.is_ready(state, look.runs, now) {
            return Rebuild::Ready;
        }
        if look.runs == Some(false) {
            return Rebuild::Waiting;
        }
        if motion.unpacking && motion.progress {
            self.unpacked_at = Some(now);
        }
        // Once all is there it lasts no longer than what was seen of it.
        let lasts = if self.files_ready { SETTLED } else { GROWS };
        let unpacking = within(self.unpacked_at, lasts);
        let downloading = motion.downloading && !self.files_ready;
        let percent = self.percent.filter(|_| comes_in);
        // Downloads beside an image that is being unpacked are of smaller files.
        let boots = within(self.booting_at, BOOTS) || self.started_at.is_some();
        if boots && self.booting_at >= self.unpacked_at {
            Rebuild::Booting
        } else if unpacking && percent.is_none_or(|percent| percent >= 99) {
            Rebuild::Unpacking
        } else if downloading || comes_in {
            Rebuild::Downloading { percent }
        } else if unpacking {
            Rebuild::Unpacking
        } else if boots {
            Rebuild::Booting
        } else {
            Rebuild::Waiting
        }
    }

    fn looping(&self) -> Option<Fault> {
        if self.deletions.max(self.vanishings) >= CYCLES {
            return Some(if self.gate {
                Fault::Gate
            } else {
                Fault::Deletes
            });
        }
        self.repeats
            .iter()
            .find(|(fault, times)| {
                matches!(
                    fault,
                    Fault::Checksum | Fault::CrossDevice | Fault::NoAnswer
                ) && **times >= REPEATS
            })
            .map(|(fault, _)| *fault)
    }

    fn fault(&self, state: Disks, now: Time) -> Option<Fault> {
        let long = |at: Option<Time>, limit: i64| at.is_some_and(|at| now.since(at) >= limit);
        if let Some(met) = self.met {
            let fetching = matches!(
                met.fault,
                Fault::Download | Fault::Checksum | Fault::CrossDevice | Fault::NoSpace
            );
            let overtaken = fetching && state.whole;
            let stands = met.final_ || met.fault == Fault::Latched || long(Some(met.at), STANDS);
            if stands && !overtaken {
                return Some(met.fault);
            }
        }
        if !state.system && long(self.prepared_at, EMPTY) && self.started_at.is_none() {
            return Some(Fault::NothingMade);
        }
        let no_sessions = self.wanted.needs_sessions() && !state.sessions;
        (no_sessions && long(self.started_at, EMPTY)).then_some(Fault::NoSessions)
    }

    fn is_ready(&self, state: Disks, runs: Option<bool>, now: Time) -> bool {
        let Some(whole_at) = self.whole_at else {
            // The guest runs: it knows better than a list of names what it needs.
            let enough = state.system && (state.sessions || !self.wanted.needs_sessions());
            let settled = self
                .started_at
                .is_some_and(|at| now.since(at) >= SETTLED && self.files_ready);
            return enough && settled;
        };
        if self.started_at.is_some() {
            return true;
        }
        let since = now.since(whole_at);
        if self.booting_at.is_some() {
            // It was said that the VM starts, so a word is waited for as long as that may take.
            return since >= BOOTS;
        }
        match state.readable {
            // Put back by a restore: whole from the first look, so the app is given time to say more.
            true if self.restored && runs != Some(false) => {
                since >= SETTLED && now.since(self.began_at) >= EMPTY
            }
            true => since >= SETTLED,
            // Locked, so somebody runs it; the log may have stopped long ago (#85199).
            false => since >= BOOTS,
        }
    }
}

#[cfg(test)]
mod tests;

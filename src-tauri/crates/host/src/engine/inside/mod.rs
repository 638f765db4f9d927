//! The inside of guest disks as the window asks for it: views, rescues, and a reading a day.
//!
//! The window names disks, folders and files by ids alone. A disk's id is the one of its gauge and leads
//! to an image by way of what was located; ids of folders and files are issued with each view and kept in
//! a table, so that no path ever comes from the window and none can be guessed.
//!
//! * `ids`: the table. `jobs`: what runs and how it is stopped. `telling`: progress while it runs.
//! * `places`: from a disk's id to its image. `view`: one folder for the window. `take_out`: the rescue.
//! * `daily`: the reading a day that says what grew, and how many homes there are.
//!
//! Reading and copying run on the thread of whoever asks; the engine's thread answers small questions.

mod daily;
mod ids;
mod jobs;
mod places;
mod take_out;
mod telling;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod view;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sandtray_core::inside::DiskId;
use sandtray_core::time::Time;

use self::ids::Ids;
use self::jobs::{Guard, Jobs, Work};
use super::{Ask, Engine};
use crate::error::Failure;
use crate::rescue::Known;

pub(super) use self::daily::{Rest, Top, read as read_daily};
pub(super) use self::places::Place;

/// What views and rescues share.
#[derive(Debug, Default)]
pub(super) struct Desk {
    ids: Mutex<Ids>,
    jobs: Mutex<Jobs>,
}

impl Desk {
    /// Begins something that can be stopped; none where it must not run beside what runs already.
    pub(super) fn begin(self: &Arc<Self>, work: Work, disk: &DiskId) -> Option<Guard> {
        Guard::new(self, work, disk)
    }

    /// Whether anything is read or copied now.
    pub(super) fn is_busy(&self) -> bool {
        !self.jobs().is_empty()
    }

    /// Asks everything to stop.
    pub(super) fn stop(&self) {
        self.jobs().cancel(|_, _| true);
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ids(&self) -> std::sync::MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an id stands for.
    fn known(&self, disk: &DiskId, id: &str, image: &Path) -> Result<Known, Failure> {
        let known = self.ids().find(disk, id);
        known.ok_or_else(|| outdated(image))
    }
}

impl Engine {
    /// Stops every reading that somebody asked for; what is known by then is its answer.
    pub fn cancel_inside(&self) {
        let asked = |work, _: &DiskId| work == Work::View;
        self.desk.jobs().cancel(asked);
    }

    /// Stops a running rescue; what is whole by then stays.
    pub fn cancel_rescue(&self) {
        self.desk.jobs().cancel(|work, _| work == Work::Rescue);
    }

    /// The image of a disk, and the time now.
    fn place(&self, disk: &DiskId) -> Result<(Place, Time), Failure> {
        self.ask(|answer| Ask::Place(disk.clone(), answer))
            .flatten()
            .ok_or_else(|| {
                let gone = io::Error::new(io::ErrorKind::NotFound, "there is no such disk now");
                Failure::io("look inside the disk", &PathBuf::from(&disk.0), gone)
                    .hint("It may have been moved or reset; choose a disk that is shown.")
            })
    }
}

/// The window's list shows what is no longer so.
fn outdated(image: &Path) -> Failure {
    let cause = io::Error::other("this list is out of date, open it again");
    Failure::io("find that on the disk image", image, cause)
}

//! One folder of one disk, as the window shows it.

use std::sync::Arc;

use sandtray_core::inside::growth::growth;
use sandtray_core::inside::{
    Crumb, DiskId, DiskSizes, Entry, InsideProgress, InsideView, Usage, entries, join,
};
use sandtray_core::paths::PathText;

use super::daily::Top;
use super::ids::{Folder, Ids};
use super::jobs::Work;
use super::places::Place;
use super::telling::{EVERY, telling};
use super::{Desk, outdated};
use crate::disk;
use crate::disk::inside::{self, Options};
use crate::engine::{Ask, Engine};
use crate::error::Failure;

/// The top of a disk.
const TOP: &[u8] = b"/";

impl Engine {
    /// What fills a folder of a disk; the top where no folder is named. Runs on the caller's thread and
    /// may take seconds; a newer call for the same disk stops this one, whose view is then `cancelled`.
    ///
    /// # Errors
    /// Where there is no such disk, the id of the folder is out of date, or the image cannot be read.
    pub fn inside(
        &self,
        disk: &DiskId,
        folder: Option<&str>,
        mut on_progress: impl FnMut(InsideProgress) + Send,
    ) -> Result<InsideView, Failure> {
        let (place, at) = self.place(disk)?;
        let known = folder
            .map(|id| self.desk.known(disk, id, &place.image))
            .transpose()?;
        let job = self.desk.begin(Work::View, disk);
        let options = Options {
            cancel: job
                .as_ref()
                .map(|job| job.cancel.clone())
                .unwrap_or_default(),
            ..Options::default()
        };
        let (path, inode) = match &known {
            Some(known) => (&*known.path, Some(known.inode)),
            None => (TOP, None),
        };
        let progress = options.progress.clone();
        let tell = || {
            on_progress(InsideProgress {
                disk: disk.clone(),
                entries: progress.entries(),
            });
        };
        let read = telling(EVERY, tell, || {
            inside::folder(&place.image, path, inode, &options)
        })?;
        let inside::Folder { usage, way } = read.ok_or_else(|| outdated(&place.image))?;
        let before = if known.is_none() && !usage.cancelled && !place.parked {
            let top = Top::new(&place, &usage, at);
            self.ask(|answer| Ask::Top(Box::new(top), answer)).flatten()
        } else {
            None
        };
        let homes = place.sessions && known.is_none();
        let mut shown = Shown::begin(&self.desk, disk, &usage.path);
        let view = InsideView {
            disk: disk.clone(),
            sessions: place.sessions,
            image: PathText::new(&place.image),
            sizes: sizes(&place)?,
            read_at: at,
            trail: shown.trail(&way),
            entries: entries(&usage, homes, |entry| shown.id(entry)),
            allocated: usage.allocated,
            orphans: usage.orphans,
            unreached: usage.unreached,
            growth: before.map(|before| growth(&before, &usage, at, |entry| shown.id(entry))),
            gaps: Vec::new(),
            damaged: usage.damaged,
            complete: usage.complete,
            cancelled: usage.cancelled,
        };
        let Usage { gaps, .. } = usage;
        Ok(InsideView { gaps, ..view })
    }
}

/// Issues the ids of one view.
struct Shown<'a> {
    desk: &'a Desk,
    disk: &'a DiskId,
    folder: Arc<Folder>,
    path: Vec<u8>,
}

impl<'a> Shown<'a> {
    fn begin(desk: &'a Desk, disk: &'a DiskId, path: &[u8]) -> Self {
        desk.ids().begin();
        Self {
            desk,
            disk,
            folder: Ids::folder(disk, path),
            path: path.to_vec(),
        }
    }

    fn id(&mut self, entry: &Entry) -> String {
        self.desk
            .ids()
            .issue(&self.folder, &entry.name, entry.inode)
    }

    /// The folders on the way down to this one, this one included.
    fn trail(&mut self, way: &[u32]) -> Vec<Crumb> {
        let mut above = TOP.to_vec();
        let mut trail = Vec::new();
        for (name, inode) in inside::names(&self.path).zip(way) {
            let folder = Ids::folder(self.disk, &above);
            trail.push(Crumb {
                id: self.desk.ids().issue(&folder, name, *inode),
                name: PathText::from_bytes(name),
            });
            above = join(&above, name);
        }
        trail
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.desk.ids().end();
    }
}

/// The sizes of an image, and of the filesystem in it where that can be read.
fn sizes(place: &Place) -> Result<DiskSizes, Failure> {
    let read = disk::read(&place.image)?;
    let disk = if place.sessions {
        read.sessions_disk()
    } else {
        read.system_disk()
    };
    Ok(DiskSizes::new(&read, disk))
}

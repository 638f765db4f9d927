//! A path of the host as mount tables name it.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sandtray_core::leftover::evidence::Inside;

use super::look;
use crate::leftovers::evidence::mounted::{join, numbers, within};
use crate::volume::mountinfo::{self, Mount};

/// The mounts of our own namespace.
#[derive(Debug)]
pub(in super::super) struct OwnMounts {
    mounts: Vec<Mount>,
    /// The folder that was asked about last: candidates come one folder after the other.
    last: Mutex<Option<(PathBuf, Option<Inside>)>>,
}

impl OwnMounts {
    pub(in super::super) fn read() -> Self {
        let text = ["/proc/thread-self/mountinfo", "/proc/self/mountinfo"]
            .iter()
            .find_map(|path| std::fs::read(path).ok());
        Self::of(&text.unwrap_or_default())
    }

    fn of(text: &[u8]) -> Self {
        Self {
            mounts: mountinfo::parse(text),
            last: Mutex::new(None),
        }
    }

    /// By its folder: what is mounted on the name itself is another filesystem's root and not the place.
    pub(in super::super) fn inside(&self, path: &Path) -> Option<Inside> {
        let Some(folder) = path.parent() else {
            return path.is_absolute().then(|| self.root()).flatten();
        };
        let name = path.file_name()?;
        let folder = self.folder(folder)?;
        Some(Inside {
            path: join(&folder.path, name.as_encoded_bytes()),
            ..folder
        })
    }

    fn root(&self) -> Option<Inside> {
        let mount = self
            .mounts
            .iter()
            .rfind(|mount| mount.point == Path::new("/"))?;
        within(mount, b"/")
    }

    fn folder(&self, folder: &Path) -> Option<Inside> {
        // A panic elsewhere cannot have left it half written.
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((known, inside)) = last.as_ref()
            && known == folder
        {
            return inside.clone();
        }
        let inside = self.find(folder);
        *last = Some((folder.to_owned(), inside.clone()));
        inside
    }

    /// The mount on which a folder lies, by the mount's id: a device number is the same for every mount of
    /// one filesystem. Kernels before 5.8 do not say; there it is the last mount at the longest point.
    fn find(&self, folder: &Path) -> Option<Inside> {
        let folder = std::fs::canonicalize(folder).ok()?;
        let id = look::file(&folder, true).ok()?.mount;
        let mount = match id {
            0 => self
                .mounts
                .iter()
                .filter(|mount| folder.starts_with(&mount.point))
                .max_by_key(|mount| mount.point.components().count())?,
            id => self.mounts.iter().find(|mount| mount.id == id)?,
        };
        numbers(&mount.device)?;
        within(mount, folder.as_os_str().as_encoded_bytes())
    }
}

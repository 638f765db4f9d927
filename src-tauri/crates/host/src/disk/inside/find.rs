//! Which of an image's filesystems is meant: the sessions disk, else the system disk, else the largest
//! of the ext family.
//!
//! By label, never by order (#59856, #37860). A disk whose superblock is broken has no label and still
//! may have copies of it, so where nothing of the ext family is seen, the largest part is tried.

use std::cmp::Reverse;
use std::path::Path;

use sandtray_core::disk::{SESSIONS_LABEL, SYSTEM_LABEL};

use crate::disk::ext4::{self, Ext4};
use crate::disk::source::{ReadAt, Window};
use crate::disk::survey::head;
use crate::disk::table::Partition;
use crate::disk::{Volume, failure};
use crate::error::{Cause, Failure};

/// Opens the filesystem that is meant and lets `work` look at it.
///
/// # Errors
/// What opening says, then what `work` says.
pub(crate) fn look<T>(
    image: &Path,
    work: impl FnOnce(&Ext4<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let volume = Volume::choose(image, meant)?;
    let ext4 = Ext4::open(&volume).map_err(|cause| failure(image, cause))?;
    work(&ext4)
}

fn meant(source: &dyn ReadAt, parts: Vec<Partition>) -> Result<Partition, Cause> {
    let rank = |part: &Partition| {
        let window = Window::new(source, part.start, part.length);
        let head = head(&window).unwrap_or_default();
        let label = ext4::superblock(&head)
            .and_then(ext4::Identity::parse)
            .ok()
            .filter(|_| ext4::is_ext(&head))
            .map(|identity| identity.label);
        let rank = match label {
            Some(Some(label)) if label == SESSIONS_LABEL => 0,
            Some(Some(label)) if label == SYSTEM_LABEL => 1,
            Some(_) => 2,
            None => 3,
        };
        (rank, Reverse(part.length))
    };
    parts
        .into_iter()
        .min_by_key(rank)
        .ok_or_else(|| Cause::Corrupt("its partition table is empty".to_owned()))
}

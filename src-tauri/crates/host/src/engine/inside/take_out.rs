//! Rescue for the window: what it chose in a view is copied into a folder that the user chose.

use std::io;
use std::path::Path;

use sandtray_core::bytes::Bytes;
use sandtray_core::inside::{DiskId, RescueEnd, RescueProgress};

use super::jobs::Work;
use super::places::Place;
use super::telling::{EVERY, telling};
use crate::engine::Engine;
use crate::error::Failure;
use crate::rescue::{self, Known, Options, Outcome};

const OPERATION: &str = "copy out of the disk image";

impl Engine {
    /// Whether what the window chose can be copied, as far as its list goes; asked before the user is
    /// sent to choose a folder.
    ///
    /// # Errors
    /// As [`rescue`](Self::rescue).
    pub fn check_rescue(&self, disk: &DiskId, entries: &[String]) -> Result<(), Failure> {
        self.chosen(disk, entries).map(drop)
    }

    /// Copies entries of a view into the folder `target`, which the user chose in the native dialog.
    /// Nothing is overwritten. Runs on the caller's thread for as long as it takes.
    ///
    /// # Errors
    /// Where nothing was chosen, an id is out of date, another rescue runs, or nothing can be copied at
    /// all; what goes wrong later is in the receipt.
    pub fn rescue(
        &self,
        disk: &DiskId,
        entries: &[String],
        target: &Path,
        mut on_progress: impl FnMut(RescueProgress) + Send,
    ) -> Result<RescueEnd, Failure> {
        let (place, known) = self.chosen(disk, entries)?;
        let job = self.desk.begin(Work::Rescue, disk).ok_or_else(|| {
            let cause = io::Error::other("another copy is under way");
            Failure::io(OPERATION, &place.image, cause).hint("Wait for its end, or stop it.")
        })?;
        let options = Options {
            cancel: job.cancel.clone(),
            ..Options::default()
        };
        let (progress, bytes) = (options.progress.clone(), options.bytes.clone());
        let tell = || {
            on_progress(RescueProgress {
                disk: disk.clone(),
                entries: progress.entries(),
                written: Bytes(bytes.entries()),
            });
        };
        let outcome = telling(EVERY, tell, || {
            rescue::copy_known(&place.image, &known, target, &options)
        })?;
        Ok(match outcome {
            Outcome::Done(receipt) => RescueEnd::Done { receipt },
            Outcome::Refused(refusal) => RescueEnd::Refused { refusal },
        })
    }

    fn chosen(&self, disk: &DiskId, entries: &[String]) -> Result<(Place, Vec<Known>), Failure> {
        let (place, _) = self.place(disk)?;
        if entries.is_empty() {
            let cause = io::Error::new(io::ErrorKind::InvalidInput, "nothing is chosen");
            return Err(Failure::io(OPERATION, &place.image, cause)
                .hint("Choose folders or files; a whole disk is not copied in one go."));
        }
        let known = entries
            .iter()
            .map(|id| self.desk.known(disk, id, &place.image))
            .collect::<Result<Vec<Known>, Failure>>()?;
        Ok((place, apart(known)))
    }
}

/// Leaves out what comes along with a folder above it.
fn apart(mut known: Vec<Known>) -> Vec<Known> {
    known.sort_unstable();
    known.dedup();
    let mut apart: Vec<Known> = Vec::new();
    for one in known {
        let comes_along = apart.iter().any(|above| {
            one.path
                .strip_prefix(&*above.path)
                .is_some_and(|rest| rest.first() == Some(&b'/'))
        });
        if !comes_along {
            apart.push(one);
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_chosen_folder_is_not_copied_twice() {
        let known = |path: &str| Known {
            path: path.as_bytes().to_vec(),
            inode: 12,
        };
        let all = ["/b/c", "/ab", "/a", "/a/x/y", "/b", "/a", "/a.d"].map(known);
        let left = ["/a", "/a.d", "/ab", "/b"].map(known);
        assert_eq!(apart(all.to_vec()), left);
    }
}

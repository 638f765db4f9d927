//! Which VM release a system disk came from, as the `.origin` file beside its image says.
//!
//! The app writes the file when it has unpacked the image, so its time tells when the disk was fresh. A
//! look reads a few bytes, never waits, and believes nothing but a plain id; whatever else stands there
//! means that the release is not known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sandtray_core::baseline::{self, Release};
use sandtray_core::time::Time;

use crate::disk;

/// What is known of the release of one image.
#[derive(Debug)]
struct Known {
    release: Release,
    /// When it took the place of another one under our eyes: a file put back keeps its old time.
    changed: Option<Time>,
}

/// The releases of all images that were looked at.
#[derive(Debug, Default)]
pub(super) struct Origins {
    known: BTreeMap<PathBuf, Known>,
}

impl Origins {
    /// The release of an image and whether its disk is in its first day; none where it is not known.
    pub(super) fn look(&mut self, image: &Path, now: Time) -> Option<(Release, bool)> {
        let (content, modified) = disk::companion(&beside(image)?).ok()?;
        let release = Release::parse(&content)?;
        let known = self.known.entry(image.to_owned()).or_insert_with(|| Known {
            release: release.clone(),
            changed: None,
        });
        if known.release != release {
            *known = Known {
                release: release.clone(),
                changed: Some(now),
            };
        }
        let first_day = baseline::is_first_day([modified.map(moment), known.changed], now);
        Some((release, first_day))
    }
}

/// `.rootfs.img.origin` for `rootfs.img`.
fn beside(image: &Path) -> Option<PathBuf> {
    let mut name = std::ffi::OsString::from(".");
    name.push(image.file_name()?);
    name.push(".origin");
    Some(image.with_file_name(name))
}

/// A file's time in seconds since 1970, clamped.
fn moment(at: SystemTime) -> Time {
    let seconds = |span: std::time::Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
    Time(match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => seconds(after),
        Err(before) => seconds(before.duration()).saturating_neg(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::Duration;

    use super::*;

    const ID: &str = "6d1538ba6d1538ba6d1538ba6d1538ba6d1538ba";
    const NOW: Time = Time(1_795_000_000);

    fn write(folder: &Path, content: &[u8], ago: u64) {
        let path = folder.join(".rootfs.img.origin");
        fs::write(&path, content).unwrap();
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW.0.cast_unsigned() - ago);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(at)
            .unwrap();
    }

    #[test]
    fn the_first_day_is_that_of_the_file_or_of_another_release_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("rootfs.img");
        let mut origins = Origins::default();
        assert_eq!(origins.look(&image, NOW), None);
        let mut first_day = |content: &str, ago| {
            write(folder.path(), content.as_bytes(), ago);
            let (release, first) = origins.look(&image, NOW).unwrap();
            assert_eq!(release.as_str(), content.trim());
            first
        };
        assert!(first_day(ID, 3_600));
        assert!(!first_day(ID, 200_000), "the same release, long ago");
        let other = ID.replace('6', "7");
        assert!(
            first_day(&format!("{other}\n"), 200_000),
            "put back with its old time"
        );
    }

    #[test]
    fn whatever_is_no_plain_id_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("rootfs.img");
        let mut origins = Origins::default();
        for content in [
            &b""[..],
            b"\xff\xfe",
            &ID.as_bytes()[..39],
            &[b'6'; 1_000_000],
        ] {
            write(folder.path(), content, 0);
            assert_eq!(origins.look(&image, NOW), None);
        }
        let origin = folder.path().join(".rootfs.img.origin");
        fs::remove_file(&origin).unwrap();
        fs::create_dir(&origin).unwrap();
        assert_eq!(origins.look(&image, NOW), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_its_place_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let origin = folder.path().join(".rootfs.img.origin");
        let made = std::process::Command::new("mkfifo").arg(&origin).status();
        assert!(made.unwrap().success());
        assert_eq!(
            Origins::default().look(&folder.path().join("rootfs.img"), NOW),
            None
        );
    }
}

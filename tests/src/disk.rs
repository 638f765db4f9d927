//! Guest disks with real filesystems, full to the percent, for little host disk.
//!
//! `mke2fs` makes the filesystem in a sparse file; `debugfs` gives its files blocks that are
//! allocated and never written ("unwritten extents"). The guest sees a full 10 GB disk, the host
//! pays for the journal and the tables: about 10 MB. `e2fsck` finds nothing to say about it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Error;
use std::path::Path;

use crate::programs::run;

const BLOCK: u64 = 4096;

/// A filesystem to make.
#[derive(Clone, Debug)]
pub struct Ext4 {
    /// Its label: the app's disks are known by it.
    pub label: String,
    /// Its size in bytes.
    pub size: u64,
    /// Where it begins in the image.
    pub offset: u64,
    /// The share reserved for root, in percent: 5 on the sessions disk, 0 on the system disk.
    pub reserved_percent: u32,
    /// How full it is, in percent of what is usable, as `df` rounds.
    pub percent: f64,
    /// Directories to spread the used bytes over, with their weights.
    pub folders: Vec<(String, u32)>,
}

impl Ext4 {
    /// A sessions disk: whole-disk ext4 (#44622), 5 % for root (#61074).
    #[must_use]
    pub fn sessions(size: u64, percent: f64, folders: Vec<(String, u32)>) -> Self {
        Self {
            label: "sessions".to_owned(),
            size,
            offset: 0,
            reserved_percent: 5,
            percent,
            folders,
        }
    }

    /// Makes it inside `image`, which grows to hold it.
    ///
    /// # Errors
    /// Where `mke2fs`, `dumpe2fs` or `debugfs` is missing or fails, or the host disk is full.
    pub fn make(&self, image: &Path) -> Result<(), Error> {
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(image)?;
        file.set_len(file.metadata()?.len().max(self.offset + self.size))?;
        drop(file);
        let path = image.display();
        run(
            "mke2fs",
            [
                "-q".to_owned(),
                "-F".to_owned(),
                "-t".to_owned(),
                "ext4".to_owned(),
                "-b".to_owned(),
                BLOCK.to_string(),
                "-L".to_owned(),
                self.label.clone(),
                "-m".to_owned(),
                self.reserved_percent.to_string(),
                "-J".to_owned(),
                "size=4".to_owned(),
                "-E".to_owned(),
                format!(
                    "offset={},lazy_itable_init=1,root_owner=0:0,nodiscard",
                    self.offset
                ),
                path.to_string(),
                format!("{}k", self.size / 1024),
            ],
            "",
        )?;
        let target = format!("{path}?offset={}", self.offset);
        let numbers = Numbers::read(&target)?;
        let script = self.script(numbers.blocks_to_fill(self.percent));
        if !script.is_empty() {
            // A script on standard input, not a file: `debugfs -f` stops at nothing either way, so
            // the result is checked below.
            run("debugfs", ["-w", "-f", "-", target.as_str()], &script)?;
            let got = Numbers::read(&target)?.percent();
            if (got - self.percent).abs() > 0.5 {
                return Err(Error::other(format!(
                    "{path}: {got:.1} % full instead of {:.1} %",
                    self.percent
                )));
            }
        }
        Ok(())
    }

    /// Takes all that an ordinary user could still take, and a little of root's share, with a file in one of the
    /// folders: `df` says 100 %, and half a gigabyte is free (#61074).
    ///
    /// # Errors
    /// Where `debugfs` or `dumpe2fs` is missing, or something is available all the same.
    pub fn fill_up(&self, image: &Path, folder: &str) -> Result<(), Error> {
        let target = format!("{}?offset={}", image.display(), self.offset);
        let wanted = Numbers::read(&target)?.available() + 256;
        let file = format!("{folder}/last.bin");
        let script = format!(
            "write /dev/null {file}\nfallocate {file} 0 {}\nsif {file} size {}\n",
            wanted - 1,
            wanted * BLOCK
        );
        run("debugfs", ["-w", "-f", "-", target.as_str()], &script)?;
        match Numbers::read(&target)?.available() {
            0 => Ok(()),
            left => Err(Error::other(format!(
                "{target}: {left} blocks are available"
            ))),
        }
    }

    /// What `debugfs` is told, to fill so many blocks.
    fn script(&self, blocks: u64) -> String {
        let weights: u64 = self
            .folders
            .iter()
            .map(|(_, weight)| u64::from(*weight))
            .sum();
        if weights == 0 {
            return String::new();
        }
        let mut script = String::new();
        for (name, weight) in &self.folders {
            // Two blocks of every share are the folder's own.
            let share = (blocks * u64::from(*weight) / weights)
                .saturating_sub(2)
                .max(1);
            let file = format!("{name}/work.bin");
            let _infallible = writeln!(
                script,
                "mkdir {name}\nmkdir {name}/tmp\nwrite /dev/null {file}\nfallocate {file} 0 {}\nsif {file} size {}",
                share - 1,
                share * BLOCK,
            );
        }
        script
    }
}

/// What `dumpe2fs -h` says of a filesystem, in blocks.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// All blocks.
    pub blocks: u64,
    /// Not allocated.
    pub free: u64,
    /// Kept for root.
    pub reserved: u64,
    /// Taken by the filesystem itself; `df` counts them in no column.
    pub overhead: u64,
    /// All inodes.
    pub inodes: u64,
    /// Free inodes.
    pub inodes_free: u64,
}

impl Numbers {
    /// Reads them; `target` may end in `?offset=N`.
    ///
    /// # Errors
    /// Where `dumpe2fs` is missing or does not like the filesystem.
    pub fn read(target: &str) -> Result<Self, Error> {
        let (path, offset) = target.split_once("?offset=").unwrap_or((target, "0"));
        let text = if offset == "0" {
            run("dumpe2fs", ["-h", path], "")?
        } else {
            run("dumpe2fs", ["-h", target], "")?
        };
        let number = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
                .ok_or_else(|| Error::other(format!("dumpe2fs says no {name:?} of {target}")))
        };
        Ok(Self {
            blocks: number("Block count:")?,
            free: number("Free blocks:")?,
            reserved: number("Reserved block count:")?,
            overhead: number("Overhead clusters:")?,
            inodes: number("Inode count:")?,
            inodes_free: number("Free inodes:")?,
        })
    }

    /// The kernel keeps this back beside root's share: min(2 %, 4096 clusters).
    fn kernels(&self) -> u64 {
        (self.blocks / 50).min(4096)
    }

    /// Blocks that an ordinary user can still take.
    #[must_use]
    pub fn available(&self) -> u64 {
        self.free.saturating_sub(self.reserved + self.kernels())
    }

    /// Blocks in use, the filesystem's own not counted.
    #[must_use]
    pub fn used(&self) -> u64 {
        (self.blocks - self.overhead).saturating_sub(self.free)
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "block counts of test disks are small"
    )]
    fn percent(&self) -> f64 {
        let (used, available) = (self.used() as f64, self.available() as f64);
        used / (used + available) * 100.0
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "block counts of test disks are small"
    )]
    fn blocks_to_fill(&self, percent: f64) -> u64 {
        let usable = (self.used() + self.available()) as f64;
        ((usable * percent / 100.0) as u64).saturating_sub(self.used())
    }
}

/// Whether disks can be made here; the reason where not.
///
/// # Errors
/// The name of what is missing.
pub fn possible() -> Result<(), String> {
    match ["mke2fs", "debugfs", "dumpe2fs"]
        .iter()
        .find(|program| crate::programs::find(program).is_none())
    {
        Some(program) => Err(format!("{program} is not installed")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_disk_is_as_full_as_asked_and_clean() {
        if let Err(reason) = possible() {
            return crate::skip::say("disk::a_made_disk_is_as_full_as_asked_and_clean", reason);
        }
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("sessiondata.img");
        let folders = (0..20)
            .map(|n| (format!("quiet-lake-{n}"), n + 1))
            .collect();
        Ext4::sessions(10 << 30, 88.0, folders)
            .make(&image)
            .unwrap();
        let numbers = Numbers::read(image.to_str().unwrap()).unwrap();
        assert!((numbers.percent() - 88.0).abs() < 0.2, "{numbers:?}");
        run("e2fsck", ["-f", "-n", image.to_str().unwrap()], "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let host = std::fs::metadata(&image).unwrap().blocks() * 512;
            assert!(host < 40_000_000, "{host} bytes of host disk");
        }
    }

    #[test]
    fn a_disk_can_begin_anywhere_in_its_image() {
        if let Err(reason) = possible() {
            return crate::skip::say("disk::a_disk_can_begin_anywhere_in_its_image", reason);
        }
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("rootfs.img");
        let mut disk = Ext4::sessions(64 << 20, 50.0, vec![("usr".to_owned(), 1)]);
        disk.offset = 116_391_936;
        disk.reserved_percent = 0;
        disk.make(&image).unwrap();
        let numbers =
            Numbers::read(&format!("{}?offset={}", image.display(), disk.offset)).unwrap();
        assert_eq!(numbers.reserved, 0);
    }
}

//! Real filesystems: made by `mke2fs`, mounted for real in a mount namespace of their own that ends with
//! the test.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sandtray_core::disk::Numbers;
use tempfile::TempDir;

use crate::disk::read;

/// What `statfs` says, in bytes and inodes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statfs {
    pub(super) size: u64,
    pub(super) free: u64,
    pub(super) available: u64,
    pub(super) inodes: u64,
    pub(super) inodes_free: u64,
}

impl Statfs {
    pub(super) fn of(numbers: &Numbers) -> Self {
        Self {
            size: numbers.size.0,
            free: numbers.size.0 - numbers.used.0,
            available: numbers.available.0,
            inodes: numbers.inodes,
            inodes_free: numbers.inodes_free,
        }
    }

    /// Parses `stat -f -c '%S %b %f %a %c %d'`.
    pub(super) fn parse(line: &str) -> Self {
        let fields: Vec<u64> = line
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        let [unit, blocks, free, available, inodes, inodes_free] = fields[..] else {
            panic!("unexpected: {line}")
        };
        Self {
            size: blocks * unit,
            free: free * unit,
            available: available * unit,
            inodes,
            inodes_free,
        }
    }
}

/// A folder with an image and a mount point; nothing of it outlives the test.
pub(super) struct Bench {
    pub(super) folder: TempDir,
    pub(super) image: PathBuf,
}

impl Bench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("mnt")).unwrap();
        let content = folder.path().join("content");
        fs::create_dir(&content).unwrap();
        for number in 0..40_usize {
            let folder = content.join(format!("session-{number}"));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("file"), vec![7; number * 977]).unwrap();
        }
        let image = folder.path().join("sessiondata.img");
        Self { folder, image }
    }

    pub(super) fn content(&self) -> PathBuf {
        self.folder.path().join("content")
    }

    /// Makes a filesystem of `size` with `mkfs.ext4`; says why not where it cannot.
    pub(super) fn make(&self, size: &str, options: &str) -> Result<(), String> {
        // The disk that is formatted anew must be all holes again.
        drop(fs::remove_file(&self.image));
        let output = tool("mkfs.ext4")
            .args(["-q", "-F", "-L", "sessions", "-d"])
            .arg(self.content())
            .args(options.split_whitespace())
            .arg(&self.image)
            .arg(size)
            .output()
            .map_err(|error| format!("no mkfs.ext4 ({error})"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// Runs a shell script in a mount namespace, with the image as `$1` and the mount point as `$2`.
    pub(super) fn script(&self, script: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-ec", script, "sh"])
            .arg(&self.image)
            .arg(self.folder.path().join("mnt"));
        command
    }

    /// What the kernel says of a read-only mount; an error where mounting is not allowed.
    pub(super) fn statfs(&self, options: &str) -> Result<Statfs, String> {
        let script = format!(
            "mount -t ext4 -o ro,loop{options} \"$1\" \"$2\"; stat -f -c '%S %b %f %a %c %d' \"$2\""
        );
        let output = self.script(&script).output().map_err(|e| e.to_string())?;
        if output.status.success() {
            Ok(Statfs::parse(&String::from_utf8_lossy(&output.stdout)))
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    }

    /// What `dumpe2fs -h` says: everything but what the kernel keeps for itself.
    pub(super) fn dumpe2fs(&self) -> Statfs {
        let output = tool("dumpe2fs")
            .arg("-h")
            .arg(&self.image)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let field = |name: &str| -> Option<u64> {
            let line = text.lines().find(|line| line.starts_with(name))?;
            line.rsplit(' ').next()?.parse().ok()
        };
        let number = |name: &str| field(name).unwrap_or_else(|| panic!("no {name} {text}"));
        let unit = number("Block size:");
        let cluster = field("Cluster size:").unwrap_or(unit);
        Statfs {
            size: number("Block count:") * unit - number("Overhead clusters:") * cluster,
            free: number("Free blocks:") * unit,
            available: 0,
            inodes: number("Inode count:"),
            inodes_free: number("Free inodes:"),
        }
    }
}

/// `mkfs.ext4` and its like lie in `sbin`, which an ordinary user does not have in the path.
pub(super) fn tool(name: &str) -> Command {
    let path = ["/usr/sbin", "/sbin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists());
    Command::new(path.unwrap_or_else(|| name.into()))
}

pub(super) fn numbers(image: &Path) -> Numbers {
    let image = read(image).unwrap_or_else(|failure| panic!("{failure}"));
    let disk = image.sessions_disk().or(image.system_disk()).unwrap();
    disk.numbers.unwrap_or_else(|| panic!("{disk:?}"))
}

//! A folder with one of everything, and filesystems made of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with content, an image and a mount point; nothing of it outlives the test.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("mnt")).unwrap();
        let bench = Self { folder };
        fs::create_dir(bench.content()).unwrap();
        bench
    }

    pub(crate) fn content(&self) -> PathBuf {
        self.folder.path().join("content")
    }

    pub(crate) fn image(&self) -> PathBuf {
        self.folder.path().join("sessiondata.img")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Homes of every shape, a deep tree, holes, links of all kinds, odd names, a large folder.
    pub(crate) fn fill(&self) {
        let content = self.content();
        for home in 0..12_usize {
            let mut folder = content.join(format!("home-{home:02}"));
            for level in 0..home % 4 + 1 {
                fs::create_dir(&folder).unwrap();
                for size in [0, 59, 60, 61, 160, 4096, 5000, 70_000] {
                    let bytes: Vec<u8> = (0..size)
                        .map(|at| (at * (home + level + 3)) as u8)
                        .collect();
                    fs::write(folder.join(format!("file-{size}")), bytes).unwrap();
                }
                folder.push("sub");
            }
        }
        let mut deep = content.join("deep");
        for _ in 0..60 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("bottom"), "found").unwrap();
        let sparse = content.join("sparse");
        fs::create_dir(&sparse).unwrap();
        for (name, every) in [("few", 3 << 20), ("many", 16 << 10)] {
            holes(&sparse.join(name), every);
        }
        let big = content.join("big");
        fs::create_dir(&big).unwrap();
        for entry in 0..1500 {
            let name = format!("an-entry-with-a-rather-long-name-{entry:05}");
            fs::write(big.join(name), "").unwrap();
        }
        #[cfg(unix)]
        odd(&content);
    }

    /// Makes a filesystem of `size` with the content; says why not where it cannot. Blocks are of 4 KiB
    /// where the options do not say otherwise; mke2fs itself would take 1 KiB for disks this small.
    pub(crate) fn make(&self, size: &str, options: &str) -> Result<(), String> {
        // The disk that is formatted anew must be all holes again.
        drop(fs::remove_file(self.image()));
        let output = tool("mkfs.ext4")
            .args(["-q", "-F", "-L", "sessions", "-d"])
            .arg(self.content())
            .args(
                (!options.contains("-b "))
                    .then_some(["-b", "4096"])
                    .iter()
                    .flatten(),
            )
            .args(options.split_whitespace())
            .arg(self.image())
            .arg(size)
            .output()
            .map_err(|error| format!("no mkfs.ext4 ({error})"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// A shell script in a mount namespace of its own: `$1` is the image, `$2` the mount point.
    pub(crate) fn script(&self, script: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-ec", script, "sh"])
            .arg(self.image())
            .arg(self.path("mnt"))
            .env("BENCH", self.folder.path())
            .env("LC_ALL", "C");
        command
    }

    /// Runs a script on a read-only mount; says why not where mounting is not allowed.
    #[cfg(target_os = "linux")]
    pub(crate) fn mounted(&self, script: &str) -> Result<Vec<u8>, String> {
        let script = format!("mount -t ext4 -o ro,loop \"$1\" \"$2\"; cd \"$2\"; {script}");
        let output = self.script(&script).output().map_err(|e| e.to_string())?;
        said(output)
    }

    /// Runs one command of `debugfs`.
    pub(crate) fn debugfs(&self, request: &str, write: bool) -> Result<String, String> {
        let mut command = tool("debugfs");
        if write {
            command.arg("-w");
        }
        let output = command
            .args(["-R", request])
            .arg(self.image())
            .output()
            .map_err(|error| format!("no debugfs ({error})"))?;
        said(output).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What a command printed, or what it said went wrong.
pub(crate) fn said(output: Output) -> Result<Vec<u8>, String> {
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

/// A file of 5 MB with data every so often and holes between.
fn holes(path: &Path, every: u64) {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = File::create(path).unwrap();
    let length: u64 = 5 << 20;
    for at in (every / 2..length - 5000).step_by(every as usize) {
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[at as u8 | 1; 3000]).unwrap();
    }
    file.set_len(length).unwrap();
}

#[cfg(unix)]
fn odd(content: &Path) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    let links = content.join("links");
    fs::create_dir(&links).unwrap();
    fs::write(links.join("one"), [7; 20_000]).unwrap();
    fs::hard_link(links.join("one"), links.join("two")).unwrap();
    fs::hard_link(links.join("one"), content.join("home-00/three")).unwrap();
    fs::set_permissions(links.join("one"), fs::Permissions::from_mode(0o6751)).unwrap();
    let long = "x/".repeat(100);
    for (name, target) in [
        ("fast", "one"),
        ("long", long.as_str()),
        ("up", "../home-00"),
        ("absolute", "/etc/passwd"),
        ("escaping", "../../../../../../etc/passwd"),
        ("tricky", "up/../../.."),
    ] {
        symlink(target, links.join(name)).unwrap();
    }
    let fifo = links.join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()));
    drop(UnixListener::bind(links.join("socket")).unwrap());
    let names = content.join("names");
    fs::create_dir(&names).unwrap();
    for name in [
        &b"new\nline"[..],
        b"not\xfftext",
        b"a space",
        b"-dash",
        b"con",
        b"a:b",
        b"end.",
    ] {
        fs::write(names.join(OsStr::from_bytes(name)), name).unwrap();
    }
}

/// `mkfs.ext4` and its like lie in `sbin`, which an ordinary user does not have in the path.
pub(crate) fn tool(name: &str) -> Command {
    let path = ["/usr/sbin", "/sbin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists());
    Command::new(path.unwrap_or_else(|| name.into()))
}

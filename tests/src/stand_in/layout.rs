//! A whole bundle and everything around it, as a machine has it after some weeks of use.

use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

use super::sessions::Sessions;
use crate::disk::Ext4;
use crate::gpt;
use crate::machine::{Bundle, RELEASE, session};

/// What to lay out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The app's data folder.
    pub user_data: PathBuf,
    /// The release that the files come from.
    pub release: String,
    /// Bytes of the sessions disk.
    pub sessions_size: u64,
    /// How full it is, in percent.
    pub sessions_percent: f64,
    /// Session homes inside it, and sessions on the host.
    pub sessions: u32,
    /// Bytes of the system partition.
    pub system_size: u64,
    /// How full it is, in percent.
    pub system_percent: f64,
    /// Whether the packed system image is kept.
    pub packed: bool,
    /// A prefetched release, by its id.
    pub warm: Option<String>,
}

impl Layout {
    /// Small disks, the sessions disk at 88 %, six sessions.
    #[must_use]
    pub fn new(user_data: &Path) -> Self {
        Self {
            user_data: user_data.to_owned(),
            release: RELEASE.to_owned(),
            sessions_size: 64 << 20,
            sessions_percent: 88.0,
            sessions: 6,
            system_size: 96 << 20,
            system_percent: 70.0,
            packed: true,
            warm: None,
        }
    }

    /// Makes all of it.
    ///
    /// # Errors
    /// Where a disk or a file cannot be made (see [`crate::disk::possible`]).
    pub fn make(&self) -> Result<Bundle, Error> {
        let bundle = Bundle::create(&self.user_data)?;
        bundle.companions()?;
        let homes = (0..self.sessions).map(session).collect();
        Ext4::sessions(self.sessions_size, self.sessions_percent, homes)
            .make(&bundle.sessions_image())?;
        system(
            &bundle.system_image(),
            self.system_size,
            self.system_percent,
        )?;
        for name in ["rootfs.img", "rootfs.img.zst", "vmlinuz", "initrd"] {
            fs::write(origin(&bundle.folder, name), &self.release)?;
        }
        fs::write(bundle.folder.join("gvisorMacAddress"), "02:00:5e:10:00:02")?;
        if !self.packed {
            fs::remove_file(bundle.folder.join("rootfs.img.zst"))?;
            fs::remove_file(origin(&bundle.folder, "rootfs.img.zst"))?;
        }
        let warm = self.user_data.join("vm_bundles").join("warm");
        // An empty folder of a release is normal (#52059).
        fs::create_dir_all(warm.join("5680b11bcdab215cccf07e0c0bd1bd9213b0c25d"))?;
        if let Some(release) = &self.warm {
            fs::create_dir_all(warm.join(release))?;
            fs::File::create(warm.join(release).join("rootfs.img.zst"))?.set_len(1_200_000_000)?;
        }
        Sessions::of(&self.user_data).plant(self.sessions)?;
        self.neighbours()?;
        Ok(bundle)
    }

    /// What else lies in the data folder; no reset has any business with it.
    fn neighbours(&self) -> Result<(), Error> {
        for (name, content) in [
            ("config.json", "{\"locale\": \"en\"}\n"),
            ("claude_desktop_config.json", "{\"mcpServers\": {}}\n"),
            ("Local Storage/leveldb/000003.log", "login"),
            ("Cache/index", "cache"),
            ("claude-code-vm/2.1.0/claude", "guest program"),
            ("logs/main.log", ""),
        ] {
            let file = self.user_data.join(name);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(file, content)?;
        }
        Ok(())
    }
}

/// `.NAME.origin` beside a file: the release it came from; must travel with it.
#[must_use]
pub fn origin(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.origin"))
}

/// Makes a system disk: a partition table, and a filesystem on its first partition.
///
/// # Errors
/// Where it cannot be made.
pub fn system(image: &Path, size: u64, percent: f64) -> Result<(), Error> {
    Ext4 {
        label: "cloudimg-rootfs".to_owned(),
        size,
        offset: gpt::SYSTEM_OFFSET,
        reserved_percent: 0,
        percent,
        folders: vec![("usr".to_owned(), 7), ("var".to_owned(), 3)],
    }
    .make(image)?;
    gpt::write(image, size)
}

/// Copies an image with its holes: only what is not zero is written.
///
/// # Errors
/// Where it cannot be read or written.
pub fn copy_sparse(from: &Path, to: &Path) -> Result<(), Error> {
    use std::io::{Read, Seek, SeekFrom, Write};
    let mut from = fs::File::open(from)?;
    let mut to = fs::File::create(to)?;
    to.set_len(from.metadata()?.len())?;
    let mut block = vec![0; 1 << 20];
    let mut at = 0;
    loop {
        let read = from.read(&mut block)?;
        if read == 0 {
            return Ok(());
        }
        if block[..read].iter().any(|byte| *byte != 0) {
            let _at = to.seek(SeekFrom::Start(at))?;
            to.write_all(&block[..read])?;
        }
        at += u64::try_from(read).unwrap_or(0);
    }
}

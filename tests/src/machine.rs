//! A throw-away machine: a home, temp roots, bundles, and the file that `--machine` reads.

use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

use crate::disk::Ext4;
use crate::gpt;

/// Size of the app's disks; the guest sees 9.8G of it.
pub const DISK: u64 = 10 << 30;
/// Size of the system partition: 9.9 GB.
pub const SYSTEM: u64 = 9_900_000_000 / 4096 * 4096;
/// A VM release as seen on disks (facts of the VM §1.4).
pub const RELEASE: &str = "88251839c5a1f6e0d2b47394ae51bb0c6f7d8e90";

/// A machine of its own, in a folder.
#[derive(Debug)]
pub struct TestMachine {
    root: PathBuf,
    user_data: Vec<PathBuf>,
    temp_roots: Vec<PathBuf>,
    /// Added to the clock of everything that looks at this machine, in seconds.
    pub now_offset: i64,
    /// Shown beside the product's name.
    pub label: Option<String>,
    /// Kept for its `Drop`.
    _folder: Option<tempfile::TempDir>,
}

impl TestMachine {
    /// An empty machine that goes when this value does: a home, one temp root, no bundle.
    ///
    /// # Errors
    /// Where folders cannot be made.
    pub fn new() -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("sandtray-").tempdir()?;
        // Canonical, as reports are: a temp folder may lie behind a link.
        let root = folder.path().canonicalize()?;
        let mut machine = Self::at(&root)?;
        machine._folder = Some(folder);
        Ok(machine)
    }

    /// A machine in a folder that stays.
    ///
    /// # Errors
    /// Where folders cannot be made.
    pub fn at(root: &Path) -> Result<Self, Error> {
        fs::create_dir_all(root.join("home"))?;
        fs::create_dir_all(root.join("tmp"))?;
        let machine = Self {
            root: root.to_owned(),
            user_data: Vec::new(),
            temp_roots: vec![root.join("tmp")],
            now_offset: 0,
            label: None,
            _folder: None,
        };
        machine.save()?;
        Ok(machine)
    }

    /// The folder of everything.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The user's home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The first temp root.
    #[must_use]
    pub fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Where Claude Desktop keeps its data on this system, below this home.
    #[must_use]
    pub fn claude(&self) -> PathBuf {
        self.home().join(if cfg!(target_os = "macos") {
            "Library/Application Support/Claude"
        } else if cfg!(windows) {
            r"AppData\Roaming\Claude"
        } else {
            ".config/Claude"
        })
    }

    /// The file that `--machine` takes.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.root.join("machine.toml")
    }

    /// Adds a temp root; it need not exist.
    ///
    /// # Errors
    /// Where the machine's file cannot be written.
    pub fn add_temp_root(&mut self, path: PathBuf) -> Result<(), Error> {
        self.temp_roots.push(path);
        self.save()
    }

    /// Takes these temp roots and no others.
    ///
    /// # Errors
    /// Where the machine's file cannot be written.
    pub fn set_temp_roots(&mut self, paths: Vec<PathBuf>) -> Result<(), Error> {
        self.temp_roots = paths;
        self.save()
    }

    /// Adds a further data folder of Claude Desktop.
    ///
    /// # Errors
    /// Where the machine's file cannot be written.
    pub fn add_user_data(&mut self, path: PathBuf) -> Result<(), Error> {
        self.user_data.push(path);
        self.save()
    }

    /// Writes the machine's file again, after a field was changed.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn save(&self) -> Result<(), Error> {
        let list = |paths: &[PathBuf]| {
            let quoted: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let mut text = format!(
            "home = {}\ntemp_roots = {}\nuser_data = {}\nnow_offset = {}\n",
            quoted(&self.home()),
            list(&self.temp_roots),
            list(&self.user_data),
            self.now_offset,
        );
        if let Some(label) = &self.label {
            text.push_str(&format!("label = {label:?}\n"));
        }
        fs::write(self.file(), text)
    }
}

/// A TOML literal string, in which a backslash is one; paths of tests hold no apostrophe.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// A bundle as the app lays it out.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// `claudevm.bundle`.
    pub folder: PathBuf,
}

impl Bundle {
    /// An empty bundle below a data folder of Claude Desktop.
    ///
    /// # Errors
    /// Where folders cannot be made.
    pub fn create(user_data: &Path) -> Result<Self, Error> {
        let folder = user_data.join("vm_bundles").join("claudevm.bundle");
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(user_data.join("vm_bundles").join("warm"))?;
        Ok(Self { folder })
    }

    /// The sessions disk.
    #[must_use]
    pub fn sessions_image(&self) -> PathBuf {
        self.folder.join("sessiondata.img")
    }

    /// The system disk.
    #[must_use]
    pub fn system_image(&self) -> PathBuf {
        self.folder.join("rootfs.img")
    }

    /// Makes the sessions disk, so full, with so many session homes.
    ///
    /// # Errors
    /// Where the disk cannot be made.
    pub fn sessions(&self, percent: f64, homes: u32) -> Result<(), Error> {
        let folders = (0..homes).map(session).collect();
        Ext4::sessions(DISK, percent, folders).make(&self.sessions_image())
    }

    /// Makes the system disk: a partition table, and a filesystem that is almost full on day one.
    ///
    /// # Errors
    /// Where the disk cannot be made.
    pub fn system(&self, percent: f64) -> Result<(), Error> {
        let image = self.system_image();
        let folders = [("usr", 70), ("var", 12), ("opt", 10), ("home", 8)];
        Ext4 {
            label: "cloudimg-rootfs".to_owned(),
            size: SYSTEM,
            offset: gpt::SYSTEM_OFFSET,
            reserved_percent: 0,
            percent,
            folders: folders
                .map(|(name, weight)| (name.to_owned(), weight))
                .into(),
        }
        .make(&image)?;
        gpt::write(&image, SYSTEM)
    }

    /// Adds what lies beside the disks: packed copies, boot files, `.origin`s, identity.
    ///
    /// # Errors
    /// Where files cannot be made.
    pub fn companions(&self) -> Result<(), Error> {
        for (name, size) in [
            ("rootfs.img.zst", 1_190_000_000),
            ("vmlinuz", 14_900_000),
            ("vmlinuz.zst", 14_100_000),
            ("initrd", 166_000_000),
            ("initrd.zst", 71_000_000),
            ("efivars.fd", 131_072),
        ] {
            // Sparse: their length is what a directory listing shows, their blocks cost nothing.
            fs::File::create(self.folder.join(name))?.set_len(size)?;
        }
        for name in ["rootfs.img", "rootfs.img.zst", "vmlinuz", "initrd"] {
            fs::write(self.folder.join(format!(".{name}.origin")), RELEASE)?;
        }
        fs::write(self.folder.join("machineIdentifier"), [b'x'; 70])?;
        fs::write(self.folder.join("macAddress"), "02:00:5e:10:00:01")?;
        fs::write(self.folder.join("vmIP"), "172.16.10.3")
    }
}

/// Name and weight of a session's home, as the app names them; always the same for a number.
pub(crate) fn session(number: u32) -> (String, u32) {
    const FIRST: [&str; 8] = [
        "brave", "calm", "eager", "gentle", "keen", "lucid", "quiet", "warm",
    ];
    const SECOND: [&str; 8] = [
        "amber", "birch", "coral", "dusty", "elder", "frost", "maple", "slate",
    ];
    const THIRD: [&str; 8] = [
        "bell", "cove", "dune", "fern", "hawk", "lake", "moth", "reed",
    ];
    let pick = |list: [&'static str; 8], by: u32| list[usize::try_from(by % 8).unwrap_or(0)];
    let name = format!(
        "{}-{}-{}-{number}",
        pick(FIRST, number),
        pick(SECOND, number / 8),
        pick(THIRD, number.wrapping_mul(5) + 3),
    );
    // A few sessions hold most of it.
    let weight = if number.is_multiple_of(17) {
        60
    } else {
        1 + number.wrapping_mul(7) % 13
    };
    (name, weight)
}

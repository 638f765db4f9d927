//! The app's look at its bundle and the phases of its repair (facts of the VM §5).
//!
//! Each file needs its `.origin` to name the wanted release. An image that lacks it, or names
//! another, is **deleted first** to make room, whatever it holds: the reason why the order in which a
//! reset moves files matters. Then the packed image is taken from `warm/`, from the bundle, or
//! downloaded; unpacked beside the place and renamed into it; and its `.origin` written last.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Error;
use std::path::PathBuf;

use super::layout::{copy_sparse, origin, system};
use super::log::Log;
pub use super::phase::{Phase, Step};
use super::script::{Misbehaviour, Script};
use crate::disk::Ext4;

/// The files that carry a release.
pub(super) const FILES: [&str; 3] = ["rootfs.img", "vmlinuz", "initrd"];
/// While it is there the app repairs nothing (#93385).
pub const LATCH: &str = ".auto_reinstall_attempted";

/// A repair in progress.
#[derive(Debug)]
pub struct Rebuild {
    script: Script,
    bundle: PathBuf,
    log: Log,
    left: VecDeque<Phase>,
    temp: Option<PathBuf>,
    downloads: u32,
    /// Whether anything was missing or wrong.
    pub needed: bool,
}

impl Rebuild {
    /// Looks at the bundle, deletes what is of another release, and plans the repair.
    ///
    /// # Errors
    /// Where the bundle cannot be read or written.
    pub fn plan(script: &Script) -> Result<Result<Self, String>, Error> {
        let mut this = Self {
            bundle: script.bundle(),
            log: Log::of_vm(&script.user_data),
            script: script.clone(),
            left: VecDeque::new(),
            temp: None,
            downloads: 0,
            needed: false,
        };
        fs::create_dir_all(&this.bundle)?;
        let bundle = this.bundle.display().to_string();
        this.log.info(&format!(
            "[VM:start] Beginning startup, bundlePath={bundle}"
        ))?;
        this.log
            .info(&format!("[VM:start] Bundle version: {}", script.want))?;
        this.log
            .info("[VM:steps] download_and_sdk_prepare started")?;
        let mut wrong = Vec::new();
        for name in FILES {
            if !this.good(name)? {
                wrong.push(name);
            }
        }
        let session_disk = !this.bundle.join("sessiondata.img").exists();
        this.needed = session_disk || !wrong.is_empty();
        if this.needed && this.bundle.join(LATCH).exists() {
            this.log
                .info("[VM:start] Skipping auto-reinstall (already attempted once)")?;
            return Ok(Err("latch".to_owned()));
        }
        for name in &wrong {
            remove(&this.bundle.join(name))?;
            remove(&origin(&this.bundle, name))?;
        }
        if this.needed && script.does(Misbehaviour::NeverRebuilds) {
            this.log
                .info("[VM:steps] download_and_sdk_prepare completed (4ms)")?;
            return Ok(Err("nothing was made".to_owned()));
        }
        if wrong.contains(&"rootfs.img") {
            this.source()?;
        }
        for name in wrong {
            this.left.push_back(Phase::UnpackBegins(name));
            this.left.push_back(Phase::Unpacked(name));
        }
        if session_disk {
            this.left.push_back(Phase::SessionDisk);
        }
        this.left.push_back(Phase::FilesReady);
        this.left.push_back(Phase::Boot);
        Ok(Ok(this))
    }

    /// Whether a file is there and of the wanted release; says what is wrong.
    fn good(&self, name: &str) -> Result<bool, Error> {
        if !self.bundle.join(name).exists() {
            self.log.info(&format!("[Bundle:status] {name} missing"))?;
            return Ok(false);
        }
        let have = fs::read_to_string(origin(&self.bundle, name)).unwrap_or_default();
        let want = &self.script.want;
        if have.trim() != want {
            let have = if have.trim().is_empty() {
                "none"
            } else {
                have.trim()
            };
            self.log.info(&format!(
                "[Bundle:status] {name} version mismatch: have={have}, want={want}"
            ))?;
            return Ok(false);
        }
        let again = self.script.does(Misbehaviour::RebuildsEveryStart) && name == "rootfs.img";
        if again {
            self.log
                .info(&format!("[Bundle:status] {name} newer than its origin"))?;
        }
        Ok(!again)
    }

    /// Where the packed system image comes from: `warm/`, the bundle, or a download.
    fn source(&mut self) -> Result<(), Error> {
        let want = self.script.want.clone();
        let packed = self.bundle.join("rootfs.img.zst");
        let have = fs::read_to_string(origin(&self.bundle, "rootfs.img.zst")).unwrap_or_default();
        if self.warm().exists() {
            self.left.push_back(Phase::Promote);
        } else if packed.exists() && have.trim() == want {
            self.log
                .info("[cache] Using cached compressed file for rootfs.img")?;
        } else {
            self.log
                .info("[warm] No warm file found for rootfs.img at current version")?;
            self.log
                .info("[cache] No cached compressed file for rootfs.img")?;
            self.log.info("rootfs.img not found, downloading...")?;
            self.left.extend(Self::download());
        }
        Ok(())
    }

    fn download() -> [Phase; 5] {
        [
            Phase::DownloadBegins,
            Phase::Download(45),
            Phase::Download(75),
            Phase::Download(99),
            Phase::Downloaded,
        ]
    }

    /// Puts phases before all that are left.
    fn first(&mut self, phases: impl IntoIterator<IntoIter: DoubleEndedIterator<Item = Phase>>) {
        for phase in phases.into_iter().rev() {
            self.left.push_front(phase);
        }
    }

    fn warm(&self) -> PathBuf {
        let folder = self.script.warm().join(&self.script.want);
        folder.join("rootfs.img.zst")
    }

    /// Takes the next step.
    ///
    /// # Errors
    /// Where the bundle cannot be written: not a misbehaviour, something real.
    pub fn step(&mut self) -> Result<Step, Error> {
        let Some(phase) = self.left.pop_front() else {
            return Ok(Step::Done);
        };
        match phase {
            Phase::Promote => {
                self.log
                    .info("[warm] Promoting warm file for rootfs.img.zst")?;
                fs::rename(self.warm(), self.bundle.join("rootfs.img.zst"))?;
                fs::write(origin(&self.bundle, "rootfs.img.zst"), &self.script.want)?;
            }
            Phase::DownloadBegins => {
                self.downloads += 1;
                self.log.info("Downloading rootfs.img...")?;
                self.log.info(&format!(
                    "[download:{}] Starting download from https://downloads.invalid/vms/linux/x64/{}/rootfs.img.zst",
                    self.downloads, self.script.want
                ))?;
                let _empty = File::create(self.partial()?)?;
            }
            Phase::Download(75) if self.script.does(Misbehaviour::NoSpace) => {
                // An empty `.partial` is what was left behind (#89869).
                File::create(self.partial()?)?.set_len(0)?;
                return self.no_space();
            }
            Phase::Download(percent) => {
                let megabytes = u64::from(self.script.download_mb);
                let bytes = megabytes * 1_000_000 * u64::from(percent) / 100;
                let file = File::options().write(true).open(self.partial()?)?;
                file.set_len(bytes)?;
                let got = megabytes * u64::from(percent) / 100;
                self.log.info(&format!(
                    "[download:{}] {percent}.0% ({got}.0/{megabytes}.0 MB) avg 24.10 MB/s, ETA 5s",
                    self.downloads
                ))?;
                if self.script.does(Misbehaviour::DownloadHangs) {
                    self.left.clear();
                    return Ok(Step::Hangs);
                }
            }
            Phase::Downloaded => {
                let partial = self.partial()?;
                if self.script.does(Misbehaviour::ChecksumLoop) {
                    self.log.error("Checksum mismatch for rootfs.img.zst")?;
                    fs::remove_file(partial)?;
                    self.first(Self::download());
                } else {
                    let bytes = u64::from(self.script.download_mb) * 1_000_000;
                    File::options().write(true).open(&partial)?.set_len(bytes)?;
                    self.log.info("rootfs.img.zst checksum validated")?;
                    fs::rename(partial, self.bundle.join("rootfs.img.zst"))?;
                    fs::write(origin(&self.bundle, "rootfs.img.zst"), &self.script.want)?;
                    self.log
                        .info("[downloadVM] Saved compressed rootfs.img to cache")?;
                }
            }
            Phase::UnpackBegins(_) if self.script.does(Misbehaviour::NoSpace) => {
                return self.no_space();
            }
            Phase::UnpackBegins(name) => {
                let file = File::create(self.temp()?.join(name))?;
                file.set_len(if name == "rootfs.img" {
                    64 << 20
                } else {
                    1 << 20
                })?;
            }
            Phase::Unpacked(name) => self.unpacked(name)?,
            Phase::SessionDisk if self.script.does(Misbehaviour::NoSessionDisk) => {
                let disk = self.bundle.join("sessiondata.img");
                return self.failed(&format!("session disk not found: {}", disk.display()));
            }
            Phase::SessionDisk => {
                let new = self.bundle.join("sessiondata.img");
                match &self.script.sessions_template {
                    Some(template) => copy_sparse(template, &new)?,
                    None => Ext4::sessions(self.script.sessions_size, 0.0, vec![]).make(&new)?,
                }
            }
            Phase::FilesReady => {
                if let Some(temp) = self.temp.take() {
                    fs::remove_dir_all(temp)?;
                }
                let bundle = self.bundle.display();
                self.log.info(&format!("All files ready in {bundle}"))?;
                self.log
                    .info("[VM:steps] download_and_sdk_prepare completed (26577ms)")?;
            }
            Phase::Boot => return Ok(Step::Boot),
        }
        Ok(Step::Did(phase))
    }

    fn unpacked(&mut self, name: &'static str) -> Result<(), Error> {
        let new = self.temp()?.join(name);
        let image = name == "rootfs.img";
        if image && self.script.does(Misbehaviour::ExdevLoop) {
            self.log.error(&format!(
                "EXDEV: cross-device link not permitted, rename '{}' -> '{}'",
                new.display(),
                self.bundle.join(name).display()
            ))?;
            let again = [Phase::UnpackBegins(name), Phase::Unpacked(name)];
            self.first(again);
            return Ok(());
        }
        if image && self.script.does(Misbehaviour::ChecksumLoop) {
            self.log.error("Checksum mismatch for rootfs.img.zst")?;
            fs::remove_file(new)?;
            remove(&self.bundle.join("rootfs.img.zst"))?;
            remove(&origin(&self.bundle, "rootfs.img.zst"))?;
            let again = [Phase::UnpackBegins(name), Phase::Unpacked(name)];
            self.first(again);
            self.first(Self::download());
            return Ok(());
        }
        if image {
            fs::remove_file(&new)?;
            match &self.script.system_template {
                Some(template) => copy_sparse(template, &new)?,
                None => system(&new, self.script.system_size, 40.0)?,
            }
        } else {
            let packed = format!("{name}.zst");
            if !self.bundle.join(&packed).exists() {
                self.log
                    .info(&format!("{name} not found, downloading..."))?;
                self.log.info(&format!("Downloading {name}..."))?;
                self.log.info(&format!("{packed} checksum validated"))?;
                File::create(self.bundle.join(&packed))?.set_len(14_100_000)?;
            }
            File::options()
                .write(true)
                .open(&new)?
                .set_len(14_900_000)?;
        }
        fs::rename(new, self.bundle.join(name))?;
        fs::write(origin(&self.bundle, name), &self.script.want)
    }

    /// `.wvm-tmp-XXXXXX`, made when first needed.
    fn temp(&mut self) -> Result<PathBuf, Error> {
        if let Some(temp) = &self.temp {
            return Ok(temp.clone());
        }
        let made = tempfile::Builder::new()
            .prefix(".wvm-tmp-")
            .rand_bytes(6)
            .tempdir_in(&self.bundle)?
            .keep();
        self.temp = Some(made.clone());
        Ok(made)
    }

    fn partial(&mut self) -> Result<PathBuf, Error> {
        Ok(self.temp()?.join("rootfs.img.zst.partial"))
    }

    fn no_space(&mut self) -> Result<Step, Error> {
        self.failed("ENOSPC: no space left on device, write")
    }

    fn failed(&mut self, cause: &str) -> Result<Step, Error> {
        self.left.clear();
        self.log.error(cause)?;
        self.log.error(&format!(
            "[VM:steps] download_and_sdk_prepare failed (26577ms): {cause}"
        ))?;
        self.log
            .error(&format!("[VM:start] Startup failed: Error: {cause}"))?;
        Ok(Step::Failed(cause.to_owned()))
    }
}

/// Removes a file that may be gone already.
pub(crate) fn remove(path: &std::path::Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

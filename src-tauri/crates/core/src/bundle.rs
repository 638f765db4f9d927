//! What was found: bundles of disk images, temp roots, volumes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bytes::{Allocated, Apparent};
use crate::inside::{DiskId, DiskSizes};
use crate::paths::PathText;

/// What a file of a bundle is for. Names and sizes: facts of the VM §1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The guest's system disk, `rootfs.*`.
    System,
    /// The guest's `/sessions` disk, `sessiondata.*`: treat as user data.
    SessionData,
    /// A packed copy (`*.zst`), kept so that a rebuild needs no download.
    Archive,
    /// Kernel or boot ramdisk.
    Boot,
    /// The read-only tool disk, `smol-bin.*`.
    Tools,
    /// Which VM release a file came from, `.<file>.origin`; must travel with its file.
    Origin,
    /// `.auto_reinstall_attempted`: while present the app refuses to repair itself (#93385).
    Latch,
    /// Identity and firmware of the VM.
    Identity,
    /// A download in progress, or its litter.
    Partial,
    /// The abandoned 50 GB sparse `condadata.*`.
    Cache,
    /// Anything else.
    Other,
}

impl Role {
    /// The role of a file by its name inside `claudevm.bundle`.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        if name.ends_with(".partial") || name.starts_with(".wvm-tmp-") || name.starts_with("wvm-") {
            Self::Partial
        } else if name.starts_with('.') && name.ends_with(".origin") {
            Self::Origin
        } else if name == ".auto_reinstall_attempted" {
            Self::Latch
        } else if name.ends_with(".zst") {
            Self::Archive
        } else {
            match stem {
                "rootfs" => Self::System,
                "sessiondata" => Self::SessionData,
                "condadata" => Self::Cache,
                "smol-bin" => Self::Tools,
                "vmlinuz" | "initrd" | "initrd-micro" => Self::Boot,
                "efivars" | "machineIdentifier" | "macAddress" | "gvisorMacAddress" | "vmIP" => {
                    Self::Identity
                }
                _ => Self::Other,
            }
        }
    }
}

/// One file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct BundleFile {
    /// Its name inside the bundle.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Length as `ls -l` says.
    pub apparent: Apparent,
    /// Blocks taken on the host.
    pub allocated: Allocated,
}

/// Which installation a bundle belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// The ordinary profile, `Claude`.
    Claude,
    /// Third-party inference, `Claude-3p`; lives beside the ordinary one.
    #[serde(rename = "claude_3p")]
    Claude3p,
    /// A `--user-data-dir` named in the settings or by a launcher.
    Extra,
}

/// Why a data folder that exists is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Detour {
    /// A symbolic link, junction or other reparse point stands in its path; reported, measured, never moved through (#67512).
    Link,
}

/// A folder of images and companions that belong together: one `claudevm.bundle`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Stable name: the token of its canonical path.
    pub id: String,
    /// Canonical path of `claudevm.bundle`.
    pub path: PathBuf,
    /// The installation it belongs to.
    pub profile: Profile,
    /// The one the app uses now: held open, else the most recently written.
    pub live: bool,
    /// A link stands in the path that leads to it.
    pub detour: Option<Detour>,
    /// Its files, sorted by name.
    pub files: Vec<BundleFile>,
}

/// Why a directory is watched as a temp root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum RootWhy {
    /// The system's temp folder.
    SystemTemp,
    /// Named by `TMPDIR`, `TEMP` or `TMP`.
    UserTemp,
    /// Claude Code's own root, `claude-<uid>` or `claude`.
    ClaudeTemp,
    /// Named by `CLAUDE_CODE_TMPDIR` or `CLAUDE_TMPDIR`.
    ClaudeOverride,
    /// `jobs/<id>/tmp` below a Claude configuration folder.
    JobTemp,
    /// Named in the settings or in a `--machine` file.
    Configured,
}

/// Who owns a temp root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// This user.
    Own,
    /// The system (root).
    System,
    /// Another user: measured where readable, never acted on (#20139).
    Foreign,
    /// The system does not say.
    Unknown,
}

/// A directory in which leftovers gather.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TempRoot {
    /// Stable name: the token of its canonical path.
    pub id: String,
    /// Canonical path.
    pub path: PathBuf,
    /// Why it is watched.
    pub why: RootWhy,
    /// Who owns it.
    pub owner: Owner,
    /// Filesystem type as the system names it (`ext4`, `tmpfs`, `apfs`); empty where unknown.
    pub filesystem: String,
    /// The filesystem lives in memory.
    pub memory: bool,
}

/// A mounted filesystem that holds something we watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// Stable name: the token of its mount point.
    pub id: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// Filesystem type as the system names it.
    pub filesystem: String,
    /// The filesystem lives in memory (tmpfs, ramfs).
    pub memory: bool,
}

/// A disk of a bundle, looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct BundleDisk {
    /// What to call it in commands; the id of its gauge of bytes.
    pub disk: DiskId,
    /// The name of its image inside the bundle.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its three sizes, and why they differ.
    #[serde(flatten)]
    pub sizes: DiskSizes,
}

/// A bundle as surfaces show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct BundleView {
    /// Stable name.
    pub id: String,
    /// Path of `claudevm.bundle`.
    #[serde(flatten)]
    pub path: PathText,
    /// The installation it belongs to.
    pub profile: Profile,
    /// The one the app uses now.
    pub live: bool,
    /// A link stands in its path.
    pub detour: Option<Detour>,
    /// Its files, sorted by name.
    pub files: Vec<BundleFile>,
    /// The disks that the guest uses, looked into; empty where nobody did.
    pub disks: Vec<BundleDisk>,
}

/// A temp root as surfaces show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct TempRootView {
    /// Stable name.
    pub id: String,
    /// Canonical path.
    #[serde(flatten)]
    pub path: PathText,
    /// Why it is watched.
    pub why: RootWhy,
    /// Who owns it.
    pub owner: Owner,
    /// Filesystem type; empty where unknown.
    pub filesystem: String,
    /// The filesystem lives in memory.
    pub memory: bool,
}

impl From<&Bundle> for BundleView {
    fn from(bundle: &Bundle) -> Self {
        Self {
            id: bundle.id.clone(),
            path: PathText::new(&bundle.path),
            profile: bundle.profile.clone(),
            live: bundle.live,
            detour: bundle.detour,
            files: bundle.files.clone(),
            disks: Vec::new(),
        }
    }
}

impl From<&TempRoot> for TempRootView {
    fn from(root: &TempRoot) -> Self {
        Self {
            id: root.id.clone(),
            path: PathText::new(&root.path),
            why: root.why,
            owner: root.owner,
            filesystem: root.filesystem.clone(),
            memory: root.memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_the_names_seen_on_disks() {
        for (name, role) in [
            ("rootfs.img", Role::System),
            ("rootfs.vhdx", Role::System),
            ("rootfs.vhdx.zst", Role::Archive),
            ("rootfs.img.zst.partial", Role::Partial),
            (".wvm-tmp-a1B2c3", Role::Partial),
            ("sessiondata.img", Role::SessionData),
            ("sessiondata.vhdx", Role::SessionData),
            (".rootfs.img.origin", Role::Origin),
            (".rootfs.img.zst.origin", Role::Origin),
            (".auto_reinstall_attempted", Role::Latch),
            ("vmlinuz", Role::Boot),
            ("initrd.zst", Role::Archive),
            ("initrd-micro", Role::Boot),
            ("smol-bin.vhdx", Role::Tools),
            ("efivars.fd", Role::Identity),
            ("condadata.img", Role::Cache),
            ("notes.txt", Role::Other),
        ] {
            assert_eq!(Role::of(name), role, "{name}");
        }
    }
}

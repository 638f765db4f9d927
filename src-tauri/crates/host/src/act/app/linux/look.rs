//! Looks into `/proc`. What has vanished between two looks is none of ours: `None`.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use super::super::proc::{CommandLine, Stat, Table, effective_uid, undeleted};

/// A file, whatever its name: device and inode, both as `stat` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) device: (u32, u32),
    pub(super) inode: u64,
}

/// Who a file is. `NOFOLLOW` is for names on disk; the links in `/proc` lead to the open file itself.
/// Asks no server: a network filesystem that hangs must not hang us.
pub(super) fn identity(path: &Path, flags: AtFlags) -> io::Result<Identity> {
    let flags = flags | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    let seen = statx(CWD, path, flags, StatxFlags::INO)?;
    Ok(Identity {
        device: (seen.stx_dev_major, seen.stx_dev_minor),
        inode: seen.stx_ino,
    })
}

pub(super) fn folder(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// Every process that may be listed.
///
/// # Errors
/// Where there is no `/proc`, or one that hides even ourselves: then nothing can be said of anybody.
pub(super) fn processes() -> Result<Table, String> {
    let mut table = Table::new();
    for pid in numbers()? {
        if let Some(stat) = stat(pid) {
            table.insert(pid, stat);
        }
    }
    if table.contains_key(&std::process::id()) {
        Ok(table)
    } else {
        Err("/proc does not show this user's processes".to_owned())
    }
}

/// Numbers of the processes that may be listed.
pub(super) fn numbers() -> Result<Vec<u32>, String> {
    // A sandbox has processes of its own numbering and shows nothing of those outside.
    if Path::new("/.flatpak-info").exists() {
        return Err("this program runs in a Flatpak and sees no other processes".to_owned());
    }
    let entries = fs::read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    Ok(entries
        .flatten()
        .filter_map(|entry| {
            str::from_utf8(entry.file_name().as_bytes())
                .ok()?
                .parse()
                .ok()
        })
        .collect())
}

pub(super) fn stat(pid: u32) -> Option<Stat> {
    Stat::parse(&fs::read(folder(pid).join("stat")).ok()?)
}

/// Whether it has our rights.
pub(super) fn is_own(pid: u32) -> bool {
    fs::read(folder(pid).join("status"))
        .ok()
        .and_then(|status| effective_uid(&status))
        == Some(rustix::process::geteuid().as_raw())
}

/// The path of its executable, without the mark of one that an update has replaced. `None` where it
/// may not be looked into.
pub(super) fn executable(pid: u32) -> Option<PathBuf> {
    let shown = fs::read_link(folder(pid).join("exe")).ok()?;
    Some(undeleted(shown.as_os_str().as_bytes()).0)
}

/// How it was started. `None` where it does not say.
pub(super) fn command_line(pid: u32, executable: &Path) -> Option<CommandLine> {
    let text = fs::read(folder(pid).join("cmdline")).ok()?;
    (!text.is_empty()).then(|| CommandLine::parse(&text, executable))
}

/// A variable of the environment it was started with.
pub(super) fn variable(pid: u32, name: &str) -> Option<Vec<u8>> {
    let environment = fs::read(folder(pid).join("environ")).ok()?;
    environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = variable.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(value.to_vec())
    })
}

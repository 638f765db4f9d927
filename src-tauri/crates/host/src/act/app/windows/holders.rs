//! Who holds a file: the Restart Manager names processes, an exclusive open proves that there is none.

#![allow(unsafe_code, reason = "the Restart Manager has no safe wrapper")]

use std::fs::{self, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sandtray_core::act::refusal::Holder;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;
use windows_sys::Win32::Foundation::{
    ERROR_LOCK_VIOLATION, ERROR_MORE_DATA, ERROR_SHARING_VIOLATION, ERROR_SUCCESS,
};
use windows_sys::Win32::System::RestartManager::{
    CCH_RM_SESSION_KEY, RM_PROCESS_INFO, RmEndSession, RmGetList, RmRegisterResources,
    RmStartSession,
};

use super::super::Held;

/// What the VM and its companions are called, in small letters.
const VM: [&str; 5] = [
    "vmwp",
    "vmmem",
    "cowork-svc",
    "coworkvmservice",
    "vmcompute",
];

pub(in super::super) fn holders(_machine: &Machine, _claude: &Claude, files: &[PathBuf]) -> Held {
    holders_of(files)
}

/// The same for any files.
pub(crate) fn holders_of(files: &[PathBuf]) -> Held {
    match found(files) {
        Ok(holders) if holders.is_empty() => Held::No,
        Ok(holders) => Held::By(holders),
        Err(cause) => Held::Unknown(cause),
    }
}

fn found(files: &[PathBuf]) -> Result<Vec<Holder>, String> {
    let mut holders = Vec::new();
    for file in expand(files)? {
        let failed = |error: io::Error| format!("{}: {error}", file.display());
        if is_free(&file).map_err(failed)? {
            continue;
        }
        let named = processes(&file).unwrap_or_default();
        let own = std::process::id();
        let others: Vec<Holder> = named
            .into_iter()
            .filter(|holder| holder.pid != own)
            .collect();
        if others.is_empty() {
            // A VM's disk is attached by the system: nobody is named, and it is held all the same.
            holders.push(Holder {
                pid: 0,
                name: "a process that this user cannot see".to_owned(),
                file: Some((&file).into()),
                vm: false,
            });
        }
        holders.extend(others);
    }
    holders.sort_by_key(|holder| holder.pid);
    holders.dedup_by_key(|holder| holder.pid);
    Ok(holders)
}

/// The files as they are, and folders with everything in them; no reparse point is followed.
fn expand(files: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = files.to_vec();
    while let Some(path) = waiting.pop() {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        match fs::symlink_metadata(&path) {
            Ok(seen) if seen.is_dir() => {
                for entry in fs::read_dir(&path).map_err(failed)? {
                    waiting.push(entry.map_err(failed)?.path());
                }
            }
            Ok(seen) if seen.is_file() => found.push(path),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(found)
}

/// Whether it can be opened with nobody else beside us.
fn is_free(file: &Path) -> io::Result<bool> {
    match OpenOptions::new().read(true).share_mode(0).open(file) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => match error
            .raw_os_error()
            .and_then(|code| u32::try_from(code).ok())
        {
            Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION) => Ok(false),
            _ => Err(error),
        },
    }
}

/// A session of the Restart Manager, ended when dropped.
struct Session(u32);

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the session was started and not yet ended.
        unsafe { RmEndSession(self.0) };
    }
}

/// Who has it open, as far as the Restart Manager knows. It is only asked, and restarts nothing.
fn processes(file: &Path) -> io::Result<Vec<Holder>> {
    const KEY: usize = 33;
    const { assert!(KEY > 32 && CCH_RM_SESSION_KEY == 32) };
    let check = |code: u32| match code {
        ERROR_SUCCESS => Ok(()),
        code => Err(io::Error::from_raw_os_error(code.cast_signed())),
    };
    let (mut handle, mut key) = (0_u32, [0_u16; KEY]);
    // SAFETY: the key has room for what the manager writes, its end included.
    check(unsafe { RmStartSession(&raw mut handle, 0, key.as_mut_ptr()) })?;
    let session = Session(handle);
    let wide: Vec<u16> = file.as_os_str().encode_wide().chain([0]).collect();
    let names = [wide.as_ptr()];
    // SAFETY: one name is given, and it ends with a NUL; the other lists are empty.
    check(unsafe {
        RmRegisterResources(
            session.0,
            1,
            names.as_ptr(),
            0,
            std::ptr::null(),
            0,
            std::ptr::null(),
        )
    })?;
    let mut list: Vec<RM_PROCESS_INFO> = vec![RM_PROCESS_INFO::default(); 16];
    // More may come while we ask; twice is enough to name somebody.
    for _ in 0..2 {
        let (mut needed, mut reasons) = (0_u32, 0_u32);
        let mut filled = u32::try_from(list.len()).map_err(io::Error::other)?;
        // SAFETY: the list has as many places as it is said to have.
        let code = unsafe {
            RmGetList(
                session.0,
                &raw mut needed,
                &raw mut filled,
                list.as_mut_ptr(),
                &raw mut reasons,
            )
        };
        if code == ERROR_MORE_DATA {
            let room = usize::try_from(needed).map_err(io::Error::other)? + 8;
            list.resize(room, RM_PROCESS_INFO::default());
            continue;
        }
        check(code)?;
        let filled = usize::try_from(filled).map_err(io::Error::other)?;
        return Ok(list
            .iter()
            .take(filled)
            .map(|seen| holder(file, seen))
            .collect());
    }
    Err(io::Error::other("more processes than could be listed"))
}

fn holder(file: &Path, seen: &RM_PROCESS_INFO) -> Holder {
    let text = |wide: &[u16]| {
        let end = wide
            .iter()
            .position(|unit| *unit == 0)
            .unwrap_or(wide.len());
        String::from_utf16_lossy(wide.get(..end).unwrap_or_default())
    };
    let (name, service) = (text(&seen.strAppName), text(&seen.strServiceShortName));
    let vm = VM
        .iter()
        .any(|known| name.to_lowercase().starts_with(known) || service.to_lowercase() == *known);
    Holder {
        pid: seen.Process.dwProcessId,
        name: if name.is_empty() { service } else { name },
        file: Some(file.into()),
        vm,
    }
}

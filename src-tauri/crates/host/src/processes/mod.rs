//! What this user's processes say about storage: files they hold open, folders they name.
//!
//! Reads only; a process that cannot be read is left out, because both answers here only *add* to
//! what is shown. Nothing is removed on the strength of this module.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders named in the environments of this user's processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// `CLAUDE_CONFIG_DIR`s: several may be in use side by side.
    pub config_dirs: BTreeSet<PathBuf>,
    /// `CLAUDE_CODE_TMPDIR`s and `CLAUDE_TMPDIR`s.
    pub temp_dirs: BTreeSet<PathBuf>,
}

impl Named {
    /// Takes what one environment says: `NAME=value`, separated by NUL.
    fn add(&mut self, environment: &[u8]) {
        for variable in environment.split(|byte| *byte == 0) {
            let Some(equals) = variable.iter().position(|byte| *byte == b'=') else {
                continue;
            };
            let (name, value) = (&variable[..equals], &variable[equals + 1..]);
            let set = match name {
                b"CLAUDE_CONFIG_DIR" => &mut self.config_dirs,
                b"CLAUDE_CODE_TMPDIR" | b"CLAUDE_TMPDIR" => &mut self.temp_dirs,
                _ => continue,
            };
            if let Some(path) = path(value).filter(|path| path.is_absolute()) {
                set.insert(path);
            }
        }
    }
}

/// Folders that this user's processes name. Shows what was set when each process started.
#[must_use]
pub fn named() -> Named {
    system::named()
}

/// Which of `files` some process has open. `None` where this system cannot say.
#[must_use]
pub fn held(files: &[PathBuf]) -> Option<BTreeSet<PathBuf>> {
    system::held(files)
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned())
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    str::from_utf8(bytes)
        .ok()
        .map(|text| Path::new(text).to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn environments_name_folders_and_nothing_else_counts() {
        let mut named = Named::default();
        named.add(b"HOME=/root\0CLAUDE_CONFIG_DIR=/c\0CLAUDE_CODE_TMPDIR=/t\0XCLAUDE_TMPDIR=/no\0CLAUDE_TMPDIR=rel\0junk\0");
        assert_eq!(named.config_dirs, BTreeSet::from(["/c".into()]));
        assert_eq!(named.temp_dirs, BTreeSet::from(["/t".into()]));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_is_open_is_held_and_its_neighbour_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (open, closed) = (
            dir.path().join("rootfs.img"),
            dir.path().join("sessiondata.img"),
        );
        let file = std::fs::File::create(&open).unwrap();
        std::fs::write(&closed, "x").unwrap();
        let files = [open.clone(), closed];
        assert_eq!(held(&files), Some(BTreeSet::from([open])));
        drop(file);
        assert_eq!(held(&files), Some(BTreeSet::new()));
    }
}

//! What Linux says about processes, as values: the texts of `/proc` and `/sys`, parsed on every system.
//!
//! A process writes its own name and arguments, so every text is hostile: what does not fit is left out
//! and nothing panics.

mod command_line;
mod kinship;
mod maps;
mod stat;

use std::path::{Path, PathBuf};

pub(super) use command_line::CommandLine;
pub(super) use kinship::{Kin, Names, Table, kin};
pub(crate) use maps::{Mapping, maps};
pub(crate) use stat::Stat;
pub(super) use stat::effective_uid;

/// What the kernel puts behind the path of a file that has no name any more.
const DELETED: &[u8] = b" (deleted)";

/// A path as the kernel shows it, without its mark of a deleted file, and whether it had one. An update
/// replaces the executable of a running app, which is then "deleted" and the app all the same.
pub(crate) fn undeleted(shown: &[u8]) -> (PathBuf, bool) {
    match shown.strip_suffix(DELETED) {
        Some(path) => (path_of(path), true),
        None => (path_of(shown), false),
    }
}

/// The file behind a loop device, as `/sys/block/loop*/loop/backing_file` tells it.
pub(crate) fn backing_file(text: &[u8]) -> Option<PathBuf> {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let (path, _) = undeleted(line);
    path.is_absolute().then_some(path)
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    Path::new(&*String::from_utf8_lossy(bytes)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_a_deleted_file_is_no_part_of_its_name() {
        let app = Path::new("/usr/lib/claude-desktop/claude-desktop");
        assert_eq!(
            undeleted(b"/usr/lib/claude-desktop/claude-desktop (deleted)"),
            (app.to_owned(), true)
        );
        assert_eq!(
            undeleted(b"/usr/lib/claude-desktop/claude-desktop"),
            (app.to_owned(), false)
        );
        assert_eq!(undeleted(b" (deleted)"), (PathBuf::new(), true));
    }

    #[test]
    #[cfg(unix)]
    fn a_loop_device_names_its_file_with_and_without_a_name_on_disk() {
        let file = Some("/home/ada/sessiondata.img".into());
        assert_eq!(backing_file(b"/home/ada/sessiondata.img\n"), file);
        assert_eq!(backing_file(b"/home/ada/sessiondata.img (deleted)\n"), file);
        assert_eq!(backing_file(b"\n"), None);
        assert_eq!(backing_file(b""), None);
    }
}

//! The trash, where it is one rename away: the freedesktop.org home trash, on the copy's own volume.
//!
//! macOS and Windows: their trash is reached through calls that may copy, ask, or remove for good what does
//! not fit, so there it is for good or not at all, until that is proven.

use std::path::{Path, PathBuf};

use sandtray_core::act::RefusalKind;
use sandtray_core::machine::{Machine, Os};
use sandtray_core::time::Time;

use super::super::hands::Hands;
use super::super::look;

/// Where a copy goes in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Place {
    /// Its new path.
    pub(in super::super) to: PathBuf,
}

/// The place in the trash for a copy.
pub(in super::super) fn place(
    machine: &Machine,
    copy: &Path,
    id: &str,
) -> Result<Place, RefusalKind> {
    let refused = |cause: &str| RefusalKind::NoTrash {
        cause: cause.to_owned(),
    };
    if machine.os != Os::Linux {
        return Err(refused("it is not known to be a plain move on this system"));
    }
    let trash = machine.folders.local.join("Trash");
    let files = trash.join("files");
    let device = |path: &Path| match look::at(path) {
        Ok(Some(seen)) if seen.folder && !seen.link && seen.owner == Some(machine.uid) => {
            Some(seen.identity.device)
        }
        _ => None,
    };
    let (Some(of_files), Some(_)) = (device(&files), device(&trash.join("info"))) else {
        return Err(refused("there is no trash of this user"));
    };
    if device(copy) != Some(of_files) {
        return Err(refused("the trash is on another volume"));
    }
    let to = files.join(format!("sandtray-parked-{id}"));
    if to.symlink_metadata().is_ok() || info(&to).is_none_or(|info| info.exists()) {
        return Err(refused("its name is taken in the trash"));
    }
    Ok(Place { to })
}

/// The file that tells the trash where something came from.
fn info(to: &Path) -> Option<PathBuf> {
    let mut name = to.file_name()?.to_owned();
    name.push(".trashinfo");
    Some(to.parent()?.parent()?.join("info").join(name))
}

/// Announces a copy to the trash; the move itself follows.
pub(in super::super) fn announce(
    hands: &Hands,
    from: &Path,
    to: &Path,
    at: Time,
) -> std::io::Result<()> {
    let Some(info) = info(to) else { return Ok(()) };
    let text = format!(
        "[Trash Info]\nPath={}\nDeletionDate={}\n",
        encoded(from.as_os_str().as_encoded_bytes()),
        at.utc().replace(' ', "T") + ":00"
    );
    hands.write_new_synced(&info, text.as_bytes())
}

/// Takes the announcement back, where the copy never arrived.
pub(in super::super) fn retract(hands: &Hands, to: &Path) -> std::io::Result<()> {
    match info(to) {
        Some(info) if to.symlink_metadata().is_err() && info.symlink_metadata().is_ok() => {
            hands.remove_file(&info)?;
            hands.sync_parent(&info)
        }
        _ => Ok(()),
    }
}

/// A path as the trash specification writes it: percent-encoded.
fn encoded(path: &[u8]) -> String {
    path.iter()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                char::from(*byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_the_trash_reads_them() {
        assert_eq!(encoded(b"/a b/\xff~"), "/a%20b/%FF~");
    }
}

//! Paths inside a disk, and names that are encrypted.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::names;
use crate::disk::ext4::{Ext4, Inode, Kind, ROOT, flag};
use crate::error::{Cause, Failure};

/// Finds what `path` names. Links on the way are not followed: their targets are the guest's.
///
/// # Errors
/// Not found, not a directory; corrupt where a folder on the way is damaged and lacks the name.
pub(crate) fn resolve(ext4: &Ext4<'_>, image: &Path, path: &[u8]) -> Result<Inode, Failure> {
    walk(ext4, path, &mut |_| {}).map_err(|cause| {
        let shown = format!("{}:{}", image.display(), String::from_utf8_lossy(path));
        let failure = Failure::new("look inside the disk image at", Path::new(&shown), cause);
        match &failure.cause {
            Cause::Io(_) => {
                failure.hint("List the folder above it with `disk ls` to see what is there.")
            }
            _ => failure,
        }
    })
}

/// Finds what `path` names if it is still the inode `number`; tells each inode on the way. None where
/// the path names something else by now, or nothing.
///
/// # Errors
/// As [`walk`], where it cannot be told.
pub(crate) fn again(
    ext4: &Ext4<'_>,
    path: &[u8],
    number: u32,
    on_way: &mut dyn FnMut(u32),
) -> Result<Option<Inode>, Cause> {
    match walk(ext4, path, on_way) {
        Ok(inode) => Ok(Some(inode).filter(|inode| inode.number == number)),
        Err(Cause::Io(error))
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(cause) => Err(cause),
    }
}

fn walk(ext4: &Ext4<'_>, path: &[u8], on_way: &mut dyn FnMut(u32)) -> Result<Inode, Cause> {
    let mut inode = ext4.inode(ROOT)?;
    for wanted in names(path) {
        if inode.kind() != Kind::Dir {
            return Err(Cause::Io(io::ErrorKind::NotADirectory.into()));
        }
        let mut found = None;
        let mut damage = None;
        ext4.read_directory(
            &inode,
            &mut |name| {
                if found.is_none() && *child_name(&inode, name.name) == *wanted {
                    found = Some(name.inode);
                }
            },
            &mut |cause| damage = Some(cause),
        );
        inode = match (found, damage) {
            (Some(number), _) => ext4.inode(number)?,
            (None, Some(cause)) => return Err(cause),
            (None, None) => return Err(Cause::Io(io::ErrorKind::NotFound.into())),
        };
        on_way(inode.number);
    }
    Ok(inode)
}

/// The name a surface uses for a name in the folder `parent`: what is encrypted is not text, so it is shown
/// as base64 of what the disk holds.
pub(crate) fn child_name<'a>(parent: &Inode, name: &'a [u8]) -> Cow<'a, [u8]> {
    if parent.has(flag::ENCRYPTED) {
        Cow::Owned(URL_SAFE_NO_PAD.encode(name).into_bytes())
    } else {
        Cow::Borrowed(name)
    }
}

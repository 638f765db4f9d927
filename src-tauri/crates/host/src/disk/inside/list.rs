//! One folder's names, as `ls -la` would show them.

use std::path::Path;

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::inside::{INSIDE_SCHEMA, Item, ListView, join};
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;

use super::{MOST_GAPS, absolute, child_name, gap, kind, resolve};
use crate::disk::ext4::{Ext4, Inode, Kind, flag};
use crate::error::{Cause, Failure};

pub(super) fn list(ext4: &Ext4<'_>, image: &Path, path: &[u8]) -> Result<ListView, Failure> {
    let path = absolute(path);
    let folder = resolve(ext4, image, &path)?;
    let mut view = ListView {
        schema: INSIDE_SCHEMA,
        path: PathText::from_bytes(&path),
        entries: Vec::new(),
        gaps: Vec::new(),
        complete: true,
    };
    let broken = |view: &mut ListView, path: &[u8], cause: Cause| {
        view.complete = false;
        if view.gaps.len() < MOST_GAPS {
            view.gaps.push(gap(path, &cause));
        }
    };
    if folder.kind() != Kind::Dir {
        let (item, cause) = item(ext4, &folder, &path, false);
        view.entries.push(item);
        if let Some(cause) = cause {
            broken(&mut view, &path, cause);
        }
        return Ok(view);
    }
    let mut names: Vec<(Vec<u8>, u32)> = Vec::new();
    let mut damage = Vec::new();
    ext4.read_directory(
        &folder,
        &mut |name| names.push((child_name(&folder, name.name).into_owned(), name.inode)),
        &mut |cause| damage.push(cause),
    );
    for cause in damage {
        broken(&mut view, &path, cause);
    }
    names.sort_unstable();
    for (name, number) in names {
        let path = join(&path, &name);
        match ext4.inode(number) {
            Ok(inode) => {
                let (item, cause) = item(ext4, &inode, &path, folder.has(flag::ENCRYPTED));
                view.entries.push(item);
                if let Some(cause) = cause {
                    broken(&mut view, &path, cause);
                }
            }
            Err(cause) => broken(&mut view, &path, cause),
        }
    }
    Ok(view)
}

fn item(ext4: &Ext4<'_>, inode: &Inode, path: &[u8], encrypted: bool) -> (Item, Option<Cause>) {
    let (target, cause) = match inode.kind() {
        Kind::Symlink => match ext4.target(inode) {
            Ok(target) => (Some(PathText::from_bytes(&target)), None),
            // That it cannot be shown is said by the flag, and is no damage.
            Err(Cause::Unsupported(_)) => (None, None),
            Err(cause) => (None, Some(cause)),
        },
        _ => (None, None),
    };
    let item = Item {
        path: PathText::from_bytes(path),
        kind: kind(inode.kind()),
        mode: inode.mode,
        uid: inode.uid,
        gid: inode.gid,
        size: Apparent(inode.size),
        allocated: Allocated(inode.sectors.saturating_mul(512)),
        mtime: Time(inode.modified),
        inode: inode.number,
        links: inode.links,
        target,
        encrypted,
    };
    (item, cause)
}

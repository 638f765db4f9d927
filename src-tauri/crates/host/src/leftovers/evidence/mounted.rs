//! What the mounts of one namespace come from and stand on, as places inside filesystems.
//!
//! A sandbox's own paths mean nothing outside of it; the filesystem and the path in it are the same
//! everywhere (#96129). So a mount's source is its device and root, and what it stands on is worked out
//! from the mount below it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sandtray_core::leftover::evidence::Inside;

use crate::volume::mountinfo::Mount;

/// What the kernel puts behind the source of a mount whose directory has been removed.
const DELETED: &[u8] = b"//deleted";

/// Adds the sources of these mounts, and what they stand on.
pub(super) fn add(mounts: &[Mount], sources: &mut BTreeSet<Inside>, points: &mut BTreeSet<Inside>) {
    let by_id: BTreeMap<u64, &Mount> = mounts.iter().map(|mount| (mount.id, mount)).collect();
    for mount in mounts {
        let Some(device) = numbers(&mount.device) else {
            continue;
        };
        sources.insert(Inside {
            device,
            path: undeleted(&mount.root).to_vec(),
        });
        // What a namespace's own root stands on is not shown, and is nothing in it.
        let below = by_id
            .get(&mount.parent)
            .filter(|below| below.id != mount.id);
        if let Some(point) = below.and_then(|below| within(below, bytes(&mount.point))) {
            points.insert(point);
        }
    }
}

/// A path of the namespace, as the filesystem of the mount on which it lies names it. None where it does
/// not lie below the mount.
pub(super) fn within(mount: &Mount, path: &[u8]) -> Option<Inside> {
    let device = numbers(&mount.device)?;
    let path = path.strip_suffix(DELETED).unwrap_or(path);
    let point = bytes(&mount.point);
    let rest = match point {
        b"/" => path.strip_prefix(b"/")?,
        point => match path.strip_prefix(point)? {
            [] => &[],
            [b'/', rest @ ..] => rest,
            _ => return None,
        },
    };
    Some(Inside {
        device,
        path: join(undeleted(&mount.root), rest),
    })
}

/// A name, or several, below a path inside a filesystem.
pub(super) fn join(folder: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut path = folder.to_vec();
    if !rest.is_empty() {
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(rest);
    }
    path
}

/// `8:1` as two numbers.
pub(super) fn numbers(device: &str) -> Option<(u32, u32)> {
    let (major, minor) = device.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn undeleted(root: &Path) -> &[u8] {
    let root = bytes(root);
    match root.strip_suffix(DELETED) {
        Some(b"") | None => root,
        Some(root) => root,
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::mountinfo::parse;

    /// A sandbox as bwrap builds it: the host's root read-only, an empty directory and `/dev/null` over
    /// missing names of a project, a socket bound in, a temp folder on a filesystem of its own.
    const SANDBOX: &[u8] = b"\
611 590 254:0 / / ro,nosuid,relatime master:1 - ext4 /dev/vda rw
612 611 0:27 / /tmp rw,nosuid master:9 - tmpfs tmpfs rw
613 611 0:60 / /dev rw,nosuid - tmpfs tmpfs rw
614 613 0:6 /null /dev/null rw - devtmpfs udev rw
620 611 254:0 /home/ada/shop /home/ada/shop rw,relatime master:1 - ext4 /dev/vda rw
621 620 0:27 /claude-empty-Ab3xY9 /home/ada/shop/.claude/commands ro - tmpfs tmpfs rw
622 620 0:6 /null /home/ada/shop/.mcp.json ro - devtmpfs udev rw
623 612 0:27 /claude-http-0123456789abcdef.sock /tmp/claude-http-0123456789abcdef.sock rw - tmpfs tmpfs rw
624 620 0:27 /claude-empty-Zz1\\040x//deleted /home/ada/shop/a\\040b ro - tmpfs tmpfs rw
625 624 0:27 /claude-empty-top /home/ada/shop/a\\040b ro - tmpfs tmpfs rw
";

    fn inside(device: (u32, u32), path: &str) -> Inside {
        Inside {
            device,
            path: path.as_bytes().to_vec(),
        }
    }

    #[test]
    fn sources_and_points_of_a_sandbox_are_places_of_the_host() {
        let (mut sources, mut points) = (BTreeSet::new(), BTreeSet::new());
        add(&parse(SANDBOX), &mut sources, &mut points);
        let (disk, temp) = ((254, 0), (0, 27));
        for (device, path) in [
            (temp, "/claude-empty-Ab3xY9"),
            (temp, "/claude-http-0123456789abcdef.sock"),
            (temp, "/claude-empty-Zz1 x"),
            (temp, "/claude-empty-top"),
            (disk, "/home/ada/shop"),
            (disk, "/"),
        ] {
            assert!(sources.contains(&inside(device, path)), "{path}");
        }
        for (device, path) in [
            (disk, "/tmp"),
            (disk, "/home/ada/shop"),
            (disk, "/home/ada/shop/.claude/commands"),
            (disk, "/home/ada/shop/.mcp.json"),
            (temp, "/claude-http-0123456789abcdef.sock"),
            (disk, "/home/ada/shop/a b"),
            (temp, "/claude-empty-Zz1 x"),
        ] {
            assert!(points.contains(&inside(device, path)), "{path}");
        }
        assert!(!points.contains(&inside(disk, "/")));
        assert!(
            sources
                .iter()
                .all(|source| !source.path.ends_with(b"deleted"))
        );
    }

    #[test]
    fn a_mount_of_a_folder_of_a_filesystem_names_what_lies_in_it_by_that_folder() {
        let mounts = parse(b"30 25 0:40 /@home /home rw - btrfs /dev/sda rw\n");
        let named = |path: &[u8]| within(&mounts[0], path).map(|inside| inside.path);
        assert_eq!(named(b"/home"), Some(b"/@home".to_vec()));
        assert_eq!(named(b"/home/ada/x"), Some(b"/@home/ada/x".to_vec()));
        assert_eq!(named(b"/homely"), None);
        assert_eq!(named(b"/"), None);
    }

    #[test]
    fn a_mount_whose_parent_is_itself_or_missing_stands_on_nothing_known() {
        let (mut sources, mut points) = (BTreeSet::new(), BTreeSet::new());
        let text = b"1 1 0:2 / / rw - rootfs rootfs rw\n9 7 8:1 /x /srv/x rw - ext4 d rw\n5 1 junk / /a rw - ext4 d rw\n";
        add(&parse(text), &mut sources, &mut points);
        assert_eq!(points, BTreeSet::new());
        assert_eq!(sources.len(), 2);
    }
}

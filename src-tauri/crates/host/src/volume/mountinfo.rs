//! Linux's `/proc/<pid>/mountinfo`, parsed on every system.

use std::ffi::OsString;
use std::path::PathBuf;

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The kernel's id of this mount, as `statx` gives it.
    pub(crate) id: u64,
    /// The mount it stands on.
    pub(crate) parent: u64,
    /// `major:minor` of the filesystem.
    pub(crate) device: String,
    /// The directory of the filesystem that is mounted: relative to *its* root, not to the host's.
    pub(crate) root: PathBuf,
    /// Where it is mounted.
    pub(crate) point: PathBuf,
    /// Type: `ext4`, `tmpfs`, `nfs4`, …
    pub(crate) filesystem: String,
}

impl Mount {
    /// Its files live in memory.
    #[must_use]
    pub(crate) fn memory(&self) -> bool {
        matches!(self.filesystem.as_str(), "tmpfs" | "ramfs")
    }

    /// A probe of it may wait for another machine or for a user's program.
    #[must_use]
    pub(crate) fn remote(&self) -> bool {
        let kind = self.filesystem.as_str();
        kind.starts_with("nfs")
            || kind.starts_with("fuse.")
            || matches!(
                kind,
                "fuse"
                    | "cifs"
                    | "smb3"
                    | "9p"
                    | "afs"
                    | "ceph"
                    | "glusterfs"
                    | "autofs"
                    | "lustre"
                    | "virtiofs"
                    | "drvfs"
            )
    }
}

/// Reads the lines that make sense; a line that does not is left out.
#[must_use]
pub(crate) fn parse(text: &[u8]) -> Vec<Mount> {
    text.split(|byte| *byte == b'\n').filter_map(line).collect()
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: optional fields end at `-`.
fn line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let parent = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let device = str::from_utf8(fields.next()?).ok()?.to_owned();
    let root = unescape(fields.next()?);
    let point = unescape(fields.next()?);
    fields.find(|field| *field == b"-")?;
    let filesystem = str::from_utf8(fields.next()?).ok()?.to_owned();
    Some(Mount {
        id,
        parent,
        device,
        root,
        point,
        filesystem,
    })
}

/// Space, tab, newline and backslash stand as three octal digits.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let octal = |at: usize| {
            tail.get(at)
                .filter(|digit| (b'0'..=b'7').contains(digit))
                .map(|digit| u32::from(digit - b'0'))
        };
        if *first == b'\\'
            && let (Some(a), Some(b), Some(c)) = (octal(0), octal(1), octal(2))
            && let Ok(byte) = u8::try_from(a * 64 + b * 8 + c)
        {
            bytes.push(byte);
            rest = &tail[3..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    path(bytes)
}

#[cfg(unix)]
fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn mounts_are_read_with_their_odd_names_and_optional_fields() {
        let text = b"25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
            31 25 0:27 / /tmp rw,nosuid - tmpfs tmpfs rw,size=16G\n\
            40 25 8:1 /srv/a\\040b /mnt/x\\134y\\012z rw shared:2 master:1 - ext4 /dev/sda1 rw\n\
            nonsense\n\
            41 25 0:50 / /home/ada/net rw - nfs4 box:/home rw\n";
        let mounts = parse(text);
        assert_eq!(mounts.len(), 4);
        assert_eq!((mounts[1].id, mounts[1].parent), (31, 25));
        assert!(mounts[1].memory() && !mounts[0].memory());
        assert_eq!(mounts[2].root, Path::new("/srv/a b"));
        assert_eq!(mounts[2].point, Path::new("/mnt/x\\y\nz"));
        assert_eq!(
            mounts[2].device, mounts[0].device,
            "a bind mount is the same filesystem"
        );
        assert!(mounts[3].remote() && !mounts[2].remote());
    }

    #[test]
    fn hostile_lines_are_left_out() {
        for text in [
            &b""[..],
            b"\n\n",
            b"1",
            b"x 1 8:1 / / rw - ext4",
            b"1 1 8:1 / /a rw ext4",
            b"1 1 8:1 / /a\\9 rw - ",
        ] {
            assert!(parse(text).len() <= 1, "{text:?}");
        }
    }
}

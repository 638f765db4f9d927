//! `/proc/<pid>/maps`: files in a process's memory, whose descriptors may be closed long since.

use std::path::PathBuf;

/// One mapped file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// Major and minor number of its filesystem. Not what `stat` says where a filesystem has several
    /// (btrfs) or stands on others (overlay).
    pub(crate) device: (u32, u32),
    /// Its inode.
    pub(crate) inode: u64,
    /// Its path now: a rename is seen here.
    pub(crate) path: PathBuf,
    /// It has no name any more; the path may be another file's.
    pub(crate) deleted: bool,
    /// What is written to this memory is written to the file.
    pub(crate) written: bool,
}

/// The mapped files, each once; memory without a file is left out.
pub(crate) fn maps(text: &[u8]) -> Vec<Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    for mapping in text.split(|byte| *byte == b'\n').filter_map(line) {
        // A file is mapped in several pieces, one after the other.
        if found.last() != Some(&mapping) {
            found.push(mapping);
        }
    }
    found
}

/// `7f0…-7f1… r--s 00000000 fe:01 4711   /home/ada/sessiondata.img`
fn line(line: &[u8]) -> Option<Mapping> {
    let mut rest = line;
    let mut field = || {
        let begin = rest.iter().position(|byte| *byte != b' ')?;
        let tail = rest.get(begin..)?;
        let end = tail
            .iter()
            .position(|byte| *byte == b' ')
            .unwrap_or(tail.len());
        let (field, behind) = tail.split_at(end);
        rest = behind;
        str::from_utf8(field).ok()
    };
    let (_range, rights, _offset) = (field()?, field()?, field()?);
    let (major, minor) = field()?.split_once(':')?;
    let inode = field()?.parse().ok()?;
    let begin = rest.iter().position(|byte| *byte != b' ')?;
    let shown = rest.get(begin..)?;
    if inode == 0 || !shown.starts_with(b"/") {
        return None;
    }
    let (path, deleted) = super::undeleted(&unescape(shown));
    Some(Mapping {
        device: (
            u32::from_str_radix(major, 16).ok()?,
            u32::from_str_radix(minor, 16).ok()?,
        ),
        inode,
        path,
        deleted,
        written: matches!(rights.as_bytes(), [_, b'w', _, b's', ..]),
    })
}

/// A newline stands as `\012`; nothing else is escaped.
fn unescape(shown: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((first, tail)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(b"\\012") {
            bytes.push(b'\n');
            rest = behind;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const RECORDED: &[u8] = b"\
5581c0a00000-5581c0a02000 r--p 00000000 fe:00 131099                     /usr/bin/qemu-system-x86_64
5581c0a02000-5581c0a07000 r-xp 00002000 fe:00 131099                     /usr/bin/qemu-system-x86_64
5581c1d3e000-5581c1d5f000 rw-p 00000000 00:00 0                          [heap]
7f1d2c000000-7f1d6c000000 rw-s 00000000 103:02 4711                      /home/ada/a b/sessiondata.img
7f1d6c000000-7f1d6c021000 rw-p 00000000 00:00 0
7f1d70000000-7f1d70001000 rw-s 00000000 00:01 2050                       /memfd:pulse (deleted)
7f1d70001000-7f1d70002000 r--s 00000000 00:21 9                          /home/ada/x\\012y (deleted)
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
";

    #[test]
    fn mapped_files_are_read_with_device_inode_and_path() {
        let found = maps(RECORDED);
        assert_eq!(found.len(), 4);
        assert_eq!(found[0].path, Path::new("/usr/bin/qemu-system-x86_64"));
        assert_eq!((found[1].device, found[1].inode), ((0x103, 2), 4711));
        assert_eq!(found[1].path, Path::new("/home/ada/a b/sessiondata.img"));
        assert!(!found[1].deleted && found[2].deleted && found[3].deleted);
        assert!(!found[0].written && found[1].written && !found[3].written);
        assert_eq!(found[3].path, Path::new("/home/ada/x\ny"));
    }

    #[test]
    fn lines_that_do_not_fit_are_left_out() {
        for text in [
            "",
            "a",
            "a b c d e f",
            "a b c 1:2 x /p",
            "a b c 1:2 7",
            "a b c zz:0 7 /p",
            "a b c 1:2 7 [stack]",
        ] {
            assert_eq!(maps(text.as_bytes()), [], "{text}");
        }
    }
}

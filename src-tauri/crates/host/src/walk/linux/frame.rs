//! One directory being walked, and the names of it that are still to be visited.

use std::os::fd::OwnedFd;

use rustix::fs::FileType;

use super::super::{Identity, Kind};

/// A directory on the way from the root to where the walk is.
#[derive(Debug)]
pub(super) struct Frame {
    /// `None` while the directory is closed to spare handles; see `Worker::reopen`.
    pub(super) dir: Option<OwnedFd>,
    pub(super) identity: Identity,
    /// Names of the current batch still to be visited.
    pub(super) names: Names,
    /// Names taken from the current batch so far.
    pub(super) taken: usize,
    /// Names of the current batch that are this worker's; the rest was given away.
    pub(super) owned: usize,
    /// Where in the directory the current batch began, and where the next one does.
    pub(super) batch_at: u64,
    pub(super) next_at: u64,
    /// Whether the first batch was read.
    pub(super) is_begun: bool,
    /// Whether the directory has no further batch.
    pub(super) is_read: bool,
    /// Whether leaving it ends a directory; false for names another worker gave us.
    pub(super) is_whole: bool,
    /// Length of the worker's path up to and with this directory.
    pub(super) path_length: usize,
}

impl Frame {
    pub(super) fn new(dir: OwnedFd, identity: Identity, path_length: usize) -> Self {
        Self {
            dir: Some(dir),
            identity,
            names: Names::default(),
            taken: 0,
            owned: 0,
            batch_at: 0,
            next_at: 0,
            is_begun: false,
            is_read: false,
            is_whole: true,
            path_length,
        }
    }

    /// Closes the directory. The names that wait are dropped too: they are read again later.
    pub(super) fn close(&mut self) {
        self.dir = None;
        self.names = Names::default();
    }
}

/// What the directory says an entry is, before anybody looked at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    Dir,
    Leaf(Kind),
    /// The filesystem does not say.
    Unknown,
}

impl Hint {
    pub(super) fn of(file_type: FileType) -> Self {
        match file_type {
            FileType::Directory => Self::Dir,
            FileType::RegularFile => Self::Leaf(Kind::File),
            FileType::Symlink => Self::Leaf(Kind::Symlink),
            FileType::Unknown => Self::Unknown,
            _ => Self::Leaf(Kind::Other),
        }
    }

    /// The kind to count an entry as that could not be looked at.
    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::Dir => Kind::Dir,
            Self::Leaf(kind) => kind,
            Self::Unknown => Kind::Other,
        }
    }

    /// Whether it may have to be entered.
    pub(super) const fn may_be_dir(self) -> bool {
        matches!(self, Self::Dir | Self::Unknown)
    }

    const fn tag(self) -> u8 {
        match self {
            Self::Dir => 0,
            Self::Leaf(Kind::File) => 1,
            Self::Leaf(Kind::Symlink) => 2,
            Self::Leaf(_) => 3,
            Self::Unknown => 4,
        }
    }

    const fn from_tag(tag: u8) -> Self {
        match tag {
            0 => Self::Dir,
            1 => Self::Leaf(Kind::File),
            2 => Self::Leaf(Kind::Symlink),
            3 => Self::Leaf(Kind::Other),
            _ => Self::Unknown,
        }
    }
}

/// Names with their hints, one after the other in one buffer: hint, name, NUL.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    at: usize,
}

impl Names {
    /// Reuses the buffer of a list that is done with.
    pub(super) fn reuse(mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        Self { bytes, at: 0 }
    }

    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.at = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn push(&mut self, hint: Hint, name: &[u8]) {
        self.bytes.push(hint.tag());
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
    }

    /// The next name, its NUL included.
    pub(super) fn next(&mut self) -> Option<(Hint, &[u8])> {
        let rest = self.bytes.get(self.at..)?;
        let (&tag, rest) = rest.split_first()?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        self.at += end + 2;
        Some((Hint::from_tag(tag), &rest[..=end]))
    }

    /// Moves all but the first `kept` remaining names to a list of their own.
    pub(super) fn split_off(&mut self, kept: usize) -> Self {
        let mut cut = self.at;
        for _ in 0..kept {
            let Some(end) = self.bytes[cut..].iter().skip(1).position(|byte| *byte == 0) else {
                break;
            };
            cut += end + 2;
        }
        Self {
            bytes: self.bytes.split_off(cut),
            at: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_out_as_they_went_in_also_after_a_split() {
        let mut names = Names::default();
        names.push(Hint::Dir, b"a");
        names.push(Hint::Leaf(Kind::File), b"\xff\n");
        names.push(Hint::Unknown, b"c");
        assert_eq!(names.next(), Some((Hint::Dir, &b"a\0"[..])));
        let mut rest = names.split_off(1);
        assert_eq!(
            names.next(),
            Some((Hint::Leaf(Kind::File), &b"\xff\n\0"[..]))
        );
        assert_eq!(names.next(), None);
        assert_eq!(rest.next(), Some((Hint::Unknown, &b"c\0"[..])));
        assert_eq!(rest.next(), None);
    }
}

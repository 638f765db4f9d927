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
    /// How many they are.
    pub(super) waiting: usize,
    /// Where in the directory they begin: after the name taken last.
    pub(super) taken_to: u64,
    /// Where the last of them ends; names beyond it were given away.
    pub(super) owned_to: u64,
    /// Where the next batch begins.
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
            waiting: 0,
            taken_to: 0,
            owned_to: 0,
            next_at: 0,
            is_begun: false,
            is_read: false,
            is_whole: true,
            path_length,
        }
    }

    /// The next name to visit, its NUL included.
    pub(super) fn take(&mut self) -> Option<(Hint, &[u8])> {
        let name = self.names.next()?;
        self.waiting = self.waiting.saturating_sub(1);
        self.taken_to = name.ends_at;
        Some((name.hint, name.bytes))
    }

    /// Keeps the first half of the names that wait and returns the others.
    pub(super) fn split(&mut self) -> (Names, usize) {
        let given = self.waiting / 2;
        self.waiting -= given;
        let (rest, owned_to) = self.names.split_off(self.waiting);
        self.owned_to = owned_to.unwrap_or(self.taken_to);
        (rest, given)
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

/// Names one after the other in one buffer: hint, where in the directory the name ends, name, NUL.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    at: usize,
}

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) hint: Hint,
    /// The position to go on from after this name.
    pub(super) ends_at: u64,
    /// With the NUL at its end.
    pub(super) bytes: &'a [u8],
}

/// Bytes before each name.
const HEAD: usize = 1 + size_of::<u64>();

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

    pub(super) fn push(&mut self, hint: Hint, ends_at: u64, name: &[u8]) {
        self.bytes.push(hint.tag());
        self.bytes.extend_from_slice(&ends_at.to_ne_bytes());
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
    }

    pub(super) fn next(&mut self) -> Option<Name<'_>> {
        let (name, length) = Self::first(self.bytes.get(self.at..)?)?;
        self.at += length;
        Some(name)
    }

    /// Moves all but the first `kept` names to a list of their own; also says where the last kept
    /// one ends.
    pub(super) fn split_off(&mut self, kept: usize) -> (Self, Option<u64>) {
        let (mut cut, mut ends_at) = (self.at, None);
        for _ in 0..kept {
            let Some((name, length)) = Self::first(&self.bytes[cut..]) else {
                break;
            };
            cut += length;
            ends_at = Some(name.ends_at);
        }
        let bytes = self.bytes.split_off(cut);
        (Self { bytes, at: 0 }, ends_at)
    }

    /// The first name of a list and the bytes it takes.
    fn first(list: &[u8]) -> Option<(Name<'_>, usize)> {
        let (tag, rest) = list.split_first()?;
        let (ends_at, rest) = rest.split_first_chunk()?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = Name {
            hint: Hint::from_tag(*tag),
            ends_at: u64::from_ne_bytes(*ends_at),
            bytes: &rest[..=end],
        };
        Some((name, HEAD + end + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_out_as_they_went_in_also_after_a_split() {
        let mut names = Names::default();
        let all = [
            (Hint::Dir, 7, &b"a\0"[..]),
            (Hint::Leaf(Kind::File), 0, b"\xff\n\0"),
            (Hint::Unknown, u64::MAX, b"c\0"),
        ];
        for (hint, ends_at, bytes) in all {
            names.push(hint, ends_at, &bytes[..bytes.len() - 1]);
        }
        let [one, two, three] = all.map(|(hint, ends_at, bytes)| {
            Some(Name {
                hint,
                ends_at,
                bytes,
            })
        });
        assert_eq!(names.next(), one);
        let (mut rest, ends_at) = names.split_off(1);
        assert_eq!(ends_at, Some(0));
        assert_eq!(names.next(), two);
        assert_eq!(names.next(), None);
        assert_eq!(rest.next(), three);
        assert_eq!(rest.next(), None);
    }
}

//! Names that were read and are still to be visited, and what the directory says they are.

use rustix::fs::FileType;

use super::super::Kind;

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

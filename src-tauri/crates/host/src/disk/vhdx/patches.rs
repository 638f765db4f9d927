//! Bytes laid over a file in memory: what the log would write there, taken from the log itself.

use std::collections::BTreeMap;
use std::io;

use crate::disk::source::ReadAt;

/// Where the bytes of a patch come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Zeroes,
    /// From another offset of the same file, on which nothing is laid.
    File(u64),
    /// Few enough to keep.
    Bytes([u8; 8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Patch {
    length: u64,
    place: Place,
}

impl Patch {
    /// What is left of it after its first `count` bytes.
    fn after(self, count: u64) -> Self {
        let place = match self.place {
            Place::Zeroes => Place::Zeroes,
            Place::File(at) => Place::File(at.saturating_add(count)),
            Place::Bytes(mut bytes) => {
                let count = usize::try_from(count).unwrap_or(0).min(bytes.len());
                bytes.rotate_left(count);
                Place::Bytes(bytes)
            }
        };
        Self {
            length: self.length.saturating_sub(count),
            place,
        }
    }
}

/// Patches by their first byte; no two overlap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patches {
    patches: BTreeMap<u64, Patch>,
    /// The file is at least this long once all is written.
    pub(super) least_length: u64,
}

impl Patches {
    /// Lays `length` bytes over `start`, and over what was laid there before.
    pub(super) fn put(&mut self, start: u64, length: u64, place: Place) {
        let end = start.saturating_add(length);
        if end == start {
            return;
        }
        self.cut(start);
        self.cut(end);
        while let Some((&covered, _)) = self.patches.range(start..end).next() {
            self.patches.remove(&covered);
        }
        self.patches.insert(start, Patch { length, place });
    }

    /// Makes a patch that reaches over `at` into two.
    fn cut(&mut self, at: u64) {
        let Some((&start, patch)) = self.patches.range_mut(..at).next_back() else {
            return;
        };
        let before = at.saturating_sub(start);
        if before < patch.length {
            let after = patch.after(before);
            patch.length = before;
            self.patches.insert(at, after);
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.patches.len()
    }

    /// The file as it would be with all patches written.
    pub(super) const fn over<'a>(&'a self, file: &'a dyn ReadAt) -> Patched<'a> {
        Patched {
            file,
            patches: self,
        }
    }
}

/// A file with patches laid over it.
pub(super) struct Patched<'a> {
    file: &'a dyn ReadAt,
    patches: &'a Patches,
}

impl ReadAt for Patched<'_> {
    fn length(&self) -> u64 {
        self.file.length().max(self.patches.least_length)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if self.patches.patches.is_empty() && self.patches.least_length == 0 {
            return self.file.read_at(buffer, offset);
        }
        let end = u64::try_from(buffer.len())
            .ok()
            .and_then(|size| offset.checked_add(size))
            .filter(|end| *end <= self.length())
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        let held = self.file.length().saturating_sub(offset);
        let held = usize::try_from(held).map_or(buffer.len(), |held| held.min(buffer.len()));
        let (in_file, beyond) = buffer.split_at_mut(held);
        if !in_file.is_empty() {
            self.file.read_at(in_file, offset)?;
        }
        beyond.fill(0);

        let patches = &self.patches.patches;
        let before = patches.range(..offset).next_back();
        for (&start, patch) in before.into_iter().chain(patches.range(offset..end)) {
            let from = start.max(offset);
            let to = start.saturating_add(patch.length).min(end);
            let range = to.checked_sub(from).and_then(|length| {
                let at = usize::try_from(from.saturating_sub(offset)).ok()?;
                buffer.get_mut(at..at.checked_add(usize::try_from(length).ok()?)?)
            });
            let Some(target) = range.filter(|target| !target.is_empty()) else {
                continue;
            };
            match patch.after(from.saturating_sub(start)).place {
                Place::Zeroes => target.fill(0),
                Place::File(at) => self.file.read_at(target, at)?,
                Place::Bytes(bytes) => {
                    for (byte, value) in target.iter_mut().zip(bytes) {
                        *byte = value;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(number: usize) -> u64 {
        u64::try_from(number).unwrap()
    }

    #[test]
    fn what_is_laid_last_is_read_whatever_it_covers() {
        let file: Vec<u8> = (0..100).collect();
        let mut patches = Patches::default();
        let mut expected = file.clone();
        expected.resize(110, 0);
        patches.least_length = 110;
        let zeroes = |patches: &mut Patches, expected: &mut [u8], range: std::ops::Range<usize>| {
            expected[range.clone()].fill(0);
            patches.put(wide(range.start), wide(range.len()), Place::Zeroes);
        };
        zeroes(&mut patches, &mut expected, 10..60);
        patches.put(
            20,
            8,
            Place::Bytes([200, 201, 202, 203, 204, 205, 206, 207]),
        );
        expected[20..28].copy_from_slice(&[200, 201, 202, 203, 204, 205, 206, 207]);
        zeroes(&mut patches, &mut expected, 22..24);
        patches.put(26, 20, Place::File(70));
        expected[26..46].copy_from_slice(&file[70..90]);
        zeroes(&mut patches, &mut expected, 0..12);
        patches.put(30, 5, Place::File(1));
        expected[30..35].copy_from_slice(&file[1..6]);
        patches.put(98, 8, Place::Bytes([9; 8]));
        expected[98..106].fill(9);
        patches.put(50, 0, Place::Bytes([1; 8]));

        let patched = patches.over(&file);
        for start in 0..110 {
            for end in start..=110 {
                let mut seen = vec![77; end - start];
                patched.read_at(&mut seen, wide(start)).unwrap();
                assert_eq!(seen, expected[start..end], "{start}..{end}");
            }
        }
        assert!(patched.read_at(&mut [0; 2], 109).is_err());
    }
}

//! Groups the entries of a directory by shape while it is read.

use std::collections::HashMap;

use super::{Shape, Siblings, push_random, shape};
use crate::bytes::Allocated;
use crate::paths::PathText;

/// Shapes kept while a directory is read.
const KEPT: usize = 1024;

/// Shapes reported.
const REPORTED: usize = 24;

/// Groups the entries of one directory as they come, in bounded memory.
#[derive(Debug, Default)]
pub struct Groups {
    groups: HashMap<String, Group>,
    entries: u64,
    others: u64,
}

#[derive(Debug, Default)]
struct Group {
    entries: u64,
    dirs: u64,
    allocated: Allocated,
    example: Vec<u8>,
}

impl Groups {
    /// Counts an entry.
    pub fn add(&mut self, name: &[u8], is_dir: bool, allocated: Allocated) {
        self.entries = self.entries.saturating_add(1);
        let shape = shape(name);
        if self.groups.len() >= KEPT && !self.groups.contains_key(&shape) {
            self.make_room();
            if self.groups.len() >= KEPT {
                self.others = self.others.saturating_add(1);
                return;
            }
        }
        let group = self.groups.entry(shape).or_insert_with(|| Group {
            example: name.to_vec(),
            ..Group::default()
        });
        group.add(1, u64::from(is_dir), allocated);
    }

    /// The shapes of the directory at `path`.
    #[must_use]
    pub fn finish(mut self, path: PathText) -> Siblings {
        self.fold();
        let mut shapes: Vec<Shape> = self
            .groups
            .into_iter()
            .map(|(shape, group)| Shape {
                shape,
                entries: group.entries,
                dirs: group.dirs,
                allocated: group.allocated,
                example: PathText::from_bytes(&group.example),
            })
            .collect();
        shapes.sort_by(|a, b| {
            b.entries
                .cmp(&a.entries)
                .then_with(|| a.shape.cmp(&b.shape))
        });
        let beyond = shapes.iter().skip(REPORTED).map(|shape| shape.entries);
        let others = beyond.fold(self.others, u64::saturating_add);
        shapes.truncate(REPORTED);
        Siblings {
            path,
            entries: self.entries,
            shapes,
            others,
        }
    }

    /// Drops what was met once only: what is frequent comes again.
    fn make_room(&mut self) {
        self.fold();
        let before = self.groups.len();
        self.groups.retain(|_, group| group.entries > 1);
        let dropped = before.saturating_sub(self.groups.len());
        self.others = self
            .others
            .saturating_add(u64::try_from(dropped).unwrap_or(u64::MAX));
    }

    /// Moves the odd ones home: of a thousand random names a few read like words, but a frequent
    /// shape with random characters in their place gives them away.
    fn fold(&mut self) {
        let odd: Vec<(String, String)> = self
            .groups
            .iter()
            .filter(|(_, group)| group.entries <= 3)
            .filter_map(|(shape, group)| {
                let home = looser(&group.example)
                    .filter(|looser| looser != shape)
                    .find(|looser| self.groups.get(looser).is_some_and(|home| home.entries > 3))?;
                Some((shape.clone(), home))
            })
            .collect();
        for (shape, home) in odd {
            if let Some(group) = self.groups.remove(&shape)
                && let Some(home) = self.groups.get_mut(&home)
            {
                home.add(group.entries, group.dirs, group.allocated);
            }
        }
    }
}

impl Group {
    fn add(&mut self, entries: u64, dirs: u64, allocated: Allocated) {
        self.entries = self.entries.saturating_add(entries);
        self.dirs = self.dirs.saturating_add(dirs);
        self.allocated = [self.allocated, allocated].into_iter().sum();
    }
}

/// The shapes a name would have if one of its words were random, each in turn, the last word first.
fn looser(name: &[u8]) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in name.iter().enumerate() {
        match (byte.is_ascii_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        words.push(from..name.len());
    }
    words.into_iter().rev().filter_map(move |word| {
        let length = word.len();
        if length < 6 {
            return None;
        }
        let mut looser = shape(name.get(..word.start)?);
        push_random(length, &mut looser);
        looser.push_str(&shape(name.get(word.end..)?));
        Some(looser)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_names_that_read_like_words_go_to_their_kind() {
        let mut groups = Groups::default();
        for number in 0..100_u32 {
            let name = format!("foreign-empty-a{number:03}b7");
            groups.add(name.as_bytes(), true, Allocated(4096));
        }
        groups.add(b"foreign-empty-abcdef", true, Allocated(4096));
        groups.add(b"foreign-empty-ab", true, Allocated(4096));
        let siblings = groups.finish(PathText::default());
        let found: Vec<_> = siblings
            .shapes
            .iter()
            .map(|shape| (shape.shape.as_str(), shape.entries))
            .collect();
        assert_eq!(
            found,
            [("foreign-empty-XXXXXX", 101), ("foreign-empty-ab", 1)]
        );
        assert_eq!(siblings.entries, 102);
    }

    #[test]
    fn a_crowd_without_a_pattern_is_bounded_and_every_entry_counted() {
        let mut groups = Groups::default();
        let letters = b"abcdefghijklmnopqrstuvwxyz";
        let word = |mut number: usize| {
            let mut word = Vec::new();
            for _ in 0..4 {
                word.push(letters[number % 26]);
                number /= 26;
            }
            word
        };
        for number in 0..20_000 {
            groups.add(&word(number), false, Allocated(1));
            groups.add(format!("job-{number}").as_bytes(), true, Allocated(1));
        }
        assert!(groups.groups.len() <= KEPT);
        let siblings = groups.finish(PathText::default());
        assert_eq!(siblings.shapes[0].shape, "job-N");
        assert_eq!(siblings.shapes[0].entries, 20_000);
        assert_eq!(siblings.shapes.len(), REPORTED);
        let listed: u64 = siblings.shapes.iter().map(|shape| shape.entries).sum();
        assert_eq!(listed + siblings.others, 40_000);
    }
}

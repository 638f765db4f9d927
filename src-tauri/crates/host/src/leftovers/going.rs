//! Candidates that go, kept small: there may be 185,541 of them (#85576).
//!
//! Those of one class in one folder differ in name, identity, times and sizes; everything else is kept once.

use std::path::Path;

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::evidence::{FileId, Inside};
use sandtray_core::time::Time;

/// Candidates of one class in one folder.
#[derive(Debug, Default)]
pub struct Going {
    pattern: Option<Candidate>,
    like: Vec<Like>,
    whole: Vec<Candidate>,
}

/// What a candidate has of its own.
#[derive(Debug)]
struct Like {
    path: Box<Path>,
    id: FileId,
    born: Time,
    touched: Time,
    newer_siblings: u32,
    apparent: Apparent,
    allocated: Allocated,
    shared: Allocated,
    inodes: u64,
}

impl Like {
    fn new(candidate: &Candidate) -> Self {
        Self {
            path: candidate.path.clone().into_boxed_path(),
            id: candidate.id,
            born: candidate.born,
            touched: candidate.touched,
            newer_siblings: candidate.newer_siblings,
            apparent: candidate.apparent,
            allocated: candidate.allocated,
            shared: candidate.shared,
            inodes: candidate.inodes,
        }
    }

    /// The whole candidate again.
    fn fill(&self, pattern: &Candidate) -> Candidate {
        let mut candidate = pattern.clone();
        candidate.inside = inside(pattern, &self.path);
        if !candidate.content.members.is_empty() {
            candidate.content.members = vec![self.id];
        }
        candidate.path = self.path.to_path_buf();
        candidate.id = self.id;
        candidate.born = self.born;
        candidate.touched = self.touched;
        candidate.newer_siblings = self.newer_siblings;
        candidate.apparent = self.apparent;
        candidate.allocated = self.allocated;
        candidate.shared = self.shared;
        candidate.inodes = self.inodes;
        candidate
    }
}

/// The place of a neighbour of a pattern.
fn inside(pattern: &Candidate, path: &Path) -> Option<Inside> {
    let known = pattern.inside.as_ref()?;
    let own = pattern.path.as_os_str().as_encoded_bytes();
    let mut bytes = known.path.strip_suffix(own)?.to_vec();
    bytes.extend(path.as_os_str().as_encoded_bytes());
    Some(Inside {
        device: known.device,
        path: bytes,
    })
}

impl Going {
    /// Takes a candidate.
    pub fn push(&mut self, candidate: Candidate) {
        let pattern = self.pattern.get_or_insert_with(|| candidate.clone());
        let like = Like::new(&candidate);
        // Exactly what it would be filled to again, or kept whole.
        if like.fill(pattern) == candidate {
            self.like.push(like);
        } else {
            self.whole.push(candidate);
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.like.len().saturating_add(self.whole.len())
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after the other, each made whole as it is asked for.
    pub fn iter(&self) -> impl Iterator<Item = Candidate> {
        let like = self.pattern.iter().flat_map(|pattern| {
            let all = self.like.iter();
            all.map(move |like| like.fill(pattern))
        });
        like.chain(self.whole.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use sandtray_core::leftover::candidate::{Content, Named, Origin};
    use sandtray_core::leftover::table::class;

    use super::*;

    fn candidate(name: &str, inode: u64) -> Candidate {
        let id = FileId { device: 7, inode };
        Candidate {
            class: class("empty_mount_source").unwrap(),
            root: "r".into(),
            base: Arc::from(Path::new("/tmp")),
            path: PathBuf::from(name),
            id,
            kind_fits: true,
            own: true,
            born: Time(10),
            touched: Time(11),
            inside: Some(Inside {
                device: (8, 1),
                path: format!("/@tmp/{name}").into_bytes(),
            }),
            named: Named::default(),
            origin: Origin::default(),
            newer_siblings: 0,
            content: Content {
                empty: Some(true),
                members: vec![id],
                ..Content::default()
            },
            apparent: Apparent(4096),
            allocated: Allocated(4096),
            shared: Allocated::ZERO,
            inodes: 1,
        }
    }

    #[test]
    fn what_is_kept_small_comes_back_as_it_was() {
        let mut odd = candidate("claude-empty-cccccc", 3);
        odd.named.pid = Some(4);
        let mut elsewhere = candidate("claude-empty-dddddd", 4);
        elsewhere.inside = None;
        let all = [
            candidate("claude-empty-aaaaaa", 1),
            candidate("claude-empty-bbbbbb", 2),
            odd,
            elsewhere,
        ];
        let mut going = Going::default();
        for candidate in all.clone() {
            going.push(candidate);
        }
        assert_eq!((going.like.len(), going.whole.len()), (2, 2));
        assert_eq!(going.iter().collect::<Vec<_>>(), all);
    }
}

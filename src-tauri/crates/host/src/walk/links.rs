//! Inodes with several names, so that each is added once.

use std::collections::HashMap;

use super::Identity;

/// Inodes with further names to come. An inode leaves when its last name was met, so a tree whose
/// links all lie inside (a package store) does not keep them all in memory.
#[derive(Debug, Default)]
pub(super) struct Links(HashMap<Identity, u64>);

impl Links {
    /// Whether this is the first name met of an inode that has `links` of them.
    pub(super) fn is_first(&mut self, identity: Identity, links: u64) -> bool {
        match self.0.get_mut(&identity) {
            None => {
                self.0.insert(identity, links.saturating_sub(1));
                true
            }
            Some(rest) => {
                *rest = rest.saturating_sub(1);
                if *rest == 0 {
                    self.0.remove(&identity);
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inode_is_first_once_and_forgotten_with_its_last_name() {
        let mut links = Links::default();
        let one = Identity {
            device: 1,
            inode: 7,
        };
        assert!(links.is_first(one, 3));
        assert!(!links.is_first(one, 3));
        assert!(!links.is_first(one, 3));
        assert!(links.0.is_empty());
    }
}

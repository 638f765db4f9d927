//! A picture of folders, to compare with a later one: what is gone, what is new, what changed.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Error;
use std::path::{Path, PathBuf};

/// Every entry below some folders, by its path from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(pub BTreeMap<PathBuf, Entry>);

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A directory.
    Folder,
    /// A link and where it points.
    Link(PathBuf),
    /// A file: its length, and a hash of every byte.
    File {
        /// Length in bytes.
        size: u64,
        /// Hash of the content.
        hash: u64,
    },
}

impl Tree {
    /// Looks at `names` below `root`; one that is not there counts as empty.
    ///
    /// # Errors
    /// Where something in it cannot be read.
    pub fn of(root: &Path, names: &[&str]) -> Result<Self, Error> {
        let mut tree = Self::default();
        for name in names {
            if root.join(name).symlink_metadata().is_ok() {
                tree.add(root, Path::new(name))?;
            }
        }
        Ok(tree)
    }

    fn add(&mut self, root: &Path, below: &Path) -> Result<(), Error> {
        let path = root.join(below);
        let kind = path.symlink_metadata()?.file_type();
        let entry = if kind.is_dir() {
            for child in fs::read_dir(&path)? {
                self.add(root, &below.join(child?.file_name()))?;
            }
            Entry::Folder
        } else if kind.is_symlink() {
            Entry::Link(fs::read_link(&path)?)
        } else {
            let content = fs::read(&path)?;
            Entry::File {
                size: u64::try_from(content.len()).unwrap_or(u64::MAX),
                hash: hash(&content),
            }
        };
        let _new = self.0.insert(below.to_owned(), entry);
        Ok(())
    }

    /// What `earlier` had and this has not.
    #[must_use]
    pub fn gone_since(&self, earlier: &Self) -> Vec<PathBuf> {
        let gone = |path: &&PathBuf| !self.0.contains_key(*path);
        earlier.0.keys().filter(gone).cloned().collect()
    }

    /// What is in both and differs.
    #[must_use]
    pub fn changed_since(&self, earlier: &Self) -> Vec<PathBuf> {
        let changed = |(path, entry): &(&PathBuf, &Entry)| {
            earlier.0.get(*path).is_some_and(|was| was != *entry)
        };
        let found = self.0.iter().filter(changed);
        found.map(|(path, _)| path.clone()).collect()
    }

    /// What this has and `earlier` had not.
    #[must_use]
    pub fn new_since(&self, earlier: &Self) -> Vec<PathBuf> {
        earlier.gone_since(self)
    }
}

/// The same for the same bytes in every process.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_knows_what_is_gone_what_is_new_and_what_changed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join("sessions").join(name);
        fs::create_dir_all(at("deep/er")).unwrap();
        fs::write(at("deep/er/kept"), "same").unwrap();
        fs::write(at("gone"), "x").unwrap();
        fs::write(at("changed"), "1").unwrap();
        let before = Tree::of(folder.path(), &["sessions", "never-there"]).unwrap();
        assert_eq!(
            before,
            Tree::of(folder.path(), &["sessions", "never-there"]).unwrap()
        );
        fs::remove_file(at("gone")).unwrap();
        fs::write(at("changed"), "2").unwrap();
        fs::write(at("new"), "").unwrap();
        let after = Tree::of(folder.path(), &["sessions"]).unwrap();
        let below = |name: &str| vec![Path::new("sessions").join(name)];
        assert_eq!(after.gone_since(&before), below("gone"));
        assert_eq!(after.changed_since(&before), below("changed"));
        assert_eq!(after.new_since(&before), below("new"));
    }
}

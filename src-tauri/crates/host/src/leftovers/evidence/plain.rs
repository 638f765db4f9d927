//! Places on systems with one mount table for all: a place is its path.

use std::path::Path;

use sandtray_core::leftover::evidence::Inside;

/// Nothing needs to be read.
#[derive(Debug)]
pub(super) struct OwnMounts;

impl OwnMounts {
    pub(super) const fn read() -> Self {
        Self
    }

    /// By its folder, as on Linux: the name itself is not followed.
    #[allow(clippy::unused_self, reason = "the same function as on Linux")]
    pub(super) fn inside(&self, path: &Path) -> Option<Inside> {
        let name = path.file_name()?;
        let folder = std::fs::canonicalize(path.parent()?).ok()?;
        Some(place(
            folder.join(name).as_os_str().as_encoded_bytes().to_vec(),
        ))
    }
}

/// The one place of a path.
pub(super) fn place(path: Vec<u8>) -> Inside {
    Inside {
        device: (0, 0),
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_path_through_links() {
        let dir = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(dir.path()).unwrap();
        let there = OwnMounts::read().inside(&dir.path().join("x")).unwrap();
        assert_eq!(there.path, folder.join("x").as_os_str().as_encoded_bytes());
        assert_eq!(OwnMounts.inside(&dir.path().join("gone/x")), None);
        assert_eq!(OwnMounts.inside(&dir.path().join("..")), None);
    }
}

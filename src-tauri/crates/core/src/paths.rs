//! Paths on the wire: shown as text, kept as bytes.

use std::path::{Path, PathBuf};

use base64::Engine;
use serde::{Deserialize, Serialize};

/// A path as surfaces show it. Names on disk are bytes; where they are not UTF-8 the text is lossy
/// and `path_bytes` carries the real ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct PathText {
    /// The path, with U+FFFD where a byte is not UTF-8.
    pub path: String,
    /// Base64 of the exact bytes, only where `path` is lossy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub path_bytes: Option<String>,
}

impl PathText {
    /// Describes a path for a surface.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self::from_bytes(path.as_os_str().as_encoded_bytes())
    }

    /// Describes a path or a name given as bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match str::from_utf8(bytes) {
            Ok(path) => Self {
                path: path.to_owned(),
                path_bytes: None,
            },
            Err(_) => Self {
                path: String::from_utf8_lossy(bytes).into_owned(),
                path_bytes: Some(base64::engine::general_purpose::STANDARD.encode(bytes)),
            },
        }
    }

    /// The exact bytes that it was made of; none where `path_bytes` is no base64 (an edited file).
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        match &self.path_bytes {
            None => Some(self.path.clone().into_bytes()),
            Some(text) => base64::engine::general_purpose::STANDARD.decode(text).ok(),
        }
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        Self::new(path)
    }
}

impl From<&PathBuf> for PathText {
    fn from(path: &PathBuf) -> Self {
        Self::new(path)
    }
}

/// A short stable token for a path: 16 hex digits of FNV-1a over its bytes.
///
/// Ids of bundles, temp roots and volumes are made from it, so that history finds its series again
/// after a restart. It names things; it proves nothing about them.
#[must_use]
pub fn token(path: &Path) -> String {
    format!("{:016x}", hash(path.as_os_str().as_encoded_bytes()))
}

/// 64 bits of FNV-1a: the number behind a [`token`].
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash ^= u64::from(*byte);
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_paths_carry_no_bytes_and_others_carry_them_all() {
        assert_eq!(PathText::new(Path::new("/tmp/a\nb")).path_bytes, None);
        let odd = PathText::from_bytes(b"/tmp/\xff");
        assert_eq!(odd.path, "/tmp/\u{fffd}");
        assert_eq!(odd.path_bytes.as_deref(), Some("L3RtcC//"));
    }

    #[test]
    fn the_exact_bytes_come_back_and_a_broken_record_of_them_is_none() {
        for bytes in [&b"/tmp/a b"[..], b"/tmp/\xff\xfe", b""] {
            assert_eq!(
                PathText::from_bytes(bytes).to_bytes().as_deref(),
                Some(bytes)
            );
        }
        let mut odd = PathText::from_bytes(b"/tmp/\xff");
        odd.path_bytes = Some("not base64!".into());
        assert_eq!(odd.to_bytes(), None, "the lossy text is no way out");
    }

    #[test]
    fn tokens_differ_by_path_and_stay_the_same() {
        assert_eq!(token(Path::new("/tmp")), token(Path::new("/tmp")));
        assert_ne!(token(Path::new("/tmp")), token(Path::new("/var/tmp")));
    }
}

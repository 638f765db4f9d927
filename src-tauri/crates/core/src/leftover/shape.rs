//! Exact names, written as a person reads them: `srt-mux-{pid}-{base36}.sock`.
//!
//! Not [`crate::shape`], which is for the eye. A name fits whole or not at all: names that only begin alike
//! are other programs' (`claude-empty-home-XXXXXX`).

use super::candidate::Named;

/// Whether a whole name fits a pattern, and what it says.
#[must_use]
pub fn fits(pattern: &str, name: &[u8]) -> Option<Named> {
    (pattern.as_bytes() == name).then(Named::default)
}

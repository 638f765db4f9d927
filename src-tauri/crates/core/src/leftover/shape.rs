//! Exact names, written as a person reads them: `srt-mux-{pid}-{base36}.sock`.
//!
//! Not [`crate::shape`], which is for the eye. A name fits whole or not at all: names that only begin alike
//! are other programs' (`claude-empty-home-XXXXXX`).

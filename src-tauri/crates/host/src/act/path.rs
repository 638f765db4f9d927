//! Exact paths out of the texts that a journal or a manifest keeps.
//!
//! What an act moves is what was recorded, byte for byte: a lossy text names another file, or none.

use std::path::PathBuf;

use sandtray_core::paths::PathText;

/// The path a text was made of; none where the record is damaged or no path of this system.
#[must_use]
pub fn exact(text: &PathText) -> Option<PathBuf> {
    let bytes = text.to_bytes()?;
    // A NUL ends a name for every system: what stands behind it would be lost in silence.
    if bytes.contains(&0) {
        return None;
    }
    native(bytes)
}

#[cfg(unix)]
// Every sequence of bytes is a path here; elsewhere it is not.
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(windows)]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::windows::ffi::OsStringExt;
    Some(std::ffi::OsString::from_wide(&wide(&bytes)?).into())
}

/// UTF-16 of a Windows path as Rust encodes it: UTF-8, and three bytes for a lone surrogate.
#[cfg(any(windows, test))]
fn wide(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut wide = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (text, behind) = match str::from_utf8(rest) {
            Ok(text) => (text, &[][..]),
            Err(error) => {
                let (valid, behind) = rest.split_at(error.valid_up_to());
                (str::from_utf8(valid).ok()?, behind)
            }
        };
        wide.extend(text.encode_utf16());
        rest = match behind {
            [] => behind,
            [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, rest @ ..] => {
                wide.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
                rest
            }
            _ => return None,
        };
    }
    Some(wide)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_path_comes_back_as_it_was() {
        let path = Path::new("/home/ada/vm_bundles/claudevm.bundle");
        assert_eq!(exact(&path.into()).as_deref(), Some(path));
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_no_text_comes_back_byte_for_byte() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/home/\xff\xfe/x"));
        assert_eq!(exact(&path.into()).as_deref(), Some(path));
    }

    #[test]
    fn a_damaged_record_names_nothing() {
        let damaged = PathText {
            path: "/home/\u{fffd}".into(),
            path_bytes: Some("?".into()),
        };
        assert_eq!(exact(&damaged), None);
        assert_eq!(exact(&PathText::from_bytes(b"/home/a\0b")), None);
    }

    #[test]
    fn lone_surrogates_of_windows_survive_and_other_bytes_are_refused() {
        assert_eq!(
            wide("C:\\a\u{1f600}".as_bytes()).unwrap(),
            "C:\\a\u{1f600}".encode_utf16().collect::<Vec<_>>()
        );
        assert_eq!(wide(b"a\xed\xa0\xbdz"), Some(vec![0x61, 0xD83D, 0x7A]));
        assert_eq!(wide(b"a\xff"), None);
        assert_eq!(wide(b"a\xed\xa0"), None);
    }
}

//! Names that the target can hold, made from names that Linux could.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use super::Name;

/// What a target takes for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Any bytes but a slash and zero.
    Bytes,
    /// Text.
    Text,
    /// What Windows takes, and every filesystem that comes from there.
    Strict,
}

/// The rule of this system's own filesystems.
pub(super) const HERE: Rule = if cfg!(windows) {
    Rule::Strict
} else if cfg!(target_os = "macos") {
    Rule::Text
} else {
    Rule::Bytes
};

/// Names longer than this are shortened to make room for a number.
const LONGEST: usize = 240;

/// The name in the target, and whether it differs.
pub(super) fn fit(name: &[u8], rule: Rule) -> (Name, bool) {
    // Whatever a damaged or hostile folder says, these are no names anywhere.
    let plain: Vec<u8> = name
        .iter()
        .map(|byte| {
            if matches!(byte, 0 | b'/') {
                b'_'
            } else {
                *byte
            }
        })
        .collect();
    let plain = match plain.as_slice() {
        b"" | b"." | b".." => vec![b'_'; plain.len().max(1)],
        _ => plain,
    };
    if rule == Rule::Bytes {
        let changed = plain != name;
        return (from_bytes(plain), changed);
    }
    let mut text = String::from_utf8_lossy(&plain).into_owned();
    if rule == Rule::Strict {
        text = strict(&text);
    }
    let changed = text.as_bytes() != name;
    (text.into(), changed)
}

/// The name with a number: the target has another one already that it takes for the same.
pub(super) fn numbered(name: &Name, number: u32) -> Name {
    let suffix = format!("~{number}");
    let bytes = name.as_encoded_bytes();
    if bytes.len().saturating_add(suffix.len()) > LONGEST {
        let mut text = name.to_string_lossy().into_owned();
        while text.len() > LONGEST {
            text.pop();
        }
        return (text + &suffix).into();
    }
    let mut name = name.clone();
    name.push(suffix);
    name
}

fn strict(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|c| match c {
            '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*' => '_',
            c if c.is_control() => '_',
            c => c,
        })
        .collect();
    // Windows drops dots and spaces at the end, and then it is another name.
    let kept = name.trim_end_matches(['.', ' ']).len();
    let dropped = name.len().saturating_sub(kept);
    if dropped > 0 {
        name.truncate(kept);
        name.push_str(&"_".repeat(dropped));
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    if is_device(stem) {
        let at = stem.len();
        name.insert(at, '_');
    }
    name
}

/// Names that mean a device in every folder of Windows, whatever follows a dot.
fn is_device(stem: &str) -> bool {
    let stem = stem.to_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str()) {
        return true;
    }
    let mut rest = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"))
        .unwrap_or_default()
        .chars();
    matches!(
        (rest.next(), rest.next()),
        (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None)
    )
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Name {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Name {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(name: &[u8], rule: Rule) -> (String, bool) {
        let (name, changed) = fit(name, rule);
        (name.to_string_lossy().into_owned(), changed)
    }

    #[test]
    fn no_rule_lets_a_name_be_a_path() {
        for rule in [Rule::Bytes, Rule::Text, Rule::Strict] {
            for (name, expected) in [
                (&b".."[..], "__"),
                (b".", "_"),
                (b"", "_"),
                (b"../../etc/passwd", ".._.._etc_passwd"),
                (b"a\0b", "a_b"),
            ] {
                assert_eq!(fitted(name, rule), (expected.to_owned(), true), "{rule:?}");
            }
            assert_eq!(fitted(b"plain.txt", rule), ("plain.txt".to_owned(), false));
        }
    }

    #[test]
    fn windows_names_lose_what_windows_would_misread() {
        for (name, expected) in [
            ("a:b", "a_b"),
            ("a\\b", "a_b"),
            ("a\nb", "a_b"),
            ("con", "con_"),
            ("Con.txt", "Con_.txt"),
            ("nul .txt", "nul_ .txt"),
            ("com1", "com1_"),
            ("lpt\u{b2}", "lpt\u{b2}_"),
            ("end. .", "end___"),
            ("...", "___"),
        ] {
            assert_eq!(
                fitted(name.as_bytes(), Rule::Strict),
                (expected.to_owned(), true)
            );
        }
        for name in ["console", "com10", "a b", ".hidden", "häuser"] {
            assert_eq!(
                fitted(name.as_bytes(), Rule::Strict),
                (name.to_owned(), false)
            );
        }
    }

    #[test]
    fn numbers_fit_behind_the_longest_name() {
        assert_eq!(numbered(&"a.txt".into(), 2), "a.txt~2");
        let long = numbered(&"ä".repeat(127).into(), 99);
        assert!(long.len() <= 255 && long.to_string_lossy().ends_with("~99"));
    }
}

//! Shapes of names: what 185,541 siblings have in common.
//!
//! A directory with so many entries is not shown by name (#85576); it is shown as
//! `4,300 × claude-empty-XXXXXX, 2,403 × srt-mux-N-N.sock`. A shape keeps the words of a name and
//! replaces what a program made up: `N` is a number, a run of `X` as many random characters (twelve
//! stand for twelve or more), `HEX` sixteen or more hex digits, `UUID` what it says.
//!
//! Shapes are for the eye. They are no proof of anything: a class of leftovers has rules of its own.

use serde::{Deserialize, Serialize};

use crate::bytes::Allocated;
use crate::paths::PathText;

mod groups;

pub use groups::Groups;

/// Entries of one directory that share a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The shape.
    pub shape: String,
    /// How many entries have it.
    pub entries: u64,
    /// Directories among them.
    pub dirs: u64,
    /// Their blocks, with everything below them.
    pub allocated: Allocated,
    /// One of the names.
    pub example: PathText,
}

/// The entries of one directory, grouped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Siblings {
    /// The directory.
    #[serde(flatten)]
    pub path: PathText,
    /// How many entries it has.
    pub entries: u64,
    /// The most frequent shapes, most frequent first.
    pub shapes: Vec<Shape>,
    /// Entries that none of `shapes` counts.
    pub others: u64,
}

/// The shape of a name.
///
/// ```
/// use sandtray_core::shape::shape;
/// assert_eq!(shape(b"claude-empty-Ab3xY9"), "claude-empty-XXXXXX");
/// assert_eq!(shape(b"srt-mux-97425-1z.sock"), "srt-mux-N-N.sock");
/// assert_eq!(shape(b"smithers-test-4711-3"), "smithers-test-N-N");
/// ```
#[must_use]
pub fn shape(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len());
    if known(name, &mut out) {
        return out;
    }
    let mut rest = name;
    while let Some(first) = rest.first() {
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        if let Some(tail) = after_uuid(rest) {
            out.push_str("UUID");
            rest = tail;
        } else if length > 0 {
            let (token, tail) = rest.split_at(length);
            push_token(token, &mut out);
            rest = tail;
        } else if first.is_ascii() {
            out.push(if first.is_ascii_control() {
                '\u{fffd}'
            } else {
                char::from(*first)
            });
            rest = rest.split_first().map_or(&[], |(_, tail)| tail);
        } else {
            let length = rest.iter().take_while(|byte| !byte.is_ascii()).count();
            let (word, tail) = rest.split_at(length);
            out.push_str(&String::from_utf8_lossy(word));
            rest = tail;
        }
    }
    out
}

/// Which characters a random part is drawn from.
#[derive(Clone, Copy)]
enum Drawn {
    /// `[A-Za-z0-9]`
    Alphanumeric,
    /// `[a-z0-9_]`, as Python draws them.
    Python,
    /// `[0-9a-f]`
    Hex,
}

impl Drawn {
    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Python => byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_',
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
        }
    }
}

/// Names whose random part cannot be told from a word: what stands before and after it says so.
const KNOWN: [(&str, usize, Drawn, &str); 9] = [
    ("claude-empty-", 6, Drawn::Alphanumeric, ""),
    ("srt-obs-", 6, Drawn::Alphanumeric, ""),
    ("srt-credmask-", 6, Drawn::Alphanumeric, ""),
    ("srt-ca-", 6, Drawn::Alphanumeric, ""),
    ("claude-", 4, Drawn::Hex, "-cwd"),
    ("tmpclaude-", 4, Drawn::Hex, "-cwd"),
    ("tmp.", 10, Drawn::Alphanumeric, ""),
    (".tmp", 6, Drawn::Alphanumeric, ""),
    ("tmp", 8, Drawn::Python, ""),
];

/// Writes the shape of a name that a rule of its own knows.
fn known(name: &[u8], out: &mut String) -> bool {
    for (before, length, drawn, after) in KNOWN {
        if let Some(random) = name
            .strip_prefix(before.as_bytes())
            .and_then(|rest| rest.strip_suffix(after.as_bytes()))
            && random.len() == length
            && random.iter().all(|byte| drawn.has(*byte))
        {
            out.push_str(before);
            push_random(length, out);
            out.push_str(after);
            return true;
        }
    }
    for before in ["srt-mux-", "srt-tt-"] {
        // A process id and a counter in base 36.
        if let Some(rest) = name
            .strip_prefix(before.as_bytes())
            .and_then(|rest| rest.strip_suffix(b".sock"))
            && let Some(dash) = rest.iter().position(|byte| *byte == b'-')
            && let (pid, counter) = rest.split_at(dash)
            && !pid.is_empty()
            && counter.len() > 1
            && pid.iter().all(u8::is_ascii_digit)
            && counter.iter().skip(1).all(u8::is_ascii_alphanumeric)
        {
            out.push_str(before);
            out.push_str("N-N.sock");
            return true;
        }
    }
    false
}

/// What follows a UUID at the start of `bytes`; `None` where there is none.
fn after_uuid(bytes: &[u8]) -> Option<&[u8]> {
    let (uuid, tail) = bytes.split_at_checked(36)?;
    let is_uuid = uuid.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    let ends = !tail.first().is_some_and(u8::is_ascii_alphanumeric);
    (is_uuid && ends).then_some(tail)
}

/// Writes one run of letters and digits.
fn push_token(token: &[u8], out: &mut String) {
    let is_hex = |token: &[u8]| {
        token
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
            || token
                .iter()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F'))
    };
    if token.iter().all(u8::is_ascii_digit) {
        out.push('N');
    } else if token.len() >= 16 && is_hex(token) {
        out.push_str("HEX");
    } else if is_random(token) {
        push_random(token.len(), out);
    } else {
        // A word, perhaps with a number before or behind it: `session12`, `2nd`.
        let mut was_digit = false;
        for byte in token {
            if byte.is_ascii_digit() {
                if !was_digit {
                    out.push('N');
                }
            } else {
                out.push(char::from(*byte));
            }
            was_digit = byte.is_ascii_digit();
        }
    }
}

fn push_random(length: usize, out: &mut String) {
    out.extend(std::iter::repeat_n('X', length.min(12)));
}

/// Whether a run of letters and digits looks drawn rather than written: letters and digits take
/// turns, or capitals stand where no word has them.
fn is_random(token: &[u8]) -> bool {
    if token.len() < 6 {
        return false;
    }
    let turns = token
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
        .count();
    if turns >= 2 {
        return true;
    }
    let words = token
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
        .count()
        .saturating_add(1);
    // `createReadStream` has more than two letters and a half to a word.
    words > 2 && token.len().saturating_mul(2) <= words.saturating_mul(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_keep_words_and_replace_what_a_program_made_up() {
        for (name, expected) in [
            ("claude-empty-Ab3xY9", "claude-empty-XXXXXX"),
            ("claude-empty-foobar", "claude-empty-XXXXXX"),
            ("claude-empty-home-Ab3xY9", "claude-empty-home-XXXXXX"),
            ("srt-mux-97425-1.sock", "srt-mux-N-N.sock"),
            ("srt-mux-6-zz9.sock", "srt-mux-N-N.sock"),
            ("claude-http-0123456789abcdef.sock", "claude-http-HEX.sock"),
            ("srt-ca-abcdef", "srt-ca-XXXXXX"),
            ("claude-beef-cwd", "claude-XXXX-cwd"),
            ("tmpclaude-12ab-cwd", "tmpclaude-XXXX-cwd"),
            ("tmp.Qw3rT7uIoP", "tmp.XXXXXXXXXX"),
            ("tmp.abcdefghij", "tmp.XXXXXXXXXX"),
            (".tmpA1b2C3", ".tmpXXXXXX"),
            ("tmpab_d3f9x", "tmpXXXXXXXX"),
            ("smithers-test-4711-3", "smithers-test-N-N"),
            ("pytest-17", "pytest-N"),
            (".0123456789abcdef-12345678.node", ".HEX-N.node"),
            ("temp_git_1758500000000_a1b2c3", "temp_git_N_XXXXXX"),
            ("0b5c1f8e-1111-4222-8333-123456789abc.jsonl", "UUID.jsonl"),
            ("claude-501", "claude-N"),
            ("2026-09-22.log", "N-N-N.log"),
            ("session12", "sessionN"),
            ("createReadStream.js", "createReadStream.js"),
            ("node-compile-cache", "node-compile-cache"),
            ("README.md", "README.md"),
            ("日本語-7", "日本語-N"),
            ("", ""),
        ] {
            assert_eq!(shape(name.as_bytes()), expected, "{name}");
        }
        assert_eq!(shape(b"a\n\xff-1"), "a\u{fffd}\u{fffd}-N");
    }
}

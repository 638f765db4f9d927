//! Exact names, written as a person reads them: `srt-mux-{pid}-{base36}.sock`.
//!
//! Not [`crate::shape`], which is for the eye. A name fits whole or not at all: names that only begin alike
//! are other programs' (`claude-empty-home-XXXXXX`).
//!
//! | token | stands for |
//! |---|---|
//! | `{A6}` | six of `A-Z a-z 0-9`; any number may stand for the six, here and below |
//! | `{h16}` | sixteen of `0-9 a-f` |
//! | `{d8}` | eight digits |
//! | `{z8}` | eight of `0-9 a-z` |
//! | `{py8}` | eight of `a-z 0-9 _` |
//! | `{base36}` | one or more of `0-9 a-z` |
//! | `{n}` | a number of at most ten digits |
//! | `{pid}` | the same, without a leading zero: kept in [`Named::pid`] |
//! | `{ms}` | thirteen digits: kept in [`Named::millis`] |
//! | `{uuid}` | kept in [`Named::session`] |
//! | `{version}` | three numbers with dots between them |
//! | `{+}` | one or more of anything but `/` |
//!
//! Everything else stands for itself.

use super::candidate::Named;

/// Whether a whole name fits a pattern, and what it says.
#[must_use]
pub fn fits(pattern: &str, name: &[u8]) -> Option<Named> {
    if name.contains(&b'/') {
        return None;
    }
    let mut named = Named::default();
    rest_fits(pattern, name, &mut named).then_some(named)
}

/// Whether a name fits one component of a [`super::Place`]: `*` is any name, everything else a pattern.
#[must_use]
pub fn fits_component(component: &str, name: &[u8]) -> bool {
    fits(if component == "*" { "{+}" } else { component }, name).is_some()
}

/// Whether every token of a pattern is known. A pattern with an unknown one fits nothing.
#[must_use]
pub fn is_pattern(pattern: &str) -> bool {
    let mut rest = pattern;
    while !rest.is_empty() {
        match next(rest) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    !pattern.is_empty()
}

/// A set of bytes.
type Set = fn(u8) -> bool;

/// A part of a pattern.
enum Token<'p> {
    /// Itself.
    Literal(&'p str),
    /// Between so many and so many of a set, with what they say.
    Some {
        set: Set,
        least: usize,
        most: usize,
        says: fn(&str, &mut Named) -> bool,
    },
    /// A session's id.
    Uuid,
    /// Three numbers with dots.
    Version,
}

/// Longest name that any of our filesystems has.
const LONGEST: usize = 1024;

/// The first token of a pattern and what follows it; none where it is unknown.
fn next(pattern: &str) -> Option<(Token<'_>, &str)> {
    let Some(inner) = pattern.strip_prefix('{') else {
        let (literal, rest) = pattern.split_at(pattern.find('{').unwrap_or(pattern.len()));
        return Some((Token::Literal(literal), rest));
    };
    let (word, rest) = inner.split_once('}')?;
    let some = |set, least, most| Token::Some {
        set,
        least,
        most,
        says: |_, _| true,
    };
    let token = match word {
        "+" => some(|byte| byte != b'/', 1, LONGEST),
        "base36" => some(base36, 1, LONGEST),
        "n" => some(|byte| byte.is_ascii_digit(), 1, 10),
        "pid" => Token::Some {
            set: |byte| byte.is_ascii_digit(),
            least: 1,
            most: 10,
            says: |text, named| {
                named.pid = text.parse().ok();
                named.pid.is_some() && !text.starts_with('0')
            },
        },
        "ms" => Token::Some {
            set: |byte| byte.is_ascii_digit(),
            least: 13,
            most: 13,
            says: |text, named| {
                named.millis = text.parse().ok();
                named.millis.is_some()
            },
        },
        "uuid" => Token::Uuid,
        "version" => Token::Version,
        counted => {
            let digits = counted.find(|letter: char| letter.is_ascii_digit())?;
            let (letters, count) = counted.split_at(digits);
            let count = count.parse().ok()?;
            let set: Set = match letters {
                "A" => |byte| byte.is_ascii_alphanumeric(),
                "h" => hex,
                "d" => |byte| byte.is_ascii_digit(),
                "z" => base36,
                "py" => |byte| base36(byte) || byte == b'_',
                _ => return None,
            };
            some(set, count, count)
        }
    };
    Some((token, rest))
}

fn base36(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_lowercase()
}

fn hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// Whether all of a name fits all of a pattern. Tries longer matches of a token first and goes back to
/// shorter ones; patterns have at most three tokens of open length.
fn rest_fits(pattern: &str, name: &[u8], named: &mut Named) -> bool {
    if pattern.is_empty() {
        return name.is_empty();
    }
    let Some((token, after)) = next(pattern) else {
        return false;
    };
    match token {
        Token::Literal(literal) => name
            .strip_prefix(literal.as_bytes())
            .is_some_and(|rest| rest_fits(after, rest, named)),
        Token::Some {
            set,
            least,
            most,
            says,
        } => {
            let run = name.iter().take(most).take_while(|byte| set(**byte));
            (least..=run.count()).rev().any(|length| {
                let (text, rest) = name.split_at(length);
                // What it says is read only of tokens whose set is ASCII.
                says(str::from_utf8(text).unwrap_or_default(), named)
                    && rest_fits(after, rest, named)
            })
        }
        Token::Uuid => name.split_at_checked(36).is_some_and(|(text, rest)| {
            is_uuid(text) && {
                // The first one: `<session>-agent-<agent>.json`.
                if named.session.is_none() {
                    named.session = str::from_utf8(text).ok().map(str::to_owned);
                }
                rest_fits(after, rest, named)
            }
        }),
        Token::Version => rest_fits_version(after, name, named),
    }
}

/// Lower case, as every session's id is.
fn is_uuid(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => hex(*byte),
    })
}

/// A version is three numbers; written as the tokens that it is made of.
fn rest_fits_version(after: &str, name: &[u8], named: &mut Named) -> bool {
    rest_fits(&["{n}.{n}.{n}", after].concat(), name, named)
}

#[cfg(test)]
mod tests;

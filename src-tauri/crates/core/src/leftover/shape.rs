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
mod tests {
    use super::*;

    fn fit(pattern: &str, name: &str) -> bool {
        fits(pattern, name.as_bytes()).is_some()
    }

    #[test]
    fn every_name_of_the_sandbox_runtime_fits_and_every_look_alike_does_not() {
        for (pattern, ours, theirs) in [
            (
                "claude-empty-{A6}",
                &["claude-empty-Ab3xY9", "claude-empty-000000"][..],
                &[
                    "claude-empty-home-XXXXXX",
                    "machine-claude-empty-XXXXXX",
                    "claude-empty-Ab3xY",
                    "claude-empty-Ab3xY99",
                    "claude-empty-Ab3_Y9",
                    "claude-empty-",
                    "Claude-empty-Ab3xY9",
                    "claude-empty-Ab3xY9 ",
                    "claude-empty-Ab3xY\u{e9}",
                ][..],
            ),
            (
                "srt-mux-{pid}-{base36}.sock",
                &[
                    "srt-mux-6-1.sock",
                    "srt-mux-97425-1.sock",
                    "srt-mux-1-zz9.sock",
                ],
                &[
                    "srt-mux-0-1.sock",
                    "srt-mux-06-1.sock",
                    "srt-mux-99999999999-1.sock",
                    "srt-mux-9999999999-1.sock",
                    "srt-mux--1.sock",
                    "srt-mux-6-.sock",
                    "srt-mux-6-Z.sock",
                    "srt-mux-6-1.socket",
                    "srt-mux-6-1.sock.bak",
                    "xsrt-mux-6-1.sock",
                ],
            ),
            (
                "claude-http-{h16}.sock",
                &["claude-http-0123456789abcdef.sock"],
                &[
                    "claude-http-0123456789ABCDEF.sock",
                    "claude-http-0123456789abcde.sock",
                    "claude-http-0123456789abcdef0.sock",
                    "claude-https-0123456789abcdef.sock",
                ],
            ),
            (
                "claude-{h4}-cwd",
                &["claude-1a2b-cwd"],
                &[
                    "claude-export.csv",
                    "claude-1a2b-cwd2",
                    "claude-1a2g-cwd",
                    "claude-1a2-cwd",
                ],
            ),
            (
                ".{h16}-{d8}.node",
                &[".0123456789abcdef-00000001.node"],
                &[
                    ".bun-1000-0123456789abcdef.node",
                    "0123456789abcdef-00000001.node",
                    ".0123456789abcdef-0000000a.node",
                    ".addon.0123456789abcdef-1.node",
                ],
            ),
            (
                "tmp{py8}",
                &["tmpa1_b2c3d"],
                &["tmp.Ab3xY9", "tmpA1_b2c3d", "tmpa1_b2c3", "tmp"],
            ),
            (
                "tmp.{A10}",
                &["tmp.Ab3xY9Ab3x"],
                &["tmp.Ab3xY9Ab3", "tmp-Ab3xY9Ab3x"],
            ),
            (".tmp{A6}", &[".tmpAb3xY9"], &["tmpAb3xY9", ".tmpAb3xY"]),
            (
                "{version}",
                &["2.1.280", "0.0.1"],
                &["2.1", "2.1.280-beta", "v2.1.280", "2.1.280.1"],
            ),
            (
                "a{z9}.output",
                &["abpnhmxvx1.output"],
                &["abpnhmxvx.output", "aBpnhmxvx1.output"],
            ),
        ] {
            assert!(is_pattern(pattern), "{pattern}");
            for name in ours {
                assert!(fit(pattern, name), "{name} is a {pattern}");
            }
            for name in theirs {
                assert!(!fit(pattern, name), "{name} is no {pattern}");
            }
        }
    }

    #[test]
    fn open_ends_give_back_what_the_rest_needs() {
        assert!(fit("{+}-test-{n}-{n}", "web-test-shop-test-4711-3"));
        assert!(!fit("{+}-test-{n}-{n}", "-test-4711-3"));
        assert!(!fit("{+}-test-{n}-{n}", "web-test-4711-"));
        assert!(fit("{base36}a", "aaa"));
        assert!(fit("{+}", "any name\n"));
        assert!(!fit("{+}", "two/names") && !fit("{+}", ""));
        assert!(fits("x-{+}", b"x-\xff\xfe").is_some(), "names are bytes");
    }

    #[test]
    fn a_name_says_its_number_its_moment_and_its_session() {
        let named = fits("srt-mux-{pid}-{base36}.sock", b"srt-mux-4711-1.sock").unwrap();
        assert_eq!(named.pid, Some(4711));
        let named = fits("temp_git_{ms}_{A6}", b"temp_git_1763000000123_a1b2c3").unwrap();
        assert_eq!(named.millis, Some(1_763_000_000_123));
        let id = "01234567-89ab-cdef-0123-456789abcdef";
        assert_eq!(
            fits("{uuid}", id.as_bytes()).unwrap().session.as_deref(),
            Some(id)
        );
        let two = format!("{id}-agent-{}.json", id.replace('0', "f"));
        let named = fits("{uuid}-agent-{uuid}.json", two.as_bytes()).unwrap();
        assert_eq!(named.session.as_deref(), Some(id), "the first one");
        assert!(!fit("{uuid}", "01234567-89ab-cdef-0123_456789abcdef"));
        assert!(!fit("{uuid}", "01234567-89AB-cdef-0123-456789abcdef"));
        assert!(!fit("{uuid}", "01234567-89ab-cdef-0123-456789abcde"));
    }

    #[test]
    fn a_component_of_a_place_is_any_name_or_a_pattern() {
        assert!(fits_component("*", b"-Users-you-webshop"));
        assert!(!fits_component("*", b""));
        assert!(fits_component("tasks", b"tasks") && !fits_component("tasks", b"task"));
        assert!(fits_component(
            "claude-mcp-browser-bridge-{+}",
            b"claude-mcp-browser-bridge-you"
        ));
    }

    #[test]
    fn an_unknown_token_fits_nothing() {
        for pattern in ["{what}", "{x6}", "{A}", "a{", "{A6", ""] {
            assert!(!is_pattern(pattern), "{pattern}");
            assert!(!fit(pattern, "a") && !fit(pattern, pattern) || pattern.is_empty());
        }
        assert!(!fit("", "a"));
    }

    proptest::proptest! {
        #[test]
        fn no_name_makes_it_panic(name in proptest::collection::vec(0u8.., 0..300)) {
            for pattern in ["{+}-test-{n}-{n}", "srt-mux-{pid}-{base36}.sock", "{uuid}", "{version}{+}"] {
                let _named = fits(pattern, &name);
            }
        }
    }
}

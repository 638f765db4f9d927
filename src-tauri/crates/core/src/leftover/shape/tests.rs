//! Names that fit, and look-alikes of other programs that do not.

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

//! What gates ask of a candidate, beyond its sizes. None where it could not be seen.

mod launched;
mod superseded;
mod surroundings;
mod tracked;

use std::ffi::OsStr;

use sandtray_core::leftover::candidate::{Candidate, Content};
use sandtray_core::leftover::{Class, Gate, shape, table};

use super::folder::{Folder, Look, What};
use super::tree::{Belongs, Tree};

#[cfg(test)]
#[cfg(unix)]
pub(super) use launched::launched;
pub(super) use surroundings::Surroundings;

/// Longest file that can be one path.
const LONGEST_PATH: u64 = 4096;

/// What belongs into a folder of a class that holds nothing but its own: sandbox-runtime's, by its name.
pub(super) fn belongs(name: &OsStr) -> Option<Belongs> {
    let rules: [(&[u8], Belongs); 4] = [
        (b"srt-obs-", |name, what| {
            what == What::Socket && shape::fits("s{h8}.sock", name).is_some()
        }),
        (b"srt-credmask-", |name, what| {
            what == What::File && shape::fits("{n}.fake", name).is_some()
        }),
        (b"srt-ca-", |name, what| {
            let own: [&[u8]; 3] = [b"ca.crt", b"ca.key", b"trust-bundle.crt"];
            what == What::File && own.contains(&name)
        }),
        // Sources and what was compiled from them, for a few weeks of 2025.
        (b"seccomp-cache", |name, what| {
            let ends = [&b".c"[..], b".py", b".bpf"];
            let compiled = name.starts_with(b"seccomp-unix-block-");
            what == What::File && (compiled || ends.iter().any(|end| name.ends_with(end)))
        }),
    ];
    let name = name.as_encoded_bytes();
    let rule = rules.into_iter().find(|(start, _)| name.starts_with(start));
    rule.map(|(_, belongs)| belongs)
}

/// The gates of a class, and of the one that its candidates may turn out to belong to.
pub(super) fn gates(class: &'static Class) -> impl Iterator<Item = &'static Gate> {
    let other = class.otherwise.and_then(table::class);
    let others = other.map_or(&[][..], |class| class.gates);
    class.gates.iter().chain(others)
}

/// Answers the gates of a class that a look at everything in a directory can answer.
pub(super) fn of_tree(tree: &Tree, has_rule: bool, class: &'static Class, content: &mut Content) {
    // What was found is true; that nothing was found is only known where everything was seen.
    let found = |found: bool| (found || tree.is_whole()).then_some(found);
    for gate in gates(class) {
        match gate {
            Gate::Empty => content.empty = found(tree.entries > 0).map(|full| !full),
            Gate::NoRepository => content.repository = found(tree.repository),
            Gate::OnlyBytecode => {
                let spoilt = found(tree.other_than_bytecode);
                content.only_bytecode = spoilt.map(|spoilt| !spoilt && tree.bytecode > 0);
            }
            Gate::OnlyOwnKind if has_rule => {
                content.own_kind = found(tree.alien).map(|alien| !alien);
            }
            _ => {}
        }
    }
}

/// Answers the gates of a class that a look into a file can answer.
pub(super) fn of_file(folder: &Folder, name: &OsStr, look: &Look, candidate: &mut Candidate) {
    let content = &mut candidate.content;
    for gate in gates(candidate.class) {
        match gate {
            Gate::Empty => content.empty = Some(look.apparent.0 == 0),
            // As the sandbox makes what it mounts `/dev/null` over.
            Gate::OnlyOwnKind => {
                let mode = look.mode.map(|mode| mode == 0o444);
                content.own_kind = mode.map(|mode| mode && look.apparent.0 == 0);
            }
            Gate::NativeLibrary => {
                let head = folder.read(name, look.id, 4).ok().flatten();
                content.native = head.map(|head| is_native(&head));
            }
            Gate::OnePathLine => {
                content.path_line = if look.apparent.0 > LONGEST_PATH {
                    Some(false)
                } else {
                    let most = usize::try_from(LONGEST_PATH).unwrap_or_default();
                    let text = folder.read(name, look.id, most + 1).ok().flatten();
                    text.map(|text| text.len() <= most && is_path_line(&text))
                };
            }
            _ => {}
        }
    }
}

/// ELF, Mach-O in both orders and sizes and as a fat file, PE.
fn is_native(head: &[u8]) -> bool {
    const MAGIC: [&[u8]; 9] = [
        b"\x7fELF",
        b"\xfe\xed\xfa\xce",
        b"\xfe\xed\xfa\xcf",
        b"\xce\xfa\xed\xfe",
        b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"\xca\xfe\xba\xbf",
        b"\xbf\xba\xfe\xca",
        b"MZ",
    ];
    MAGIC.iter().any(|magic| head.starts_with(magic))
}

/// One line that is an absolute path, of any system: Git's shell on Windows writes Unix paths.
fn is_path_line(text: &[u8]) -> bool {
    let line = text
        .strip_suffix(b"\r\n")
        .or_else(|| text.strip_suffix(b"\n"))
        .unwrap_or(text);
    let absolute = match line {
        [b'/', ..] | [b'\\', b'\\', _, ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    };
    absolute && !line.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_that_is_a_path_and_nothing_else() {
        for text in [
            "/home/you/project\n",
            "/",
            "C:\\Users\\you\r\n",
            "d:/Rhema-App",
            "\\\\server\\share",
            "/with space/\u{e9}",
        ] {
            assert!(is_path_line(text.as_bytes()), "{text:?}");
        }
        for text in [
            "",
            "\n",
            "home/you",
            "/a\n/b\n",
            "/a\n\n",
            "id,name\n1,/a\n",
            "/a\0b",
            "C:relative",
            "1:/x",
            "\\\\",
        ] {
            assert!(!is_path_line(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn libraries_are_known_by_their_first_bytes() {
        for head in [&b"\x7fELF"[..], b"MZ\x90\0", b"\xcf\xfa\xed\xfe"] {
            assert!(is_native(head));
        }
        for head in [&b""[..], b"M", b"\x7fEL", b"#!/b", b"{\"a\""] {
            assert!(!is_native(head));
        }
    }

    #[test]
    fn folders_of_the_sandbox_hold_only_what_is_its_own() {
        let asks = |folder: &str, name: &str, what| {
            belongs(OsStr::new(folder)).is_some_and(|belongs| belongs(name.as_bytes(), what))
        };
        assert!(asks("srt-obs-Ab3xY9", "s0123abcd.sock", What::Socket));
        assert!(!asks("srt-obs-Ab3xY9", "s0123abcd.sock", What::File));
        assert!(!asks("srt-obs-Ab3xY9", "s0123abcde.sock", What::Socket));
        assert!(asks("srt-credmask-Ab3xY9", "12.fake", What::File));
        assert!(!asks("srt-credmask-Ab3xY9", "a.fake", What::File));
        assert!(asks("srt-ca-Ab3xY9", "ca.key", What::File));
        assert!(!asks("srt-ca-Ab3xY9", "ca.key", What::Link));
        assert!(!asks("srt-ca-Ab3xY9", "notes.txt", What::File));
        assert!(asks("seccomp-cache", "filter.bpf", What::File));
        assert!(asks("seccomp-cache", "seccomp-unix-block-0a1f", What::File));
        assert!(!asks("seccomp-cache", "notes.md", What::File));
        assert!(belongs(OsStr::new("tmp.0123456789")).is_none());
    }
}

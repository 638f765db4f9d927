//! `/proc/<pid>/net/unix`: sockets of one network namespace, whoever's.

/// The socket takes connections (`__SO_ACCEPTCON`).
const LISTENS: u32 = 0x0001_0000;

/// File names of the sockets on which somebody listens. Abstract ones lie in no folder and are left out.
/// Only the last name: the path is as the listener wrote it, in its own mounts.
pub(super) fn listening(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter_map(line)
}

/// `ffff…: 00000002 00000000 00010000 0001 01 12345 /path with spaces`
fn line(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line;
    let mut field = || {
        let begin = rest.iter().position(|byte| *byte != b' ')?;
        let tail = rest.get(begin..)?;
        let end = tail.iter().position(|byte| *byte == b' ')?;
        let (field, behind) = tail.split_at(end);
        rest = behind;
        Some(field)
    };
    field()?.strip_suffix(b":")?;
    let (_references, _protocol) = (field()?, field()?);
    let flags = u32::from_str_radix(str::from_utf8(field()?).ok()?, 16).ok()?;
    let (_kind, _state, _inode) = (field()?, field()?, field()?);
    let path = rest.strip_prefix(b" ")?;
    (flags & LISTENS != 0 && !path.starts_with(b"@"))
        .then(|| name(path))
        .flatten()
}

/// The last name of a socket's path, which may be followed by NULs.
pub(super) fn name(path: &[u8]) -> Option<&[u8]> {
    let path = path.split(|byte| *byte == 0).next()?;
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &[u8] = b"\
Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 20171 /tmp/srt-mux-4711-0.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20172 /tmp/connected.sock
0000000000000000: 00000002 00000000 00000000 0002 01 20173 /tmp/datagram.sock
0000000000000000: 00000002 00000000 00010000 0001 01 20174 @abstract/name.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20175
0000000000000000: 00000002 00000000 00010000 0005 01 20176 /run/user/1000/a b.sock
0000000000000000: 00000002 00000000 00010000 0001 01 20177 relative.sock
";

    #[test]
    fn listeners_with_a_file_are_named_and_nothing_else_is() {
        let found: Vec<&[u8]> = listening(RECORDED).collect();
        assert_eq!(
            found,
            [&b"srt-mux-4711-0.sock"[..], b"a b.sock", b"relative.sock"]
        );
    }

    #[test]
    fn a_path_in_a_record_ends_at_its_first_nul() {
        assert_eq!(name(b"/tmp/x.sock\0\0\0"), Some(&b"x.sock"[..]));
        assert_eq!(name(b"\0\0"), None);
        assert_eq!(name(b"/tmp/"), None);
    }

    #[test]
    fn lines_that_do_not_fit_are_left_out() {
        for text in [
            "",
            "\n\n",
            "a: b",
            "a: 1 2 00010000 4 5 6",
            "a: 1 2 zz 4 5 6 /x",
            "a: 1 2 00010000 4 5 6 /",
        ] {
            assert_eq!(listening(text.as_bytes()).count(), 0, "{text}");
        }
    }
}

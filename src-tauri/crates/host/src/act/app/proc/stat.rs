//! `/proc/<pid>/stat` and `status`: readable for everybody, whoever the process belongs to.

/// What one line of `stat` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Its number.
    pub(crate) pid: u32,
    /// The number of its parent; that of its reaper where the parent is gone.
    pub(crate) parent: u32,
    /// Its name, up to 15 bytes, as it likes to call itself.
    pub(crate) name: Vec<u8>,
    /// Ended, and not yet waited for by its parent.
    pub(crate) ended: bool,
    /// How many threads live; those of an ended main thread may live on.
    pub(crate) threads: u32,
    /// When it started, in clock ticks since the machine did.
    pub(crate) started: u64,
}

impl Stat {
    /// Reads `pid (name) state parent …`. The name may hold spaces, brackets and newlines: it ends at
    /// the last bracket.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let open = text.iter().position(|byte| *byte == b'(')?;
        let close = text.iter().rposition(|byte| *byte == b')')?;
        let pid = number(text.get(..open)?.trim_ascii())?;
        let name = text.get(open + 1..close)?.to_owned();
        let fields: Vec<&[u8]> = text
            .get(close + 1..)?
            .split(u8::is_ascii_whitespace)
            .filter(|field| !field.is_empty())
            .collect();
        // Fields are counted from 1 in proc(5) and the state is the third.
        let field = |nth: usize| fields.get(nth - 3).copied();
        Some(Self {
            pid,
            parent: number(field(4)?)?,
            name,
            ended: matches!(field(3)?, b"Z" | b"X" | b"x"),
            threads: number(field(20)?)?,
            started: number(field(22)?)?,
        })
    }
}

/// Whose rights a process has: the second of the four numbers of `Uid:` in `status`. (The owner of the
/// folder `/proc/<pid>` is root where the process may not be looked into.)
pub(in super::super) fn effective_uid(status: &[u8]) -> Option<u32> {
    let line = status
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"Uid:"))?;
    let mut uids = line
        .split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty());
    number(uids.nth(1)?)
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = "4242 4242 0 -1 4194560 9731 0 12 0 88 21 0 0 20 0 31 0 5512 1219698688 44203 \
                        18446744073709551615 1 1 0 0 0 0 0 4096 1098993919 0 0 0 17 1 0 0 0 0 0\n";

    fn named(name: &str) -> Option<Stat> {
        Stat::parse(format!("4242 ({name}) S 1811 {REST}").as_bytes())
    }

    #[test]
    fn a_recorded_line_is_read() {
        let stat = named("claude-desktop").unwrap();
        assert_eq!((stat.pid, stat.parent), (4242, 1811));
        assert_eq!((stat.threads, stat.started, stat.ended), (31, 5512, false));
        assert_eq!(stat.name, b"claude-desktop");
    }

    #[test]
    fn a_name_cannot_pretend_to_be_another_parent() {
        for name in ["x) S 1 ", ") (", "a\nb", "((", ""] {
            let stat = named(name).unwrap();
            assert_eq!((stat.parent, stat.name.as_slice()), (1811, name.as_bytes()));
        }
        assert!(
            Stat::parse(format!("7 (gone) Z 1 {REST}").as_bytes())
                .unwrap()
                .ended
        );
    }

    #[test]
    fn what_is_no_such_line_is_nothing() {
        for text in [
            "",
            "1",
            "1 (a",
            "1 a) S 1",
            ")(",
            "x (a) S 1 2",
            "1 (a) S -1 2 3",
            "1 (a) S",
        ] {
            assert_eq!(Stat::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_effective_uid_counts_and_not_the_real_one() {
        let status = b"Name:\tchrome-sandbox\nUmask:\t0022\nState:\tS (sleeping)\nUid:\t1000\t0\t0\t0\nGid:\t1000\t1000\t1000\t1000\n";
        assert_eq!(effective_uid(status), Some(0));
        assert_eq!(effective_uid(b"Name:\tUid:\nUid:\t7\n"), None);
        assert_eq!(effective_uid(b""), None);
    }
}

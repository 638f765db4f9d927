//! `/proc/<pid>/status`, and the flags that stand in `stat`.

/// Whose rights a process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rights {
    /// Who started it.
    pub(super) real: u32,
    /// Whose it acts with.
    pub(super) effective: u32,
}

impl Rights {
    /// Root's through and through. A program that only borrows root's rights is the user's who started it.
    pub(super) const fn is_root(self) -> bool {
        self.real == 0 && self.effective == 0
    }

    pub(super) const fn has(self, uid: u32) -> bool {
        self.real == uid || self.effective == uid
    }
}

/// What one `status` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// None where the line is missing.
    pub(super) rights: Option<Rights>,
    /// Its numbers in every namespace it is in, the outermost first.
    pub(super) numbers: Vec<u32>,
}

impl Status {
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut status = Self::default();
        for line in text.split(|byte| *byte == b'\n') {
            if let Some(uids) = line.strip_prefix(b"Uid:") {
                let uids = numbers(uids);
                if let [real, effective, ..] = uids.as_slice() {
                    status.rights = Some(Rights {
                        real: *real,
                        effective: *effective,
                    });
                }
            } else if let Some(pids) = line.strip_prefix(b"NSpid:") {
                status.numbers = numbers(pids);
            }
        }
        status
    }

    /// Its numbers in namespaces within ours.
    pub(super) fn inner(&self) -> &[u32] {
        self.numbers.get(1..).unwrap_or_default()
    }
}

fn numbers(text: &[u8]) -> Vec<u32> {
    text.split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty())
        .map_while(|field| str::from_utf8(field).ok()?.parse().ok())
        .collect()
}

/// Part of the kernel: no memory, no files of its own.
const KERNEL_THREAD: u64 = 0x0020_0000;
/// Forked and not yet running a program of its own.
const BEGINNING: u64 = 0x0000_0040;

/// What the flags in a line of `stat` say (field 9 of proc(5)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u64);

impl Flags {
    pub(super) fn parse(stat: &[u8]) -> Self {
        let close = stat.iter().rposition(|byte| *byte == b')');
        let field = close
            .and_then(|close| stat.get(close + 1..))
            .and_then(|rest| {
                rest.split(u8::is_ascii_whitespace)
                    .filter(|field| !field.is_empty())
                    .nth(6)
            });
        Self(
            field
                .and_then(|field| str::from_utf8(field).ok()?.parse().ok())
                .unwrap_or_default(),
        )
    }

    pub(super) const fn is_kernel(self) -> bool {
        self.0 & KERNEL_THREAD != 0
    }

    pub(super) const fn is_beginning(self) -> bool {
        self.0 & BEGINNING != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &[u8] =
        b"Name:\tsocat\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t71\nPid:\t71\n\
        Uid:\t1000\t0\t0\t0\nGid:\t1000\t1000\t1000\t1000\nNStgid:\t71\t9\t2\nNSpid:\t71\t9\t2\n";

    #[test]
    fn rights_and_numbers_are_read() {
        let status = Status::parse(RECORDED);
        let rights = status.rights.unwrap();
        assert_eq!((rights.real, rights.effective), (1000, 0));
        assert!(!rights.is_root() && rights.has(1000) && rights.has(0) && !rights.has(1));
        assert_eq!(status.inner(), [9, 2]);
        let plain = Status::parse(b"NSpid:\t5\n");
        assert_eq!((plain.rights, plain.inner()), (None, &[][..]));
        assert_eq!(Status::parse(b"Uid:\nNSpid: x\n\0"), Status::default());
    }

    #[test]
    fn a_kernel_thread_and_a_process_before_its_program_are_told_by_flags() {
        let flags =
            |flags: u64| Flags::parse(format!("7 (a) S b) S 1 2 3 0 -1 {flags} 0").as_bytes());
        assert!(flags(0x0020_8040).is_kernel() && flags(0x0020_8040).is_beginning());
        assert!(!flags(4_194_304).is_kernel() && !flags(4_194_304).is_beginning());
        assert_eq!(Flags::parse(b"7 (a"), Flags::default());
        assert_eq!(Flags::parse(b"7 (a) S"), Flags::default());
    }
}

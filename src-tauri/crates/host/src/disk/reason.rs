//! Why a disk has no number now, for its gauge, and what a person can do about it.

use std::io;

use sandtray_core::gauge::UnknownReason;

use crate::error::{Cause, Failure};

/// The gauge's reason for a failed [`read`](super::read).
#[must_use]
pub fn reason(failure: &Failure) -> UnknownReason {
    of(&failure.cause)
}

/// The reason of a cause.
pub(super) fn of(cause: &Cause) -> UnknownReason {
    match cause {
        Cause::Io(error) => of_io(error.kind(), error.raw_os_error(), cfg!(windows)),
        Cause::Unsupported(_) | Cause::Newer(_) => UnknownReason::Unsupported,
        Cause::Corrupt(_) => UnknownReason::Corrupt,
    }
}

/// Sharing and lock violations have no kind of their own in std: while the VM runs, Hyper-V keeps its disks
/// to itself. An image that ends while it is read is being made or replaced.
fn of_io(kind: io::ErrorKind, code: Option<i32>, windows: bool) -> UnknownReason {
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    match (kind, code) {
        (_, Some(SHARING_VIOLATION | LOCK_VIOLATION)) if windows => UnknownReason::Busy,
        (
            io::ErrorKind::ResourceBusy
            | io::ErrorKind::WouldBlock
            | io::ErrorKind::ExecutableFileBusy
            | io::ErrorKind::UnexpectedEof,
            _,
        ) => UnknownReason::Busy,
        (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, _) => UnknownReason::Missing,
        (io::ErrorKind::PermissionDenied, _) => UnknownReason::Denied,
        (io::ErrorKind::TimedOut, _) => UnknownReason::TimedOut,
        _ => UnknownReason::Failed,
    }
}

/// What to do about a cause.
pub(super) fn hint(cause: &Cause) -> Option<&'static str> {
    match (of(cause), cause) {
        (UnknownReason::Denied, _) => Some(
            "Run Sandtray as the user who owns the image, or give this user the right to read it.",
        ),
        (UnknownReason::Busy, _) => Some(
            "The virtual machine has it open or is replacing it; Sandtray will look again. \
             Quitting Claude Desktop releases it.",
        ),
        (UnknownReason::Missing, _) => Some(
            "Check the path; Claude Desktop makes its disks when a task first runs in the sandbox.",
        ),
        (UnknownReason::Corrupt, _) => Some(
            "The disk may be in the middle of being written; Sandtray will look again. Where it stays \
             so, the image is damaged or is no disk of the sandbox.",
        ),
        (UnknownReason::Unsupported, _) => Some(
            "Only the inside cannot be shown; what it takes on this machine is measured all the same.",
        ),
        (_, Cause::Io(_)) => Some("Check the volume it lies on; Sandtray will look again."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_disk_locked_by_hyper_v_is_busy_and_not_broken() {
        for code in [32, 33] {
            let kind = io::ErrorKind::Other;
            assert_eq!(of_io(kind, Some(code), true), UnknownReason::Busy);
            assert_eq!(of_io(kind, Some(code), false), UnknownReason::Failed);
        }
    }

    #[test]
    fn every_cause_has_the_reason_its_gauge_shows() {
        for (cause, expected) in [
            (
                Cause::Io(io::ErrorKind::NotFound.into()),
                UnknownReason::Missing,
            ),
            (
                Cause::Io(io::ErrorKind::PermissionDenied.into()),
                UnknownReason::Denied,
            ),
            (
                Cause::Io(io::ErrorKind::ResourceBusy.into()),
                UnknownReason::Busy,
            ),
            (
                Cause::Io(io::ErrorKind::UnexpectedEof.into()),
                UnknownReason::Busy,
            ),
            (
                Cause::Io(io::ErrorKind::TimedOut.into()),
                UnknownReason::TimedOut,
            ),
            (
                Cause::Io(io::ErrorKind::Other.into()),
                UnknownReason::Failed,
            ),
            (
                Cause::Unsupported("x".to_owned()),
                UnknownReason::Unsupported,
            ),
            (Cause::Newer(2), UnknownReason::Unsupported),
            (Cause::Corrupt("x".to_owned()), UnknownReason::Corrupt),
        ] {
            let failure = Failure::new("read the disk image", Path::new("/vm/x.img"), cause);
            assert_eq!(reason(&failure), expected, "{failure}");
        }
    }
}

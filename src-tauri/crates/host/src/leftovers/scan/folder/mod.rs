//! Folders by descriptor: listed, looked into and entered, never through a link, never onto another mount.
//!
//! Names are looked at relative to the open folder, so nobody who swaps a folder for a link on the way
//! makes us look elsewhere (#14085). On Windows a folder is its path, and every reparse point is a link.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "macos.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use std::io;

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::leftover::Kind;
use sandtray_core::leftover::evidence::FileId;
use sandtray_core::time::Time;

pub(super) use system::{Folder, owner_here};

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Folder,
    File,
    Socket,
    /// A symbolic link, a junction, any other reparse point.
    Link,
    /// A pipe, a device.
    #[cfg_attr(windows, allow(dead_code, reason = "none of them has a name there"))]
    Other,
    /// The folder does not say, and nobody looked.
    Unsaid,
}

impl What {
    /// Whether it is what a class says, or may be.
    pub(super) const fn may_be(self, kind: Kind) -> bool {
        matches!(
            (self, kind),
            (Self::Unsaid, _)
                | (Self::Folder, Kind::Directory)
                | (Self::File, Kind::File)
                | (Self::Socket, Kind::Socket)
        )
    }

    /// Whether it may be entered.
    pub(super) const fn may_be_folder(self) -> bool {
        matches!(self, Self::Folder | Self::Unsaid)
    }
}

/// One look at an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) what: What,
    pub(super) id: FileId,
    /// None where the system does not say it by number.
    pub(super) owner: Option<u32>,
    /// What may be done with it, as `chmod` numbers it; none where there is no such number.
    pub(super) mode: Option<u32>,
    pub(super) apparent: Apparent,
    pub(super) allocated: Allocated,
    /// Names this inode has.
    pub(super) links: u64,
    /// Nanoseconds since 1970.
    pub(super) born: i64,
    /// The latest of birth, change and writing, likewise.
    pub(super) touched: i64,
    /// The mount it lies on; the device where the system has no number for it.
    pub(super) mount: u64,
}

impl Look {
    pub(super) const fn born_at(&self) -> Time {
        seconds(self.born)
    }
}

/// The second in which a moment lies.
pub(super) const fn seconds(nanoseconds: i64) -> Time {
    Time(nanoseconds.div_euclid(1_000_000_000))
}

/// Birth, and the latest of birth, change and writing.
///
/// Where the filesystem knows no birth, it is the earlier of the two that it knows: both are set at birth
/// at the earliest.
fn moments(birth: Option<i64>, changed: i64, written: i64) -> (i64, i64) {
    let born = birth.unwrap_or_else(|| changed.min(written));
    (born, born.max(changed).max(written))
}

/// What an attempt to enter an entry gave.
#[derive(Debug)]
pub(super) enum Entered {
    Folder(Folder, Look),
    /// The root of another mount.
    Mount,
    /// A link, a file, anything else.
    NoFolder,
    /// Nothing is there (any more).
    Gone,
    Refused(io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touch_cannot_set_back_when_something_was_touched() {
        assert_eq!(moments(Some(50), 70, 10), (50, 70));
        assert_eq!(moments(Some(50), 60, 90), (50, 90));
        assert_eq!(moments(Some(50), 20, 10), (50, 50));
        assert_eq!(moments(None, 70, 60), (60, 70));
        assert_eq!(seconds(-1), Time(-1));
        assert_eq!(seconds(1_999_999_999), Time(1));
    }
}

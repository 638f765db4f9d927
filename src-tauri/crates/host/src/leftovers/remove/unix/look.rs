//! What an entry is, and whether it is still what was judged.

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::evidence::FileId;

use super::super::{MetKind, Skip};

/// A look at an entry, never through a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) id: FileId,
    pub(super) kind: MetKind,
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Permission bits, with the sticky bit.
    pub(super) mode: u32,
    pub(super) links: u64,
    pub(super) allocated: Allocated,
    /// Seconds since 1970; none where the filesystem keeps no birth.
    pub(super) born: Option<i64>,
    pub(super) modified: i64,
    pub(super) changed: i64,
    /// The mount it was reached through; none where the system does not say.
    pub(super) mount: Option<u64>,
}

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// How strictly times are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// Nothing may have happened to it.
    All,
    /// Names may have gone from it: another cleaner is at work, or we were. A folder that was moved here or
    /// whose mode was changed has a newer change without a newer writing, and what was put into it shows
    /// itself.
    ButEmptied,
    /// Only its birth: we changed it ourselves.
    Birth,
}

impl Look {
    /// Nobody else may exchange what is in this folder. A group of the user's own number is the user alone:
    /// many Linux distributions give each one and let it write (umask 002).
    pub(super) fn is_private(&self, uid: u32) -> Result<(), &'static str> {
        let sticky = self.mode & STICKY != 0;
        if self.uid == uid {
            let private = uid != 0 && self.gid == uid;
            let group = self.mode & GROUP_WRITES != 0 && !private;
            return if (group || self.mode & OTHERS_WRITE != 0) && !sticky {
                Err("others may write in it and it is not sticky")
            } else {
                Ok(())
            };
        }
        if sticky && self.uid == 0 {
            return Ok(());
        }
        Err("another user owns it")
    }

    /// Whether another mount is to be crossed to reach it from `base`.
    pub(super) fn is_elsewhere(&self, base: &Self) -> bool {
        let volume = self.id.device != base.id.device;
        match (self.mount, base.mount) {
            // Files of one overlay have device numbers of their layers; its folders all have the same.
            (Some(ours), Some(theirs)) => {
                ours != theirs || (volume && self.kind == MetKind::Directory)
            }
            _ => volume,
        }
    }

    /// The owner is this user, the mount is the base's, and nothing happened since `touched`.
    pub(super) fn is_as_judged(
        &self,
        base: &Self,
        uid: u32,
        touched: i64,
        times: Times,
    ) -> Result<(), Skip> {
        if self.is_elsewhere(base) {
            return Err(Skip::Mounted);
        }
        if self.uid != uid {
            return Err(Skip::Foreign);
        }
        let newer = |at: i64| at > touched;
        if self.born.is_some_and(newer) {
            return Err(Skip::Changed("it, or something in it, is new"));
        }
        let changed = match times {
            Times::All => newer(self.changed) || newer(self.modified),
            Times::ButEmptied => newer(self.changed) && !newer(self.modified),
            Times::Birth => false,
        };
        if changed {
            return Err(Skip::Changed(
                "it, or something in it, was written or moved",
            ));
        }
        Ok(())
    }
}

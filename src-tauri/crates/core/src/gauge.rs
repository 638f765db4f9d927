//! Gauges fill up, meters only grow.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bytes::ratio_part;
use crate::time::Time;

/// What a gauge measures; decides unit, thresholds and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum GaugeKind {
    /// Bytes of the guest's `/sessions` filesystem. Nothing inside collects it (#59856).
    GuestSessions,
    /// Bytes of the guest's root filesystem; 86 % full on its first day (#37860).
    GuestSystem,
    /// Bytes of a host volume, as this user sees them.
    HostBytes,
    /// Inodes of a host volume; they can end at 45 % of the bytes (woojubb/robota#1976).
    HostInodes,
    /// Inodes of the guest's `/sessions` filesystem; caches of small files take more of them than of
    /// its bytes. After the others: a healthy one tells nobody anything.
    GuestSessionsInodes,
    /// Inodes of the guest's root filesystem.
    GuestSystemInodes,
}

impl GaugeKind {
    /// Whether the gauge counts bytes (else it counts inodes).
    #[must_use]
    pub const fn in_bytes(self) -> bool {
        !matches!(
            self,
            Self::HostInodes | Self::GuestSessionsInodes | Self::GuestSystemInodes
        )
    }

    /// Whether it is a gauge of a disk of the sandbox (else of a volume of this computer).
    #[must_use]
    pub const fn is_guest(self) -> bool {
        !matches!(self, Self::HostBytes | Self::HostInodes)
    }
}

/// Stable name of a gauge or meter: `<kind>:<token of the thing>`. The window and the command line
/// send it back; it is also the name of its series in the history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
#[serde(transparent)]
pub struct GaugeId(pub String);

impl GaugeId {
    /// The id of the gauge of `kind` on the thing that `token` names.
    #[must_use]
    pub fn new(kind: GaugeKind, token: &str) -> Self {
        let kind = match kind {
            GaugeKind::GuestSessions => "guest_sessions",
            GaugeKind::GuestSystem => "guest_system",
            GaugeKind::HostBytes => "host_bytes",
            GaugeKind::HostInodes => "host_inodes",
            GaugeKind::GuestSessionsInodes => "guest_sessions_inodes",
            GaugeKind::GuestSystemInodes => "guest_system_inodes",
        };
        Self(format!("{kind}:{token}"))
    }
}

impl fmt::Display for GaugeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How full a gauge is, in bytes or in inodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Taken.
    pub used: u64,
    /// What an ordinary user can still take; may be 0 while "free" is not (5 % ext4 reserve, #61074).
    pub available: u64,
    /// The whole: `used + available` plus what is reserved.
    pub limit: u64,
}

impl Level {
    /// `used / (used + available)` in percent: "of what is usable", as `df` rounds it.
    ///
    /// A level with nothing used and nothing available counts as 100: nothing can be written.
    #[must_use]
    pub fn percent(self) -> f64 {
        let usable = self.used.saturating_add(self.available);
        if usable == 0 {
            return 100.0;
        }
        ratio_part(self.used) / ratio_part(usable) * 100.0
    }
}

/// Why a gauge or a series has no number now. Unknown is never shown as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum UnknownReason {
    /// Not looked at yet.
    NotMeasured,
    /// The system refused to let us read it.
    Denied,
    /// It is locked or being written now (Hyper-V, first mount).
    Busy,
    /// A format or a feature we do not read.
    Unsupported,
    /// Its content contradicts itself.
    Corrupt,
    /// The probe did not answer in time (a dead network mount).
    TimedOut,
    /// It was there before and is gone.
    Missing,
    /// Reading failed for another reason; the gap says which.
    Failed,
}

/// One look at a gauge.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauge {
    /// Its stable name.
    pub id: GaugeId,
    /// What it measures.
    pub kind: GaugeKind,
    /// The thing's own name where it has one: a mount point or a bundle's profile.
    pub thing: String,
    /// The level, or why there is none.
    pub level: Result<Level, UnknownReason>,
    /// What a fresh system disk of this release uses, where that is known ([`crate::baseline`]).
    pub baseline: Option<u64>,
    /// When the number was true; older than the look itself for a guest disk that is mounted now.
    pub as_of: Time,
    /// The volume keeps its files in memory (tmpfs): full means no memory, not no disk (#40108).
    pub memory: bool,
    /// The live disk of the bundle in use, or a volume that holds something of ours.
    pub live: bool,
}

/// What a meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum MeterKind {
    /// Allocated bytes of a bundle on the host.
    BundleAllocated,
    /// Allocated bytes below a temp root.
    RootAllocated,
    /// Entries below a temp root.
    RootEntries,
}

impl MeterKind {
    /// The id of the meter of this kind on the thing that `token` names.
    #[must_use]
    pub fn id(self, token: &str) -> GaugeId {
        GaugeId(match self {
            Self::BundleAllocated => format!("bundle_allocated:{token}"),
            Self::RootAllocated => format!("root_allocated:{token}"),
            Self::RootEntries => format!("root_entries:{token}"),
        })
    }

    /// Whether the meter counts bytes (else entries).
    #[must_use]
    pub const fn in_bytes(self) -> bool {
        !matches!(self, Self::RootEntries)
    }
}

/// One look at a meter.
#[derive(Clone, Debug, PartialEq)]
pub struct Meter {
    /// Its stable name.
    pub id: GaugeId,
    /// What it counts.
    pub kind: MeterKind,
    /// The path it belongs to, as text.
    pub thing: String,
    /// The count, or why there is none.
    pub value: Result<u64, UnknownReason>,
    /// Whether everything below could be read; false means "at least".
    pub complete: bool,
    /// When it was measured.
    pub as_of: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_of_what_is_usable_not_of_the_whole() {
        // #59856: 9.8G size, 9.3G used, 0 available is 100 %, though 0.5 GB lie in the root reserve.
        assert_eq!(
            Level {
                used: 93,
                available: 0,
                limit: 98
            }
            .percent(),
            100.0
        );
        assert_eq!(
            Level {
                used: 1,
                available: 3,
                limit: 5
            }
            .percent(),
            25.0
        );
        assert_eq!(
            Level {
                used: 0,
                available: 0,
                limit: 0
            }
            .percent(),
            100.0
        );
    }
}

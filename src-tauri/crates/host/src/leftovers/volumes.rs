//! What the volumes gained, measured before and after.

use std::path::{Path, PathBuf};

use crate::volume::{Fill, Mounted, Prober, of_paths};

/// Room on every volume that is cleaned, before.
#[derive(Debug)]
pub(super) struct Room {
    before: Vec<(Mounted, Fill)>,
    /// One of them could not be asked.
    unknown: bool,
}

/// What came free; negative where others wrote meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gained {
    pub(super) bytes: Option<i64>,
    /// None where no filesystem among them has a limit of its own.
    pub(super) inodes: Option<i64>,
}

impl Room {
    pub(super) fn measure<'a>(bases: impl Iterator<Item = &'a Path>) -> Self {
        let bases: Vec<PathBuf> = bases.map(Path::to_owned).collect();
        let mut room = Self {
            before: Vec::new(),
            unknown: false,
        };
        for mounted in of_paths(bases.iter().map(PathBuf::as_path)) {
            match Prober::default().probe(&mounted) {
                Ok(fill) => room.before.push((mounted, fill)),
                Err(_) => room.unknown = true,
            }
        }
        room
    }

    /// What came free since.
    pub(super) fn gained(&self) -> Gained {
        if self.unknown || self.before.is_empty() {
            return Gained::default();
        }
        let (mut bytes, mut inodes) = (0_i64, None);
        for (mounted, before) in &self.before {
            let Ok(after) = Prober::default().probe(mounted) else {
                return Gained::default();
            };
            bytes = bytes.saturating_add(difference(after.free, before.free));
            if let (Some(after), Some(before)) = (after.inodes, before.inodes) {
                let gained = difference(after.available, before.available);
                inodes = Some(inodes.unwrap_or(0_i64).saturating_add(gained));
            }
        }
        Gained {
            bytes: Some(bytes),
            inodes,
        }
    }
}

fn difference(after: u64, before: u64) -> i64 {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    signed(after).saturating_sub(signed(before))
}

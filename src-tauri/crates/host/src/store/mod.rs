//! What Sandtray keeps on disk: the history (with the latch of the notices) and the settings.
//!
//! * [`History`]: points, events and the latch, in one SQLite file in the data folder.
//! * [`SettingsFile`]: a TOML file in the config folder that holds only what differs.
//!
//! Both keep three promises. They go on at zero bytes free: the history writes in place, the settings
//! fail cleanly and leave the old file whole. They survive being killed at any instant. And they
//! never wipe what they cannot read: a corrupt file is set aside, a newer one is left alone, and
//! either is told as a [`Fault`].

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) mod full_volume;
mod history;
mod lock;
mod private;
mod settings;

use std::path::Path;

use sandtray_core::status::{Fault, FaultKind};

use crate::error::Failure;

pub use history::{History, Reading, SeriesMeta};
pub use settings::SettingsFile;

/// A failure as a fault: faults are one line.
fn fault(kind: FaultKind, failure: &Failure) -> Fault {
    Fault {
        kind,
        text: failure.to_string().replace('\n', "; "),
    }
}

/// The first of `name`, `name-2`, `name-3`… in `folder` that does not exist, so that nothing set
/// aside earlier is overwritten.
fn free_name(folder: &Path, name: &str) -> std::path::PathBuf {
    let plain = folder.join(name);
    if plain.symlink_metadata().is_err() {
        return plain;
    }
    (2_u32..)
        .map(|number| folder.join(format!("{name}-{number}")))
        .find(|path| path.symlink_metadata().is_err())
        .unwrap_or(plain)
}

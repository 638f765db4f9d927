//! What fresh system disks used, by release: one row of the state, beside the latch, so that it needs no
//! room of its own and is stored by the same strokes, on a full disk too.

use sandtray_core::baseline::{Baselines, Release};
use sandtray_core::gauge::Level;
use sandtray_core::time::Time;

use super::base::Base;
use super::tables::BASELINES;
use super::{Failure, History};

impl History {
    /// What is known of fresh system disks.
    #[must_use]
    pub const fn baselines(&self) -> &Baselines {
        &self.baselines
    }

    /// Takes a look at a system disk in its first day; stored with the next round. Where another Sandtray
    /// records, that one looks.
    pub fn observe_fresh(&mut self, release: &Release, level: Level, at: Time) {
        if !self.records() {
            return;
        }
        let before = self.baselines.clone();
        self.baselines.observe(release, level, at);
        self.baselines_changed |= self.baselines != before;
    }

    /// Takes over what is stored; what was seen meanwhile is not lost by it.
    pub(super) fn load_baselines(&mut self, base: &Base) -> Result<(), Failure> {
        let mut stored = base
            .state(BASELINES)?
            .map_or_else(Baselines::default, |text| {
                serde_json::from_str(&text).unwrap_or_else(|cause| {
                    tracing::warn!("what fresh disks used cannot be read and begins anew: {cause}");
                    Baselines::default()
                })
            });
        if self.baselines_changed {
            stored.merge(&self.baselines);
        }
        self.baselines = stored;
        Ok(())
    }
}

/// The row to store.
pub(super) fn row(baselines: &Baselines) -> Option<(&'static str, String)> {
    match serde_json::to_string(baselines) {
        Ok(text) => Some((BASELINES, text)),
        Err(cause) => {
            tracing::warn!("what fresh disks used cannot be stored: {cause}");
            None
        }
    }
}

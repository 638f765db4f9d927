//! Chats, tasks and projects as they lie beside a bundle: read, never written.

use std::path::Path;

use sandtray_core::act::sessions::Sessions;

/// Remembers everything below the session folders of a data folder.
#[must_use]
pub fn record(_user_data: &Path) -> Sessions {
    Sessions::default()
}

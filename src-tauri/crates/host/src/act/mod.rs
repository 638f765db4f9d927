//! Acts, carried out: the effects behind the states of [`sandtray_core::act`].
//!
//! * [`app`]: Claude Desktop itself: found, asked to quit, proven gone, started again.
//! * [`sessions`]: chats, tasks and projects, remembered and never written.
//! * [`verify`]: what is measured before and after.
//! * [`watch`]: how far the app is with a new disk.

pub mod app;
pub mod sessions;
pub mod verify;
pub mod watch;

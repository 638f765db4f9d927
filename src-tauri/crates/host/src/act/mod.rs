//! Acts, carried out: the effects behind the states of [`sandtray_core::act`].
//!
//! ```text
//! plan::preview ─▶ a person reads it ─▶ run::apply ─▶ journal · hands · app · watch ─▶ Receipt
//!                                            └ killed ─▶ resolve::found, resolve::resolve
//! ```
//!
//! * [`plan`]: what an act would do and why it would not.
//! * [`run`]: carries an act out, step by step. [`resolve`]: what one left behind that was cut off.
//! * [`parked`]: the copies that stand aside. [`journal`]: the durable record. [`standing`]: how each act
//!   stands, the one that is under way among them.
//! * [`app`]: Claude Desktop itself: found, asked to quit, proven gone, started again.
//! * [`path`]: exact paths out of what a journal or a manifest kept.
//! * [`sessions`]: chats, tasks and projects, remembered and never written.
//! * [`verify`]: what is measured before and after.
//! * [`watch`]: how far the app is with a new disk.

pub mod app;
pub mod hands;
pub mod journal;
mod lock;
mod look;
mod means;
pub mod parked;
pub mod path;
mod place;
pub mod plan;
pub mod resolve;
pub mod run;
pub mod sessions;
pub mod standing;
pub mod verify;
pub mod watch;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

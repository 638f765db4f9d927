//! Telling the system what will be read next, so that a disk fetches many places at once.
//!
//! Why: the folders of a full sessions disk are ten thousand blocks strewn over gigabytes. Read one after
//! the other from a cold disk, each waits for the one before it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod other;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use other as system;

pub(super) use system::announce;

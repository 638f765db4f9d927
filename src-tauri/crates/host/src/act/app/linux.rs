//! The app on Linux: `/proc` says who runs and who holds what, a pidfd is how one process is asked.
//!
//! An ordinary user sees into their own processes only; what that leaves open is closed by ancestry
//! ([`super::proc`]) and by asking the kernel for a lease ([`lease`]).

mod executable;
mod find;
mod holders;
mod lease;
mod look;
mod quit;
mod start;
mod wanted;

#[cfg(test)]
mod tests;

pub(crate) use find::data_folders;
pub(super) use find::find;
pub(super) use holders::holders;
pub(super) use quit::quit;
pub(super) use start::launch;

pub(super) use super::unix::start;

/// The kernel makes a new one at every start.
pub(super) fn boot() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let id = id.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

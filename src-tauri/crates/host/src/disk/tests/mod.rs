//! Disks from three makers: our own bytes, `mke2fs`, and whatever a fuzzer leaves of them.

mod bench;
mod blocks;
mod converted;
pub(in crate::disk) mod fuzzed;
mod hostile;
mod hyperv;
mod journal;
mod layout;
mod logged;
mod made;
mod mounted;
mod opening;
mod settled;

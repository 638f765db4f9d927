//! Disks from three makers: our own bytes, `mke2fs`, and whatever a fuzzer leaves of them.

mod hostile;
mod layout;
mod made;
mod mounted;
mod opening;

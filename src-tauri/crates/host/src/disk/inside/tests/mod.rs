//! Real filesystems by `mke2fs`, compared with `du` on a mount and with `debugfs`; and what is left of
//! them after somebody spoilt them.

mod ahead;
mod content;
mod hostile;
mod live;
mod mounted;

pub(crate) use self::content::{Bench, tool};

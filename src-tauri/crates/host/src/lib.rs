//! Eyes and hands of Sandtray: finds, probes, measures, reads disks, stores. The only code that
//! differs per system.
//!
//! Everything takes a [`Machine`](sandtray_core::machine::Machine) or paths, never globals, so that
//! tests and demos look at folders of their own.
//!
//! * [`machine`]: the real machine, or the one a `--machine` file describes.
//! * [`locate`]: bundles and temp roots that exist.
//! * [`volume`]: mounted filesystems and how full they are.
//! * [`walk`]: totals of directory trees.
//! * [`disk`]: guest disks, read from the host and never written.
//! * [`rescue`]: files copied out of them.
//! * [`processes`]: open files and environments of this user's processes.
//! * [`leftovers`]: what agents left behind, proven dead and removed.
//! * [`act`]: reset, restore and discard, carried out.
//! * [`store`]: history, settings and latch on disk.
//! * [`engine`]: the thread that owns the state and runs all of the above.

pub mod act;
pub mod disk;
pub mod engine;
pub mod error;
pub mod leftovers;
pub mod locate;
pub mod machine;
pub mod processes;
pub mod rescue;
pub mod store;
pub mod volume;
pub mod walk;

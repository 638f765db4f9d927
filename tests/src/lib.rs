//! Real parts for tests and for the demo: folders, disks, leftovers, and the built command line tool.
//!
//! * [`machine`]: a throw-away machine in a temp folder, and what `--machine` reads.
//! * [`disk`], [`gpt`]: guest disks with real filesystems, full to the percent, in tens of megabytes
//!   of host disk.
//! * [`leftovers`]: one of each kind that agents leave in temp folders.
//! * [`ctl`]: runs `sandtrayctl` and reads its JSON.
//! * [`demo`]: all of it together, with a past ([`past`]).
//! * [`stand_in`]: a stand-in for Claude Desktop, to be quit, moved from under and started again.
//! * [`skip`]: how a test says that it cannot run here.
//!
//! Nothing here looks at the real home or temp folders; every path comes from a [`tempfile::TempDir`].

pub mod ctl;
pub mod demo;
pub mod disk;
pub mod gpt;
pub mod leftovers;
pub mod machine;
pub mod past;
pub mod programs;
pub mod skip;
pub mod stand_in;

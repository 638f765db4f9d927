//! The brain of Sandtray: values in, values out.
//!
//! The pipeline, left to right; each word is a module:
//!
//! ```text
//! machine → layout → (host looks) → measurement → history → forecast → verdict → notice
//!                                                                  └──────→ status → words
//! ```
//!
//! * [`bytes`], [`time`], [`paths`]: the small types everything is made of.
//! * [`machine`], [`layout`]: where storage may lie on each system, as pure functions over a value.
//! * [`bundle`], [`disk`], [`gauge`], [`measurement`]: what was found and how full it is.
//! * [`inside`], [`rescue`]: what fills a guest's disk, what of it grew, and what was copied out of it.
//! * [`history`], [`forecast`]: where it comes from and where it leads.
//! * [`baseline`]: how full a system disk is on its first day, so that it does not count as trouble.
//! * [`verdict`], [`notice`]: what it means and what to tell, with memory between the rounds.
//! * [`status`], [`words`]: one snapshot for every surface, and the sentences on it.
//! * [`shape`]: what the names in a crowded directory have in common.
//! * [`act`]: reset, restore and discard: what they do, in which order, and what a crash leaves behind.
//! * [`leftover`]: what agents leave behind, and what proves that it is dead.
//! * [`settings`]: what a person may change, with the defaults.
//!
//! No module here touches files, the clock, the environment or processes: time and paths are
//! arguments. `clippy.toml` beside this crate enforces it.

#![cfg_attr(
    test,
    allow(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "a test that overflows fails, which is what it is for"
    )
)]

pub mod act;
pub mod baseline;
pub mod bundle;
pub mod bytes;
pub mod disk;
pub mod forecast;
pub mod gauge;
pub mod history;
pub mod inside;
pub mod layout;
pub mod leftover;
pub mod machine;
pub mod measurement;
pub mod notice;
pub mod paths;
pub mod rescue;
pub mod settings;
pub mod shape;
pub mod status;
pub mod time;
pub mod verdict;
pub mod words;

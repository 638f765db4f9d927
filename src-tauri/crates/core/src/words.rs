//! Sentences that stand on more than one surface: tray, notification, window headline, command line.
//!
//! Why here: the same fact must never be worded twice in different ways. Labels that stand only in
//! the window live in `ui/src/words`. A second language is a second file of each.
//!
//! Rules: what, when, what to do; no word that only we know; never more precise than it is known.
//! Moments are relative ("in about 3 days"): only a surface knows the time zone.

mod act;
mod fault;
mod headline;
mod homes;
pub mod leftovers;
mod name;
mod number;
mod refusal;
mod sizes;
mod span;
mod tray;

pub use act::{act_step, act_title, rebuild, scope_reason, sessions_report};
pub use fault::fault;
pub use headline::{advice, headline, notice, summary};
pub use homes::homes;
pub use name::{bundle_name, gauge_name, meter_name, middle};
pub use number::{forecast, fresh, percent, rate};
pub use refusal::refusal;
pub use sizes::{GuestSizes, sizes};
pub use span::{about, age, until};
pub use tray::{menu_lines, tooltip};

#[cfg(test)]
mod tests;

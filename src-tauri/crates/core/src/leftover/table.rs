//! The classes, one row each, by family.
//!
//! Where two rows fit the place and the name of one thing, the first takes it; [`settled`] then says
//! whether its content bears that out. Rows of narrower places stand before those of wider ones: what lies
//! in a background job's temp folder is not first of all "something in a temp folder".
//!
//! Adding a class is adding a row. A row that may go by itself names a proof, never an age alone (#91402).

mod bundles;
mod caches;
mod config;
mod desktop;
mod jobs;
mod masks;
mod model;
mod native;
mod programs;
mod projects;
mod sandbox;
mod session;
mod sockets;
#[cfg(test)]
mod tests;

use super::candidate::Content;
use super::{Class, Gate};
use crate::machine::Os;
use crate::time::{DAY, HOUR};

/// Systems on which the sandbox is bubblewrap.
const LINUX: &[Os] = &[Os::Linux];
/// Systems with sockets that have names.
const UNIX: &[Os] = &[Os::Linux, Os::MacOs];
/// Windows alone.
const WINDOWS: &[Os] = &[Os::Windows];
/// Every system.
const ALL: &[Os] = &[Os::Linux, Os::MacOs, Os::Windows];

/// Longer than from the making of a thing to its being taken into use: a sandbox whose mount source was
/// taken away in between does not start.
const MOMENT: i64 = 600;
/// A month.
const MONTH: i64 = 30 * DAY;

/// The families, narrower places first.
const FAMILIES: &[&[Class]] = &[
    jobs::ROWS,
    session::ROWS,
    sandbox::ROWS,
    sockets::ROWS,
    native::ROWS,
    caches::ROWS,
    config::ROWS,
    programs::ROWS,
    masks::ROWS,
    projects::ROWS,
    bundles::ROWS,
    desktop::ROWS,
    model::ROWS,
];

/// How many rows there are.
const COUNT: usize = {
    let mut count: usize = 0;
    let mut family = 0;
    while family < FAMILIES.len() {
        count = count.saturating_add(FAMILIES[family].len());
        family = family.saturating_add(1);
    }
    count
};

/// The rows of all families in one piece.
static ROWS: [Class; COUNT] = {
    let mut rows = [jobs::ROWS[0]; COUNT];
    let mut filled: usize = 0;
    let mut family: usize = 0;
    while family < FAMILIES.len() {
        let mut row: usize = 0;
        while row < FAMILIES[family].len() {
            rows[filled] = FAMILIES[family][row];
            filled = filled.saturating_add(1);
            row = row.saturating_add(1);
        }
        family = family.saturating_add(1);
    }
    rows
};

/// Every class.
pub static CLASSES: &[Class] = &ROWS;

/// The class of a name.
#[must_use]
pub fn class(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

/// The class that a thing belongs to once its content is known: the one it was taken for, or that one's
/// [`Class::otherwise`] where the content does not prove it.
#[must_use]
pub fn settled(taken: &'static Class, content: &Content) -> &'static Class {
    let proven = taken.gates.iter().all(|gate| match gate {
        Gate::OnlyBytecode => content.only_bytecode == Some(true),
        Gate::TranscriptGone => content.transcript == Some(false),
        _ => true,
    });
    match taken.otherwise.and_then(class) {
        Some(other) if !proven => other,
        _ => taken,
    }
}

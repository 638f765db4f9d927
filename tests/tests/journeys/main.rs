//! Journeys through the built command line tool: real folders, real disks, the whole engine.
//!
//! The contract of the JSON is tested here, by its field names, as a script would read it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "all of this is a test"
)]

mod damage;
mod disks;
#[cfg(target_os = "linux")]
mod full;
mod homes;
mod layouts;
mod levels;
mod measure;
mod past;
#[cfg(target_os = "linux")]
mod reports;
mod words;

use serde_json::Value;

/// The one element of a list for which `which` holds.
fn only(list: &Value, which: impl Fn(&Value) -> bool) -> &Value {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    let found: Vec<_> = list.iter().filter(|value| which(value)).collect();
    match found.as_slice() {
        [one] => one,
        _ => panic!("{} of {list:#?}", found.len()),
    }
}

/// The kinds of the faults in a status.
fn faults(status: &Value) -> Vec<&str> {
    let faults = status["faults"].as_array().unwrap();
    faults
        .iter()
        .filter_map(|fault| fault["kind"].as_str())
        .collect()
}

//! Runs, tests, measures and packages Sandtray: everything a newcomer types is `cargo xtask …`.
//!
//! Why an own program and not a script: it works alike on the three systems, needs nothing that is
//! not there already (Rust, Node), and compiles in a second because it has no dependencies.
//!
//! * [`packages`], [`node`], [`ui`]: what has to be on the machine, and the window's files.
//! * [`run`], [`demo`], [`screenshots`], [`panel`]: the product, on this machine or on a throw-away one.
//! * [`desktop`]: a display and a session bus for the real app.
//! * [`mod@test`]: the whole suite, step by step, with a table at the end.
//! * [`mod@bench`], [`idle`]: ratios beside other tools, never part of the tests.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program for developers prints"
)]

mod bench;
mod bindings;
mod command;
mod demo;
mod desktop;
mod idle;
mod node;
mod packages;
mod panel;
mod run;
mod screenshots;
mod test;
mod ui;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask run [--demo] [--release] [-- ARGS]   builds all that is missing and starts Sandtray
cargo xtask test [--only STEP,…] [--list]        runs the whole suite, or the named steps of it
cargo xtask screenshots                          draws the README's pictures from the demo machine
cargo xtask bindings [--check]                   writes the window's types from the Rust types
cargo xtask bench [idle | …]                     prints ratios beside other tools

--demo      a throw-away machine in a temp folder: disks, leftovers and sixteen days of history
--release   optimised build
ARGS        handed on to the app (or to `sandtrayctl watch` where there is no display)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match task {
        "run" => run::run(rest),
        "test" => test::run(rest),
        "screenshots" => screenshots::run(),
        "bindings" => bindings::run(rest),
        "bench" if rest.first().is_some_and(|what| what == "idle") => idle::run(),
        "bench" => bench::run(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("there is no task {other:?}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

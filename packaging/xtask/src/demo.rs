//! Programs on a throw-away demo machine.
//!
//! Why the building is a program of its own (`demo-machine`, in the tests package): it knows the
//! formats of disks and history, needs the crates for it, and catches Ctrl-C, so that the folder
//! goes even when this one has been ended. This one stays free of dependencies.

use std::path::Path;
use std::process::Command;

use crate::command::{self, built, cargo};

/// Builds `demo-machine`, and gives a command that makes a machine, runs `program` on it with
/// `--machine FILE` added, and takes the machine away.
pub(crate) fn on_demo_machine(program: &Path) -> Result<Command, String> {
    command::run(cargo().args(["build", "-p", "sandtray-tests", "--bin", "demo-machine"]))?;
    let mut command = command::command(built("debug", "demo-machine"));
    command.args(["run", "--"]).arg(program);
    Ok(command)
}

//! The stand-in for Claude Desktop; its story and its flags are in `sandtray_tests::stand_in`.
//!
//! `stand-in-claude --user-data-dir=DIR --run=DIR [FLAGS]` runs until SIGTERM. Its children, its VM
//! and whatever starts it again are this same program, told apart by the name it was started under
//! and by `--type=`.
#![allow(
    clippy::print_stderr,
    reason = "a command line program for developers prints"
)]

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    match sandtray_tests::stand_in::program::main() {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("stand-in-claude: {problem}");
            ExitCode::FAILURE
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        eprintln!("stand-in-claude imitates the app on Linux and runs there only");
        ExitCode::from(2)
    }
}

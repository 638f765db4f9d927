//! Starts the shell; everything is in the library so that tests reach it.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    sandtray_shell::run()
}

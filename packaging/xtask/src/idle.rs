//! `cargo xtask bench idle`: what it costs to keep the app running, beside a bare tray.

pub(crate) fn run() -> Result<(), String> {
    Err("the idle bench is not written yet".to_owned())
}

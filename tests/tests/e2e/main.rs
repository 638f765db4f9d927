//! The real app on a virtual display with a session bus of its own, as a person meets it.
//!
//! `cargo xtask test --only build,desktop` starts these: they need a display and a session bus on
//! which nobody else shows trays or notifications. Each test has its own machine, and waits for
//! what it expects to happen, never for time to pass.
//!
//! * [`app`]: the app as a process whose words are heard.
//! * [`desktop`]: a tray host and a notification server, played over the bus.
//! * [`window`]: the window through WebDriver.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "all of this is a test"
)]

mod app;
mod desktop;
mod idle;
mod leftovers;
mod lonely;
mod notice;
mod pictures;
mod reset;
mod settings;
mod tray;
mod window;

use std::time::Duration;

use sandtray_tests::machine::{Bundle, TestMachine};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// A machine with a sessions disk that is so full, and one temp root with a few leftovers.
fn machine(percent: f64) -> TestMachine {
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    // Shown rounded down: a little above, so that the whole percent is the one asked for.
    bundle.sessions(percent + 0.3, 12).unwrap();
    for name in ["claude-empty-a1B2c3", "claude-empty-d4E5f6", "tmpabcd1234"] {
        std::fs::create_dir(machine.tmp().join(name)).unwrap();
    }
    machine
}

/// Asks again until there is an answer.
async fn until<T, F: AsyncFnMut() -> Option<T>>(what: &str, mut ask: F) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    };
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(answer) => answer,
        Err(_) => panic!("waited {} s for {what}", PATIENCE.as_secs()),
    }
}

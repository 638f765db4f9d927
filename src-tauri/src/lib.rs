//! The shell: tray, window, notifications. The only package that names Tauri.
//!
//! It owns no knowledge. The engine sends a snapshot, the shell draws it; a person clicks, the
//! shell calls the engine.
//!
//! ```text
//! engine ──Event──▶ events ──▶ tray (icon, menu)   notify ──click──▶ window
//!    ▲                 └─────▶ window (emit)                           │
//!    └──────────────── commands ◀──────────── ui/src/ipc.ts ◀──────────┘
//! ```
//!
//! * [`args`]: the command line. [`error`]: what the window and the terminal are told.
//! * [`commands`]: the doors of the window, ten lines each at most.
//! * [`events`]: what the engine reports, carried to each surface.
//! * [`tray`], [`icon`], [`window`], [`notify`]: the surfaces.
//! * [`desktop`]: what differs per system.
//!
//! Why a window is never hidden but destroyed: a hidden web view keeps 60 MB and a process; the
//! state lives in the engine, so a new window shows the same in a blink.

pub mod args;
pub mod commands;
pub mod desktop;
pub mod error;
pub mod events;
pub mod icon;
pub mod notify;
pub mod tray;
pub mod window;

use std::io::Write;
use std::process::ExitCode;

use sandtray_core::machine::Machine;
use sandtray_core::paths::token;
use sandtray_host::engine::Engine;
use tauri::{Manager, RunEvent, Wry};

use crate::args::Args;
use crate::error::Failed;

/// What the app keeps: the engine's handle, and whether it looks at the real machine.
#[derive(Debug)]
pub struct Shell {
    /// The owner of all state.
    pub engine: Engine,
    /// Started with `--machine`: nothing of the real desktop session is changed.
    pub confined: bool,
}

/// Runs the app until it quits.
#[must_use]
pub fn run() -> ExitCode {
    let args = <Args as clap::Parser>::parse();
    log();
    match start(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            // Nothing is left to tell where even the terminal is gone.
            drop(writeln!(std::io::stderr(), "sandtray: {}", failed.text));
            ExitCode::FAILURE
        }
    }
}

fn start(args: Args) -> Result<(), Failed> {
    let machine = args.machine()?;
    desktop::check_display()?;
    let mut app = builder(&args).build(context(&args))?;
    desktop::settle_in(&mut app);
    watch(&app, machine, &args)?;
    app.run(move |app, event| match event {
        // Not before: macOS takes no tray icon until its event loop runs.
        RunEvent::Ready => {
            tracing::info!("ready");
            tray::watch_host(app, args.hidden);
            if args.opens_window() {
                window::open(app, None);
            }
        }
        // The last window was closed; the tray stays. Only "Quit" carries a code.
        RunEvent::ExitRequested {
            code: None, api, ..
        } => api.prevent_exit(),
        _ => {}
    });
    Ok(())
}

fn builder(args: &Args) -> tauri::Builder<Wry> {
    let mut builder = tauri::Builder::default()
        // First, so that a second instance ends before it touches anything.
        .plugin(tauri_plugin_single_instance::init(window::second_start))
        .plugin(tauri_plugin_dialog::init());
    if args.machine.is_none() {
        let autostart = tauri_plugin_autostart::Builder::new().arg("--hidden");
        builder = builder.plugin(autostart.build());
    }
    builder
        .manage(window::Focus::default())
        .manage(tray::Tray::default())
        .on_window_event(window::on_event)
        .invoke_handler(tauri::generate_handler![
            commands::status,
            commands::history,
            commands::measure_now,
            commands::cancel_measurement,
            commands::snooze,
            commands::settings,
            commands::save_settings,
            commands::add_folder,
            commands::remove_folder,
            commands::reset_view,
            commands::restore_view,
            commands::discard_view,
            commands::apply_plan,
            commands::cancel_act,
            commands::acts,
            commands::activity,
            commands::export_activity,
            commands::focus,
            commands::inside,
            commands::cancel_inside,
            commands::rescue,
            commands::cancel_rescue,
            commands::leftovers::leftovers,
            commands::leftovers::leftover_candidates,
            commands::leftovers::clean_view,
            commands::leftovers::apply_clean,
            commands::leftovers::cancel_clean,
            commands::leftovers::cleaning,
            commands::leftovers::clean_receipts,
            commands::leftovers::restore_leftovers,
            commands::leftovers::discard_leftovers,
        ])
}

/// The embedded configuration. Another machine is another identity: a demo and the real app may
/// run side by side, each once.
fn context(args: &Args) -> tauri::Context<Wry> {
    let mut context = tauri::generate_context!();
    if let Some(file) = &args.machine {
        let file = file.canonicalize().unwrap_or_else(|_| file.clone());
        let name = format!(".m{}", token(&file));
        context.config_mut().identifier.push_str(&name);
    }
    context
}

/// Starts the engine and what listens to it.
fn watch(app: &tauri::App, machine: Machine, args: &Args) -> Result<(), Failed> {
    let app = app.handle();
    let own_data = machine.own_data.clone();
    let reporter = events::Reporter::new(app.clone());
    let engine = Engine::start(machine, move |event| reporter.report(event))?;
    let confined = args.machine.is_some();
    // The app may act; a second instance never comes this far.
    engine.resolve();
    app.manage(window::WebFiles(own_data.join("webview")));
    app.manage(Shell { engine, confined });
    let later = app.clone();
    tauri::async_runtime::spawn_blocking(move || commands::keep_autostart(later));
    Ok(())
}

/// `SANDTRAY_LOG=info` writes what happens to stderr, for tests and reports.
fn log() {
    let level = std::env::var("SANDTRAY_LOG")
        .ok()
        .and_then(|level| level.parse::<tracing::level_filters::LevelFilter>().ok());
    if let Some(level) = level {
        tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(std::io::stderr)
            .init();
    }
}

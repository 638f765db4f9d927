//! The window: made when it is wanted, gone when it is closed, never two.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Parser;
use sandtray_core::status::Lead;
use tauri::webview::PageLoadEvent;
use tauri::{
    AppHandle, Emitter, EventTarget, Manager, WebviewWindow, WebviewWindowBuilder, Window,
    WindowEvent,
};

use crate::args::Args;
use crate::error::Failed;
use crate::{Shell, desktop, events};

/// The only window's label.
pub const MAIN: &str = "main";

/// How long the web view's leftovers stay warm after the window was closed.
const LINGER: Duration = Duration::from_secs(10);

/// Where the next window opens.
///
/// Why kept beside the event: a window that is still loading hears no event, so it asks when ready.
#[derive(Debug, Default)]
pub struct Focus(Mutex<Option<Lead>>);

impl Focus {
    /// Takes it, once.
    pub fn take(&self) -> Option<Lead> {
        self.set(None)
    }

    fn set(&self, lead: Option<Lead>) -> Option<Lead> {
        std::mem::replace(
            &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner),
            lead,
        )
    }
}

/// Gives the page a language where the session has none: in the C locale WebKitGTK calls it "C", which
/// every `Intl` constructor refuses, and the chart with it.
const LANGUAGE: &str = "try { new Intl.NumberFormat(navigator.language); } catch {
  Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US' });
  Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['en-US'] });
}";

/// Where the web view keeps its files: beside our own data, so that a confined app leaves nothing
/// in the real home.
#[derive(Debug)]
pub struct WebFiles(pub PathBuf);

/// Opens the window, or raises the one that is open, and leads to a place in it where one is named.
///
/// Callable from any thread.
pub fn open(app: &AppHandle, lead: Option<Lead>) {
    let handle = app.clone();
    let shown = app.run_on_main_thread(move || {
        if let Err(failed) = show(&handle, lead) {
            tracing::error!("{failed}");
        }
    });
    if let Err(error) = shown {
        tracing::error!("cannot open the window: {error}");
    }
}

fn show(app: &AppHandle, lead: Option<Lead>) -> Result<(), Failed> {
    let failed = |error: tauri::Error| Failed::new(format!("cannot open the window: {error}"));
    if lead.is_some() {
        app.state::<Focus>().set(lead.clone());
    }
    let window = match app.get_webview_window(MAIN) {
        Some(window) => {
            if let Some(lead) = lead {
                app.emit_to(EventTarget::webview_window(MAIN), events::FOCUS, lead)
                    .map_err(failed)?;
            }
            window.unminimize().map_err(failed)?;
            window
        }
        None => create(app).map_err(failed)?,
    };
    window.show().map_err(failed)?;
    window.set_focus().map_err(failed)?;
    tracing::info!("window shown");
    Ok(())
}

fn create(app: &AppHandle) -> Result<WebviewWindow, tauri::Error> {
    let config = app.config().app.windows.first().cloned();
    let label = app.state::<Shell>().engine.status().label.clone();
    WebviewWindowBuilder::from_config(app, &config.unwrap_or_default())?
        .title(title(label.as_deref()))
        .initialization_script(LANGUAGE)
        .data_directory(app.state::<WebFiles>().0.clone())
        .on_page_load(|_, page| {
            if page.event() == PageLoadEvent::Finished {
                tracing::info!("page loaded");
            }
        })
        .build()
}

/// The name of the app, with the label of a machine that is not the real one.
#[must_use]
pub fn title(label: Option<&str>) -> String {
    match label {
        Some(label) => format!("Sandtray ({label})"),
        None => "Sandtray".to_owned(),
    }
}

/// Sandtray was started again: raises the window here, unless that start was to stay unseen.
pub fn second_start(app: &AppHandle, arguments: Vec<String>, _folder: String) {
    let hidden = Args::try_parse_from(arguments).is_ok_and(|args| args.hidden);
    tracing::info!("started again");
    if !hidden {
        open(app, None);
    }
}

/// After a close: forgets a focus that no window took, and lets go of what the web view leaves.
pub fn on_event(window: &Window, event: &WindowEvent) {
    if let WindowEvent::Destroyed = event {
        window.state::<Focus>().take();
        tracing::info!("window closed");
        let app = window.app_handle().clone();
        tauri::async_runtime::spawn(async move {
            // Closing and opening again at once keeps what is warm.
            tokio::time::sleep(LINGER).await;
            let handle = app.clone();
            let released = app.run_on_main_thread(move || {
                if handle.get_webview_window(MAIN).is_none() {
                    handle.state::<Shell>().engine.forget_leftovers();
                    desktop::release_web();
                }
            });
            if let Err(error) = released {
                tracing::debug!("the app ends: {error}");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_focus_is_taken_once() {
        let focus = Focus::default();
        focus.set(Some(Lead::Reset));
        assert_eq!(focus.take(), Some(Lead::Reset));
        assert_eq!(focus.take(), None);
    }

    #[test]
    fn the_title_carries_the_label_of_a_machine_that_is_not_real() {
        assert_eq!(title(None), "Sandtray");
        assert_eq!(title(Some("Demo")), "Sandtray (Demo)");
    }
}

//! The doors of the window. Each passes through to the engine; none takes a path.
//!
//! All run off the main thread: a slow disk must not freeze the tray.

pub mod leftovers;

use std::path::PathBuf;

use sandtray_core::act::journal::EntryView;
use sandtray_core::act::preview::{Acts, Preview, ResetView};
use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{History, Range};
use sandtray_core::inside::{DiskId, InsideView, RescueEnd};
use sandtray_core::settings::{FolderKind, SettingsPatch, SettingsView, Snooze};
use sandtray_core::status::{Lead, Status};
use tauri::{AppHandle, Manager, State, WebviewWindow, command};
use tauri_plugin_autostart::ManagerExt;
use tauri_plugin_dialog::DialogExt;

use crate::error::Failed;
use crate::{Shell, events, window};

/// The latest snapshot.
#[command(async)]
pub fn status(shell: State<'_, Shell>) -> Status {
    Status::clone(&shell.engine.status())
}

/// The chart of a range.
///
/// # Errors
/// Where the engine has stopped.
#[command(async)]
pub fn history(shell: State<'_, Shell>, range: Range) -> Result<History, Failed> {
    let stopped =
        || Failed::new("cannot read the history: measuring has stopped, start Sandtray again");
    shell.engine.history(range).ok_or_else(stopped)
}

/// Starts a full measurement.
#[command(async)]
pub fn measure_now(shell: State<'_, Shell>) {
    shell.engine.measure_now();
}

/// Stops a running full measurement.
#[command(async)]
pub fn cancel_measurement(shell: State<'_, Shell>) {
    shell.engine.cancel_measurement();
}

/// Is quiet about a gauge, or about all where none is named.
#[command(async)]
pub fn snooze(shell: State<'_, Shell>, gauge: Option<GaugeId>, span: Snooze) {
    shell.engine.snooze(gauge, span);
}

/// The settings in force.
#[command(async)]
pub fn settings(shell: State<'_, Shell>) -> SettingsView {
    let (settings, file) = (shell.engine.settings(), shell.engine.settings_file());
    SettingsView::new(&settings, &file, env!("CARGO_PKG_VERSION"))
}

/// Changes settings, and the login entry with them.
///
/// # Errors
/// Where the login entry or the settings cannot be written; nothing is stored then.
#[command(async)]
pub fn save_settings(app: AppHandle, patch: SettingsPatch) -> Result<SettingsView, Failed> {
    let shell = app.state::<Shell>();
    if let Some(on) = patch.autostart {
        set_autostart(&app, on)?;
    }
    shell.engine.patch_settings(patch)?;
    Ok(settings(shell))
}

/// Lets the user choose a folder in the native dialog and adds it. None where none was chosen.
///
/// # Errors
/// Where it is no directory or the settings cannot be stored.
#[command]
pub async fn add_folder(
    window: WebviewWindow,
    kind: FolderKind,
) -> Result<Option<SettingsView>, Failed> {
    let Some(path) = choose_folder(&window).await else {
        return Ok(None);
    };
    let shell = window.state::<Shell>();
    shell.engine.add_folder(kind, &path)?;
    Ok(Some(settings(shell)))
}

/// What fills a folder of a guest's disk; its top where no folder is named. Both are ids.
///
/// # Errors
/// Where there is no such disk, the list is out of date, or the image cannot be read.
#[command]
pub async fn inside(
    app: AppHandle,
    disk: DiskId,
    folder: Option<String>,
) -> Result<InsideView, Failed> {
    apart(move || {
        let tell = |progress| events::send(&app, events::INSIDE, progress);
        let shell = app.state::<Shell>();
        Ok(shell.engine.inside(&disk, folder.as_deref(), tell)?)
    })
    .await
}

/// Stops a reading of a disk's inside; its answer is what is known by then.
#[command(async)]
pub fn cancel_inside(shell: State<'_, Shell>) {
    shell.engine.cancel_inside();
}

/// Lets the user choose a folder in the native dialog and copies entries of a view into it. None where
/// none was chosen.
///
/// # Errors
/// Where nothing is chosen, the list is out of date, another rescue runs, or nothing can be copied.
#[command]
pub async fn rescue(
    window: WebviewWindow,
    disk: DiskId,
    entries: Vec<String>,
) -> Result<Option<RescueEnd>, Failed> {
    let shell = window.state::<Shell>();
    shell.engine.check_rescue(&disk, &entries)?;
    let Some(target) = choose_folder(&window).await else {
        return Ok(None);
    };
    let app = window.app_handle().clone();
    apart(move || {
        let tell = |progress| events::send(&app, events::RESCUE, progress);
        let shell = app.state::<Shell>();
        Ok(Some(shell.engine.rescue(&disk, &entries, &target, tell)?))
    })
    .await
}

/// Stops a running rescue; what is whole by then stays.
#[command(async)]
pub fn cancel_rescue(shell: State<'_, Shell>) {
    shell.engine.cancel_rescue();
}

/// What a reset of a bundle would do, in every scope.
///
/// # Errors
/// Where there is no such bundle.
#[command]
pub async fn reset_view(app: AppHandle, bundle: Option<String>) -> Result<ResetView, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.reset_view(bundle.as_deref())?)).await
}

/// What moving a parked copy back would do.
///
/// # Errors
/// Where measuring has stopped.
#[command]
pub async fn restore_view(app: AppHandle, copy: String) -> Result<Preview, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.restore_view(&copy)?)).await
}

/// What discarding a parked copy would do.
///
/// # Errors
/// Where measuring has stopped.
#[command]
pub async fn discard_view(app: AppHandle, copy: String, for_good: bool) -> Result<Preview, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.discard_view(&copy, for_good)?)).await
}

/// Does what a preview showed; `acts-changed` tells the rest.
///
/// # Errors
/// Where the preview is out of date, or another act runs.
#[command(async)]
pub fn apply_plan(shell: State<'_, Shell>, plan: String) -> Result<(), Failed> {
    Ok(shell.engine.apply_plan(&plan)?)
}

/// Stops the running act where nothing has moved yet.
#[command(async)]
pub fn cancel_act(shell: State<'_, Shell>) {
    shell.engine.cancel_act();
}

/// What runs, what ended last, and every parked copy.
///
/// # Errors
/// Where measuring has stopped.
#[command]
pub async fn acts(app: AppHandle) -> Result<Acts, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.acts()?)).await
}

/// Everything that was ever done, newest first.
///
/// # Errors
/// Where the journal cannot be read.
#[command]
pub async fn activity(app: AppHandle) -> Result<Vec<EntryView>, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.activity()?)).await
}

/// Writes what was ever done to a file that the user names in the native dialog. False where none was.
///
/// # Errors
/// Where the journal cannot be read or the file cannot be written.
#[command]
pub async fn export_activity(window: WebviewWindow) -> Result<bool, Failed> {
    let (chosen, choice) = tokio::sync::oneshot::channel();
    let dialog = window.dialog().file().set_parent(&window);
    dialog
        .set_file_name("sandtray-activity.json")
        .save_file(move |file| drop(chosen.send(file)));
    let Some(file) = choice.await.ok().flatten() else {
        return Ok(false);
    };
    let file = file
        .into_path()
        .map_err(|error| Failed::new(format!("cannot write there: {error}")))?;
    let app = window.app_handle().clone();
    apart(move || {
        app.state::<Shell>().engine.export_activity(&file)?;
        Ok(true)
    })
    .await
}

/// Removes a folder that the user once added.
///
/// # Errors
/// Where the settings cannot be stored.
#[command(async)]
pub fn remove_folder(shell: State<'_, Shell>, id: String) -> Result<SettingsView, Failed> {
    shell.engine.remove_folder(&id)?;
    Ok(settings(shell))
}

/// Where the window was opened to lead, once: a new window asks when it is ready to show it.
#[command(async)]
pub fn focus(focus: State<'_, window::Focus>) -> Option<Lead> {
    focus.take()
}

/// Lets the user choose a folder in the native dialog.
async fn choose_folder(window: &WebviewWindow) -> Option<PathBuf> {
    let (chosen, choice) = tokio::sync::oneshot::channel();
    let dialog = window.dialog().file().set_parent(window);
    // The receiver is gone only if the window is, and then nobody waits for the answer.
    dialog.pick_folder(move |folder| drop(chosen.send(folder)));
    choice.await.ok().flatten()?.into_path().ok()
}

/// Runs what takes seconds on a thread of its own: there are as many for commands as there are cores, and
/// one must be left to stop it.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    tauri::async_runtime::spawn_blocking(work)
        .await
        .map_err(|error| Failed::new(format!("cannot go on: {error}")))?
}

/// Writes or removes the entry that starts us at login. A confined app leaves the session alone.
fn set_autostart(app: &AppHandle, on: bool) -> Result<(), Failed> {
    if app.state::<Shell>().confined {
        return Ok(());
    }
    let entry = app.autolaunch();
    let done = if on { entry.enable() } else { entry.disable() };
    done.map_err(|error| Failed::new(format!("cannot change the login entry: {error}")))
}

/// Restores the login entry at start: the app may have moved, or the entry may have been lost.
pub(crate) fn keep_autostart(app: AppHandle) {
    let shell = app.state::<Shell>();
    if shell.confined || !shell.engine.settings().autostart {
        return;
    }
    if !app.autolaunch().is_enabled().unwrap_or(false)
        && let Err(failed) = set_autostart(&app, true)
    {
        tracing::warn!("{failed}");
    }
}

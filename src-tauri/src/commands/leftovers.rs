//! Doors to the leftovers: ids in, views out.

use sandtray_core::leftover::view::{
    CandidatePage, CleanChoice, CleanPreview, CleanReceipt, Cleaning, LeftoversView,
};
use serde::Serialize;
use tauri::{AppHandle, Manager, State, command};

use super::apart;
use crate::error::Failed;
use crate::{Shell, events};

/// How many things a look has seen so far.
#[derive(Clone, Copy, Debug, Serialize)]
struct Seen {
    seen: u64,
}

/// Looks for leftovers and judges them.
///
/// # Errors
/// Where measuring has stopped.
#[command]
pub async fn leftovers(app: AppHandle) -> Result<LeftoversView, Failed> {
    apart(move || {
        let tell = |seen| events::send(&app, events::LEFTOVERS, Seen { seen });
        Ok(app.state::<Shell>().engine.leftovers(tell)?)
    })
    .await
}

/// Candidates of a group, largest first; those whose path holds `search`.
///
/// # Errors
/// Where the list is out of date.
#[command]
pub async fn leftover_candidates(
    app: AppHandle,
    group: String,
    search: String,
    offset: usize,
    limit: usize,
) -> Result<CandidatePage, Failed> {
    apart(move || {
        let engine = &app.state::<Shell>().engine;
        Ok(engine.leftover_candidates(&group, &search, offset, limit)?)
    })
    .await
}

/// What cleaning a choice would do.
///
/// # Errors
/// Where the list is out of date.
#[command]
pub async fn clean_view(app: AppHandle, choice: CleanChoice) -> Result<CleanPreview, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.clean_view(&choice)?)).await
}

/// Does what a preview showed; `cleaning` tells the rest.
///
/// # Errors
/// Where the preview is out of date, or another clean-up runs.
#[command(async)]
pub fn apply_clean(shell: State<'_, Shell>, id: String) -> Result<(), Failed> {
    Ok(shell.engine.apply_clean(&id)?)
}

/// Stops the running clean-up; what is gone by then is gone.
#[command(async)]
pub fn cancel_clean(shell: State<'_, Shell>) {
    shell.engine.cancel_clean();
}

/// What runs, what ended last, and what stands aside.
///
/// # Errors
/// Where measuring has stopped.
#[command]
pub async fn cleaning(app: AppHandle) -> Result<Cleaning, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.cleaning()?)).await
}

/// Receipts of every clean-up, newest first.
///
/// # Errors
/// Where they cannot be read.
#[command]
pub async fn clean_receipts(app: AppHandle) -> Result<Vec<CleanReceipt>, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.clean_receipts()?)).await
}

/// Moves leftovers back that were moved aside; the answer is what became of them, in a sentence.
///
/// # Errors
/// Where there is no such copy.
#[command]
pub async fn restore_leftovers(app: AppHandle, copy: String) -> Result<String, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.restore_leftovers(&copy)?)).await
}

/// Removes leftovers for good that were moved aside; the answer is what became of them, in a sentence.
///
/// # Errors
/// Where there is no such copy.
#[command]
pub async fn discard_leftovers(app: AppHandle, copy: String) -> Result<String, Failed> {
    apart(move || Ok(app.state::<Shell>().engine.discard_leftovers(&copy)?)).await
}

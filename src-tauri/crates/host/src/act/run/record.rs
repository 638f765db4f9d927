//! What is remembered before anything moves: the sessions, the disks that stay, and a manifest beside what
//! is parked, so that a copy explains itself even where our own data is gone.

use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::act::parked::{MANIFEST, Manifest, ParkedFile};
use sandtray_core::act::steps::Outcome;
use sandtray_core::act::{Act, ActKind, Move, RefusalKind};
use sandtray_core::bundle::Role;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;

use super::state::Run;
use crate::act::hands::{Hands, exclude};
use crate::act::plan::{LATCH, files_below, release};
use crate::act::{look, parked, path, place, verify};
use crate::error::{Cause, Failure};
use crate::machine;

/// The folder of remembered sessions in our own data folder, one folder per act.
const ACTS: &str = "acts";
const SESSIONS: &str = "sessions.json";
/// More is compared in this run only.
const LONGEST: usize = 16 * 1024 * 1024;

impl Run<'_> {
    pub(super) fn record(&mut self) -> Outcome {
        let data = place::user_data(&self.bundle.path).map(Path::to_owned);
        if let Some(data) = &data {
            let sessions = self.tools.means.sessions(data);
            if let Err(error) = self.keep(&sessions) {
                self.receipt.notes.push(format!(
                    "The list of sessions is compared in this run only: it could not be kept ({error})."
                ));
            }
            self.sessions = Some(sessions);
        }
        self.receipt.fills = super::receipt::fills(self.tools.machine.os, &self.bundle.path);
        self.receipt.available_before = verify::available(&self.bundle.path);
        // The app is gone, so lengths are final; who they are must not have changed.
        for step in &mut self.act.moves {
            let seen = path::exact(&step.from).and_then(|path| look::at(&path).ok().flatten());
            match seen.filter(|seen| same(step, seen)) {
                Some(seen) => step.identity = seen.identity,
                None => {
                    let what = format!("{} is another file", step.from.path);
                    self.refuse(RefusalKind::Changed { what });
                    return Outcome::Failed;
                }
            }
        }
        self.remember_what_stays();
        if let Err(failure) = self.manifest() {
            let error = match &failure.cause {
                Cause::Io(error) => error.to_string(),
                other => other.to_string(),
            };
            self.refuse(RefusalKind::NotWritable {
                path: PathText::new(&failure.path),
                cause: error,
            });
            return Outcome::Failed;
        }
        Outcome::Well
    }

    /// Keeps the sessions for a start after a crash.
    fn keep(&self, sessions: &sandtray_core::act::sessions::Sessions) -> io::Result<()> {
        let text = serde_json::to_vec(sessions)?;
        if text.len() > LONGEST {
            return Err(io::Error::other("it is too long"));
        }
        let folder = self.tools.machine.own_data.join(ACTS).join(&self.act.id);
        self.tools.hands.make_dirs(&folder)?;
        let path = folder.join(SESSIONS);
        let kept = self.tools.hands.write_new_synced(&path, &text);
        if kept.is_err() {
            forget(self.tools.hands, self.tools.machine, &self.act.id);
        }
        kept
    }

    /// Remembers the sessions disk where it is to stay.
    fn remember_what_stays(&mut self) {
        let moved: Vec<PathBuf> = self
            .act
            .moves
            .iter()
            .filter_map(|step| path::exact(&step.from))
            .collect();
        if moved.contains(&self.bundle.path) {
            return;
        }
        self.stays = files_below(&self.bundle.path)
            .into_iter()
            .filter(|path| path.parent() == Some(&self.bundle.path) && !moved.contains(path))
            .filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| Role::of(name) == Role::SessionData)
            })
            .filter_map(|path| Some((path.clone(), verify::remember(&path).ok()?)))
            .collect();
    }

    /// Makes the folder of the copy, with its manifest.
    fn manifest(&mut self) -> Result<(), Failure> {
        let Some(folder) = self.act.parked.as_ref().and_then(path::exact) else {
            return Ok(());
        };
        let failed = |error| Failure::io("write", &folder, error);
        for step in &self.act.moves {
            let to = path::exact(&step.to).unwrap_or_default();
            // What goes into this copy; the rest comes back from another one.
            if to.starts_with(&folder) {
                self.files.extend(described(step, &to, &folder)?);
            }
        }
        let now = machine::now(self.tools.machine);
        let mut manifest = Manifest::new(self.act.clone(), now, self.files.clone());
        manifest.app_version.clone_from(&self.control.app_version);
        if self.files.iter().any(|file| file.role == Role::SessionData) {
            manifest.homes.clone_from(&self.control.homes);
        }
        let text = serde_json::to_vec_pretty(&manifest)
            .map_err(|error| failed(io::Error::other(error)))?;
        let hands = self.tools.hands;
        self.journal
            .with_room(|| {
                if let Some(root) = folder.parent() {
                    hands.make_dirs(root)?;
                }
                if folder.symlink_metadata().is_err() {
                    hands.make_dir(&folder)?;
                }
                hands.sync_parent(&folder)?;
                exclude(&folder);
                let path = folder.join(MANIFEST);
                if path.symlink_metadata().is_ok() {
                    // Left by the first try, on a full volume.
                    hands.remove_file(&path)?;
                }
                hands.write_new_synced(&path, &text)
            })
            .map_err(failed)
    }

    /// Removes the folder that was made for a copy, where nothing went into it; says whether a copy stands.
    pub(super) fn close(&mut self) -> Option<String> {
        if matches!(self.act.kind, ActKind::Trash | ActKind::Remove) {
            return None;
        }
        let folder = self.act.parked.as_ref().and_then(path::exact)?;
        if let Err(error) = sweep(self.tools.hands, &folder) {
            self.receipt.notes.push(format!(
                "An empty folder was left at {}: {error}",
                folder.display()
            ));
        }
        let stands = parked::read(&folder).is_some_and(|copy| !copy.is_spent());
        stands.then(|| self.act.id.clone())
    }
}

fn same(step: &Move, seen: &look::Seen) -> bool {
    step.identity.is(seen.identity) && step.folder == seen.folder && !seen.link
}

/// The files of one move, by their names in the copy.
fn described(step: &Move, to: &Path, folder: &Path) -> Result<Vec<ParkedFile>, Failure> {
    let from = path::exact(&step.from).unwrap_or_default();
    let mut files = Vec::new();
    for path in files_below(&from) {
        let failed = |error| Failure::io("look at", &path, error);
        let seen = look::at(&path)
            .map_err(failed)?
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let below = path.strip_prefix(&from).unwrap_or(&path);
        let new = if below.as_os_str().is_empty() {
            to.to_owned()
        } else {
            to.join(below)
        };
        let name = path.file_name().and_then(|name| name.to_str());
        let origin = name.map(|name| path.with_file_name(format!(".{name}.origin")));
        files.push(ParkedFile {
            name: PathText::new(new.strip_prefix(folder).unwrap_or(&new)),
            role: name.map_or(Role::Other, Role::of),
            apparent: seen.apparent,
            allocated: seen.allocated,
            identity: seen.identity,
            // What this user cannot read moves all the same; then identity and length have to do.
            ends: verify::ends(&path).ok(),
            release: origin.and_then(|origin| release(&origin)),
        });
    }
    Ok(files)
}

/// After a restore: what came back is no longer in its old copy, and a copy that is empty goes. A copy from
/// which only the sessions came back goes on as what is left of it.
pub(in super::super) fn tidy(hands: &Hands, act: &Act) -> io::Result<()> {
    let Some(id) = act.copy.as_deref().filter(|_| act.kind == ActKind::Restore) else {
        return Ok(());
    };
    let folders = act.moves.iter().filter_map(|step| {
        let from = path::exact(&step.from)?;
        let folder = from.ancestors().find(|path| path.ends_with(id))?;
        Some(folder.to_owned())
    });
    match folders
        .into_iter()
        .find(|folder| parked::read(folder).is_some())
    {
        Some(folder) => prune(hands, &folder),
        None => Ok(()),
    }
}

/// Writes into the manifest of a copy what it holds now; a copy that holds nothing goes.
pub(in super::super) fn prune(hands: &Hands, folder: &Path) -> io::Result<()> {
    let Some(copy) = parked::read(folder) else {
        return Ok(());
    };
    if copy.is_spent() {
        return sweep(hands, &copy.folder);
    }
    let mut manifest = copy.manifest.clone();
    manifest.files.retain(|file| copy.holds(file));
    if manifest.files.len() == copy.manifest.files.len() {
        return Ok(());
    }
    let text = serde_json::to_vec_pretty(&manifest)?;
    hands.replace_synced(&copy.folder.join(MANIFEST), &text)
}

/// Removes a copy's folder in which no file is left: its manifest, an empty latch, itself. Anything else in
/// it keeps it.
pub(in super::super) fn sweep(hands: &Hands, folder: &Path) -> io::Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    let ours = [MANIFEST.to_owned(), format!("{MANIFEST}.new")];
    let mut goes = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let empty = look::at(&path)?.is_some_and(|seen| !seen.folder && seen.apparent.0 == 0);
        match name {
            Some(name) if ours.iter().any(|ours| ours == name) => goes.push(path),
            Some(LATCH) if empty => goes.push(path),
            _ => return Ok(()),
        }
    }
    // The manifest last: until then the folder says what it is.
    goes.sort_by_key(|path| path.ends_with(MANIFEST));
    for path in goes {
        hands.remove_file(&path)?;
    }
    hands.remove_dir(folder)?;
    hands.sync_parent(folder)
}

/// Forgets the sessions of an act that is over: they were kept for a start after a crash.
pub(in super::super) fn forget(hands: &Hands, machine: &Machine, id: &str) {
    let folder = machine.own_data.join(ACTS).join(id);
    let path = folder.join(SESSIONS);
    if path.symlink_metadata().is_ok() {
        // A list that stays is in nobody's way.
        hands.remove_file(&path).ok();
    }
    if folder.symlink_metadata().is_ok() {
        hands.remove_dir(&folder).ok();
    }
}

/// The sessions that an act remembered; none where they were not kept.
pub(in super::super) fn remembered(
    machine: &Machine,
    id: &str,
) -> Option<sandtray_core::act::sessions::Sessions> {
    let path = machine.own_data.join(ACTS).join(id).join(SESSIONS);
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

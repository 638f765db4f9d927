//! What must be there before a rebuild is done, and how much of it is.

use serde::{Deserialize, Serialize};

use super::File;
use super::files::origin;
use super::line::release;
use crate::act::{Identity, Scope};
use crate::bundle::Role;

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Wanted {
    scope: Scope,
    /// Kernel and ramdisks that must be there again.
    expected: Vec<String>,
    /// There was a system disk before anything moved.
    had_system: bool,
    /// Disks that were moved aside: never the new ones, wherever they are met.
    pub(super) parked: Vec<Identity>,
    /// The release that the app said it wants.
    pub(super) release: Option<String>,
}

/// What the disks look like at one look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disks {
    /// A sessions disk is there that was not moved aside.
    pub(super) sessions: bool,
    /// A system disk is.
    pub(super) system: bool,
    /// All that is waited for is there, and nothing says that it is broken.
    pub(super) whole: bool,
    /// And the filesystems can be read.
    pub(super) readable: bool,
}

impl Wanted {
    /// What is waited for where these files were there before.
    pub(super) fn new(scope: Scope, before: &[&str]) -> Self {
        Self {
            scope,
            expected: before
                .iter()
                .filter(|name| Role::of(name) == Role::Boot)
                .map(|name| (*name).to_owned())
                .collect(),
            had_system: before.iter().any(|name| Role::of(name) == Role::System),
            parked: Vec::new(),
            release: None,
        }
    }

    /// What the disks look like.
    pub(super) fn judge(&self, files: &[File], mounted: bool) -> Disks {
        let of = |role: Role| {
            files
                .iter()
                .filter(move |file| Role::of(&file.name) == role && file.apparent.0 > 0)
        };
        let sessions: Vec<&File> = of(Role::SessionData)
            .filter(|file| !self.is_parked(file.identity))
            .collect();
        let system: Vec<&File> = of(Role::System)
            .filter(|file| !self.is_parked(file.identity))
            .collect();
        let sessions_whole = !self.needs_sessions()
            || sessions
                .iter()
                .any(|file| file.readable != Some(false) || mounted);
        let system_whole = match self.scope {
            // Nothing of it moved: it is not ours to judge, as long as it is there.
            Scope::SessionDisk => !self.had_system || !system.is_empty(),
            Scope::SystemDisk | Scope::Bundle => {
                system.iter().any(|file| file.readable != Some(false))
                    && self.are_of_one_release(files)
            }
        };
        let readable = |role: Role, all: &[&File]| {
            !self.needs(role) || all.iter().any(|file| file.readable == Some(true))
        };
        Disks {
            sessions: !sessions.is_empty(),
            system: !system.is_empty(),
            whole: sessions_whole && system_whole,
            readable: (readable(Role::SessionData, &sessions) || mounted)
                && readable(Role::System, &system),
        }
    }

    /// Every file that was there before is there again, and all `.origin`s name one release.
    fn are_of_one_release(&self, files: &[File]) -> bool {
        let mut releases = Vec::new();
        for file in files {
            if !matches!(Role::of(&file.name), Role::System | Role::Boot) {
                continue;
            }
            match origin(files, &file.name).map(release) {
                Some(Some(id)) => releases.push(id),
                // A half-written `.origin`, or none for what never had one (firmware of newer builds).
                Some(None) => return false,
                None if Role::of(&file.name) == Role::System => return false,
                None => {}
            }
        }
        let there = |name: &String| files.iter().any(|file| file.name == *name);
        let wanted = |id: &String| self.release.as_ref().is_none_or(|want| want == id);
        let first = releases.first().cloned();
        first.is_some_and(|first| releases.iter().all(|id| *id == first && wanted(id)))
            && self.expected.iter().all(there)
    }

    fn is_parked(&self, identity: Identity) -> bool {
        self.parked
            .iter()
            .any(|parked| (parked.device, parked.inode) == (identity.device, identity.inode))
    }

    /// Whether a sessions disk is waited for.
    pub(super) const fn needs_sessions(&self) -> bool {
        !matches!(self.scope, Scope::SystemDisk)
    }

    const fn needs(&self, role: Role) -> bool {
        match role {
            Role::SessionData => self.needs_sessions(),
            _ => !matches!(self.scope, Scope::SessionDisk),
        }
    }
}

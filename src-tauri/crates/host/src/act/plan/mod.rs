//! What an act would do, and every reason why it would not: decided before the first effect.
//!
//! Preview and apply are one path: apply makes the preview once more, under the lock, and compares it with
//! the act that was confirmed, so that nothing is done that nobody read.
//!
//! * `reset`, `restore`, `discard`: the three kinds. `checks`: what all of them refuse.

mod checks;
mod discard;
mod reset;
mod restore;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use sandtray_core::act::preview::Preview;
use sandtray_core::act::{Act, ActKind, Move, Refusal, RefusalKind, Scope};
use sandtray_core::bundle::{Bundle, Profile};
use sandtray_core::machine::Machine;
use sandtray_core::paths::{PathText, hash, token};
use sandtray_core::settings::Settings;
use sandtray_core::time::Time;

use super::app::{Held, Running};
use super::means::{Means, Real};
use super::{journal, lock, path};
use crate::machine;

pub(super) use checks::{LATCH, files_below};
pub(super) use restore::release;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Move disks of a bundle aside.
    Reset {
        /// Which bundle; the only one where none is named.
        bundle: Option<String>,
        /// How much of it.
        scope: Scope,
    },
    /// Move a parked copy back.
    Restore {
        /// Its id.
        copy: String,
    },
    /// Give a parked copy to the trash, or remove it.
    Discard {
        /// Its id.
        copy: String,
        /// Remove it, without the trash.
        for_good: bool,
    },
}

impl Request {
    /// What was asked for when an act was planned.
    pub(super) fn of(act: &Act) -> Self {
        let copy = || act.copy.clone().unwrap_or_default();
        match act.kind {
            ActKind::Reset => Self::Reset {
                bundle: Some(act.bundle.clone()),
                scope: act.scope,
            },
            ActKind::Restore => Self::Restore { copy: copy() },
            ActKind::Trash | ActKind::Remove => Self::Discard {
                copy: copy(),
                for_good: act.kind == ActKind::Remove,
            },
        }
    }
}

/// Makes the preview of a request. Reads only.
#[must_use]
pub fn preview(
    machine: &Machine,
    settings: &Settings,
    bundles: &[Bundle],
    request: &Request,
) -> Preview {
    let mut means = Real::new(machine, &settings.claude);
    let now = machine::now(machine);
    let mut plan = Plan {
        machine,
        bundles,
        means: &mut means,
        id: name(now),
        now,
        resolving: None,
    };
    let mut view = plan.make(request);
    // An entry that is open was cut off, or is under way in another process: the lock tells.
    let open = |refusal: &Refusal| matches!(refusal.kind, RefusalKind::Unresolved { .. });
    if view.refusals.iter().any(open) && lock::is_held(machine) {
        view.refusals.retain(|refusal| !open(refusal));
        view.refusals.insert(0, RefusalKind::Busy.into());
    }
    view
}

/// What a plan is made with.
pub(super) struct Plan<'a> {
    pub(super) machine: &'a Machine,
    pub(super) bundles: &'a [Bundle],
    pub(super) means: &'a mut dyn Means,
    /// The name of the act.
    pub(super) id: String,
    pub(super) now: Time,
    /// An act that is under way by this very plan, and so is no reason to refuse it.
    pub(super) resolving: Option<&'a str>,
}

impl Plan<'_> {
    /// Makes the preview of a request.
    pub(super) fn make(&mut self, request: &Request) -> Preview {
        let mut view = match request {
            Request::Reset { bundle, scope } => self.reset(bundle.as_deref(), *scope),
            Request::Restore { copy } => self.restore(copy),
            Request::Discard { copy, for_good } => self.discard(copy, *for_good),
        };
        let mut refusals: Vec<Refusal> = self.always().into_iter().map(Refusal::from).collect();
        refusals.append(&mut view.refusals);
        refusals.dedup();
        view.refusals = refusals;
        view
    }

    /// What stops every act.
    fn always(&mut self) -> Vec<RefusalKind> {
        let mut kinds = Vec::new();
        if cfg!(unix) && self.machine.uid == 0 {
            kinds.push(RefusalKind::Root);
        }
        if self.means.packaged() {
            kinds.push(RefusalKind::Packaged);
        }
        match journal::trusted(self.machine) {
            Err(kind) => kinds.push(kind),
            Ok(journal) => kinds.extend(
                journal
                    .open()
                    .filter(|entry| Some(entry.act.id.as_str()) != self.resolving)
                    .map(|entry| RefusalKind::Unresolved {
                        entry: entry.act.id.clone(),
                    })
                    .take(1),
            ),
        }
        kinds
    }

    /// Looks for the app, and for whoever holds a file where it does not run.
    fn meet(&mut self, bundle: &Bundle, view: &mut Preview, act: &mut Act) {
        let app = match self.means.find(bundle) {
            Running::No => None,
            Running::Yes(app) => Some(app),
            Running::Several(pids) => {
                refuse(view, RefusalKind::SeveralApps { pids });
                None
            }
            Running::Unknown(cause) => {
                refuse(view, RefusalKind::HoldersUnknown { cause });
                return;
            }
        };
        act.running = app.is_some();
        view.running = act.running;
        act.launch = self.means.launch(bundle, app.as_ref());
        if act.running && act.launch.is_none() {
            view.notes.push(
                "It is not known how to start Claude Desktop again; start it yourself afterwards."
                    .to_owned(),
            );
        }
        act.boot = self.means.boot();
        // While the app runs its VM rightly holds the disks; they are proven free after it has quit.
        if act.running
            || view
                .refusals
                .iter()
                .any(|refusal| matches!(refusal.kind, RefusalKind::SeveralApps { .. }))
        {
            return;
        }
        let mut files = files_below(&bundle.path);
        files.extend(act.moves.iter().filter_map(|step| path::exact(&step.from)));
        match self.means.holders(&files) {
            Held::No => {}
            Held::By(holders) if holders.iter().any(|holder| holder.vm) => {
                refuse(view, RefusalKind::OrphanVm { holders });
            }
            Held::By(holders) => refuse(view, RefusalKind::Held { holders }),
            Held::Unknown(cause) => refuse(view, RefusalKind::HoldersUnknown { cause }),
        }
    }

    /// An act that does nothing yet.
    fn act(&self, kind: ActKind, scope: Scope, bundle: &Bundle) -> Act {
        Act {
            id: self.id.clone(),
            kind,
            scope,
            bundle: bundle.id.clone(),
            bundle_path: PathText::new(&bundle.path),
            copy: None,
            parked: None,
            moves: Vec::new(),
            running: false,
            launch: None,
            boot: None,
            planned_at: self.now,
        }
    }
}

/// Adds a refusal.
fn refuse(view: &mut Preview, kind: RefusalKind) {
    view.refusals.push(kind.into());
}

/// Puts an act into its preview.
fn show(view: &mut Preview, act: Act) {
    view.id.clone_from(&act.id);
    view.kind = act.kind;
    view.scope = act.scope;
    view.bundle.clone_from(&act.bundle);
    view.path.clone_from(&act.bundle_path);
    view.copy.clone_from(&act.copy);
    view.parked.clone_from(&act.parked);
    view.act = Some(act);
}

/// What differs between the act that was confirmed and what would be done now; none where it is the same.
/// An image that grew, because its app still ran, is the same.
pub(super) fn difference(confirmed: &Act, now: &Act) -> Option<String> {
    let place = |step: &Move| (step.from.clone(), step.to.clone(), step.folder);
    if !confirmed.running && now.running {
        return Some("Claude Desktop was started".to_owned());
    }
    let same = (confirmed.kind, confirmed.scope, &confirmed.bundle_path)
        == (now.kind, now.scope, &now.bundle_path)
        && confirmed.copy == now.copy
        && confirmed.parked == now.parked;
    if !same {
        return Some("it would be done elsewhere or to something else".to_owned());
    }
    if confirmed.moves.len() != now.moves.len() {
        return Some("other files are there".to_owned());
    }
    confirmed
        .moves
        .iter()
        .zip(&now.moves)
        .find(|(a, b)| {
            let (one, other) = (a.identity, b.identity);
            place(a) != place(b) || (one.device, one.inode) != (other.device, other.inode)
        })
        .map(|(step, _)| format!("{} is another file", step.from.path))
}

/// A bundle as it would be found at a path: it need not be there, a parked one left it.
pub(crate) fn bundle_at(bundles: &[Bundle], path: &Path) -> Bundle {
    let known = bundles.iter().find(|bundle| bundle.path == path);
    known.cloned().unwrap_or_else(|| Bundle {
        id: token(path),
        path: path.to_owned(),
        profile: match super::place::user_data(path).and_then(Path::file_name) {
            Some(name) if name == "Claude" => Profile::Claude,
            Some(name) if name == "Claude-3p" => Profile::Claude3p,
            _ => Profile::Extra,
        },
        live: false,
        detour: None,
        files: Vec::new(),
    })
}

/// A name for an act: when it was planned, and what keeps two of one second apart.
pub(crate) fn name(now: Time) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let moment = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let apart = hash(format!("{moment} {} {count}", std::process::id()).as_bytes()) & 0xffff;
    let digits: String = now
        .utc()
        .chars()
        .filter_map(|char| match char {
            ' ' => Some('-'),
            '0'..='9' => Some(char),
            _ => None,
        })
        .collect();
    format!("{digits}-{apart:04x}")
}

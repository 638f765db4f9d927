//! The app quits, nobody holds a file, and in the end it is started again.

use std::path::PathBuf;
use std::time::Duration;

use sandtray_core::act::RefusalKind;
use sandtray_core::act::refusal::Holder;
use sandtray_core::act::steps::Outcome;

use super::state::Run;
use crate::act::app::{Held, Quit, Running};
use crate::act::path;
use crate::act::plan::files_below;

/// Between two looks at who holds a file.
const PAUSE: Duration = Duration::from_millis(500);
/// How long somebody else than the VM may hold a file: an indexer that only looked.
const STRANGER: Duration = Duration::from_secs(3);

/// Who stands in the way.
enum Way {
    Free,
    Held(Vec<Holder>),
    Unknown(String),
    Stopped,
}

impl Run<'_> {
    fn limit(&self) -> Duration {
        Duration::from_secs(self.tools.settings.claude.quit_seconds.into())
    }

    pub(super) fn quit(&mut self) -> Outcome {
        let app = match self.tools.means.find(&self.bundle) {
            Running::No => return Outcome::Well,
            Running::Yes(app) => app,
            Running::Several(pids) => {
                self.refuse(RefusalKind::SeveralApps { pids });
                return Outcome::Failed;
            }
            Running::Unknown(cause) => {
                self.refuse(RefusalKind::CannotQuit { cause });
                return Outcome::Failed;
            }
        };
        let limit = self.limit();
        let (tools, control, mut tell) = self.telling();
        let quit = tools.means.quit(&app, limit, &control.cancel, &mut tell);
        drop(tell);
        match quit {
            Quit::Gone => {
                self.receipt.quit = true;
                Outcome::Well
            }
            Quit::TimedOut => {
                let waited = i64::try_from(limit.as_secs()).unwrap_or(i64::MAX);
                self.refuse(RefusalKind::DidNotQuit { waited });
                Outcome::Stopped
            }
            Quit::Stopped => {
                self.refuse(RefusalKind::Cancelled);
                self.remark("Claude Desktop was asked to quit and may still do so.");
                Outcome::Stopped
            }
            Quit::CannotAsk(cause) => {
                self.refuse(RefusalKind::CannotQuit { cause });
                Outcome::Failed
            }
        }
    }

    /// Every file of the bundle, and those that come back from a copy.
    fn files(&self, moved: bool) -> Vec<PathBuf> {
        let mut files = files_below(&self.bundle.path);
        for step in &self.act.moves {
            let place = if moved { &step.to } else { &step.from };
            files.extend(path::exact(place).iter().flat_map(|path| files_below(path)));
        }
        files.sort();
        files.dedup();
        files
    }

    pub(super) fn prove(&mut self) -> Outcome {
        let files = self.files(false);
        match self.wait_until_free(&files) {
            Way::Free => {}
            Way::Stopped => {
                self.refuse(RefusalKind::Cancelled);
                return Outcome::Stopped;
            }
            Way::Unknown(cause) => {
                self.refuse(RefusalKind::HoldersUnknown { cause });
                return Outcome::Failed;
            }
            Way::Held(holders) => {
                if let Running::Yes(_) = self.tools.means.find(&self.bundle) {
                    self.refuse(RefusalKind::CameBack);
                    return Outcome::Held { orphan: false };
                }
                let orphan = holders.iter().any(|holder| holder.vm);
                self.refuse(if orphan {
                    RefusalKind::OrphanVm { holders }
                } else {
                    RefusalKind::Held { holders }
                });
                return Outcome::Held { orphan };
            }
        }
        // It may run without having opened anything yet.
        match self.tools.means.find(&self.bundle) {
            Running::No => Outcome::Well,
            Running::Unknown(cause) => {
                self.refuse(RefusalKind::HoldersUnknown { cause });
                Outcome::Failed
            }
            Running::Yes(_) | Running::Several(_) => {
                self.refuse(RefusalKind::CameBack);
                Outcome::Held { orphan: false }
            }
        }
    }

    /// A VM takes up to a minute to end after its app (#47829).
    fn wait_until_free(&mut self, files: &[PathBuf]) -> Way {
        let limit = self.limit();
        let mut waited = Duration::ZERO;
        loop {
            let (tools, control, mut tell) = self.telling();
            let holders = match tools.means.holders(files) {
                Held::No => return Way::Free,
                Held::Unknown(cause) => return Way::Unknown(cause),
                Held::By(holders) => holders,
            };
            let vm = holders.iter().any(|holder| holder.vm);
            let patience = if vm { limit } else { STRANGER.min(limit) };
            if waited >= patience {
                return Way::Held(holders);
            }
            if control.cancel.is_cancelled() {
                return Way::Stopped;
            }
            tell(if vm {
                "the virtual machine to end"
            } else {
                "another program to close the disks"
            });
            tools.means.pause(PAUSE);
            waited += PAUSE;
        }
    }

    /// By device and inode, which a rename does not change: the app may have come back between the proof
    /// and the rename.
    pub(super) fn prove_again(&mut self) -> Outcome {
        let files = self.files(true);
        // Who opened a file in the meantime is seen first, who is about to after it.
        let held = self.tools.means.holders(&files);
        let running = self.tools.means.find(&self.bundle);
        match (held, running) {
            (Held::No, Running::No) => Outcome::Well,
            (Held::Unknown(cause), _) | (_, Running::Unknown(cause)) => {
                self.refuse(RefusalKind::HoldersUnknown { cause });
                Outcome::Failed
            }
            (_, Running::Yes(_) | Running::Several(_)) => {
                self.refuse(RefusalKind::CameBack);
                Outcome::Held { orphan: false }
            }
            (Held::By(holders), Running::No) => {
                let orphan = holders.iter().any(|holder| holder.vm);
                self.refuse(RefusalKind::Held { holders });
                Outcome::Held { orphan }
            }
        }
    }

    /// Starts the app, unless it runs.
    pub(super) fn start(&mut self) -> Outcome {
        if matches!(
            self.tools.means.find(&self.bundle),
            Running::Yes(_) | Running::Several(_)
        ) {
            self.remark("Claude Desktop was running again already.");
            return Outcome::Well;
        }
        let Some(launch) = self.act.launch.clone() else {
            self.remark("It is not known how to start Claude Desktop; start it yourself.");
            return Outcome::Failed;
        };
        match self.tools.means.start(&launch) {
            Ok(()) => {
                self.receipt.relaunched = true;
                Outcome::Well
            }
            Err(failure) => {
                self.remark(format!("Claude Desktop was not started: {failure}"));
                Outcome::Failed
            }
        }
    }
}

//! An app that does what a test tells it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::refusal::Holder;
use sandtray_core::act::sessions::{Seen, Sessions};
use sandtray_core::act::{Launch, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::paths::PathText;

use super::world::tree;
use crate::act::app::{App, Held, Quit, Running};
use crate::act::means::Means;
use crate::error::Failure;
use crate::walk::Cancel;

/// What happens when an act looks at the app.
type Script = Box<dyn FnMut(&mut Fake)>;

/// An app that does what it is told.
#[derive(Default)]
pub(super) struct Fake {
    pub(super) running: bool,
    /// Who holds a file, whatever the file.
    pub(super) holders: Vec<Holder>,
    pub(super) several: Vec<u32>,
    pub(super) unknown: Option<String>,
    pub(super) packaged: bool,
    pub(super) quits: Option<Quit>,
    /// Called before each look at the holders.
    pub(super) at_holders: Option<Script>,
    pub(super) looks: usize,
    pub(super) at_start: Option<Script>,
    pub(super) rebuild: Vec<Rebuild>,
    /// What was asked of it, in order.
    pub(super) asked: Vec<&'static str>,
}

impl Fake {
    pub(super) fn running() -> Self {
        Self {
            running: true,
            ..Self::default()
        }
    }

    fn call(&mut self, which: fn(&mut Self) -> &mut Option<Script>) {
        if let Some(mut script) = which(self).take() {
            script(self);
            which(self).get_or_insert(script);
        }
    }
}

pub(super) fn holder(vm: bool) -> Holder {
    Holder {
        pid: 4711,
        name: if vm { "qemu-system-x86_64" } else { "rsync" }.to_owned(),
        file: None,
        vm,
    }
}

impl Means for Fake {
    fn find(&mut self, _bundle: &Bundle) -> Running {
        if let Some(cause) = &self.unknown {
            return Running::Unknown(cause.clone());
        }
        if !self.several.is_empty() {
            return Running::Several(self.several.clone());
        }
        if !self.running {
            return Running::No;
        }
        Running::Yes(App {
            pid: 4710,
            started: 1,
            executable: PathBuf::from("/usr/lib/claude-desktop/claude-desktop"),
            arguments: Vec::new(),
        })
    }

    fn launch(&mut self, _bundle: &Bundle, _app: Option<&App>) -> Option<Launch> {
        Some(Launch {
            program: PathText::from_bytes(b"/usr/bin/claude-desktop"),
            arguments: Vec::new(),
        })
    }

    fn quit(
        &mut self,
        _app: &App,
        _limit: Duration,
        _cancel: &Cancel,
        tell: &mut dyn FnMut(&str),
    ) -> Quit {
        self.asked.push("quit");
        tell("Claude Desktop to quit");
        let quit = self.quits.clone().unwrap_or(Quit::Gone);
        self.running = quit != Quit::Gone;
        quit
    }

    fn holders(&mut self, _files: &[PathBuf]) -> Held {
        self.looks += 1;
        self.call(|fake| &mut fake.at_holders);
        if self.holders.is_empty() {
            Held::No
        } else {
            Held::By(self.holders.clone())
        }
    }

    fn start(&mut self, _launch: &Launch) -> Result<(), Failure> {
        self.asked.push("start");
        self.running = true;
        self.call(|fake| &mut fake.at_start);
        Ok(())
    }

    fn sessions(&mut self, user_data: &Path) -> Sessions {
        let mut sessions = Sessions::default();
        for folder in sandtray_core::act::sessions::FOLDERS {
            for (path, (inode, content)) in tree(&user_data.join(folder)) {
                let seen = Seen {
                    size: u64::try_from(content.len()).unwrap(),
                    inode,
                    modified: 0,
                    content: Some(String::from_utf8_lossy(&content).into_owned()),
                };
                let path = PathText::new(&Path::new(folder).join(path));
                sessions.seen.insert(path, seen);
            }
        }
        sessions
    }

    fn keep_watching(&mut self, _act: &str, _bundle: &Path) -> std::io::Result<()> {
        Ok(())
    }

    fn begin_watching(&mut self, _bundle: &Bundle, _scope: Scope) {
        self.asked.push("watch");
    }

    fn look(&mut self) -> Option<Rebuild> {
        if self.rebuild.len() > 1 {
            Some(self.rebuild.remove(0))
        } else {
            self.rebuild.first().cloned()
        }
    }

    fn packaged(&mut self) -> bool {
        self.packaged
    }

    fn boot(&mut self) -> Option<String> {
        Some("boot".to_owned())
    }

    fn pause(&mut self, _time: Duration) {
        self.asked.push("pause");
    }
}

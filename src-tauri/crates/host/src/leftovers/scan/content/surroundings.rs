//! What gates ask of the surroundings of a candidate: read once, when the first one asks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::{Gate, shape};

use super::super::Scene;
use super::super::dig::is_absence;
use super::launched::launched;
use super::{gates, superseded, tracked};

/// Longest list of what is installed that is read.
const LONGEST_LIST: u64 = 16 * 1024 * 1024;

/// Answers from around the candidates.
pub(in super::super) struct Surroundings<'a> {
    scene: &'a Scene,
    transcripts: Option<Transcripts>,
    installed: BTreeMap<PathBuf, Installed>,
}

/// Sessions that can be resumed.
#[derive(Default)]
struct Transcripts {
    sessions: BTreeSet<String>,
    /// Every folder of every configuration could be read.
    is_whole: bool,
}

/// What a list of plugins says.
enum Installed {
    Unknown,
    Text(Vec<u8>),
}

impl<'a> Surroundings<'a> {
    pub(in super::super) const fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            transcripts: None,
            installed: BTreeMap::new(),
        }
    }

    /// Answers the gates of a candidate's class that its surroundings can answer.
    pub(in super::super) fn answer(&mut self, candidate: &mut Candidate) {
        for gate in gates(candidate.class) {
            let whole = || candidate.base.join(&candidate.path);
            match gate {
                Gate::TranscriptGone => {
                    let session = candidate.origin.session.clone();
                    candidate.content.transcript = session.and_then(|it| self.transcript(&it));
                }
                Gate::NotLaunched => {
                    candidate.content.launched = launched(&self.scene.machine, &whole());
                }
                Gate::NotInstalled => {
                    let name = candidate.path.file_name().unwrap_or_default();
                    let list = candidate.base.join("plugins");
                    candidate.content.installed = self.installed(list, name.as_encoded_bytes());
                }
                Gate::Superseded => {
                    candidate.content.superseded =
                        superseded::superseded(self.scene.machine.os, &whole());
                }
                Gate::ProjectQuiet => candidate.content.untracked = tracked::untracked(&whole()),
                _ => {}
            }
        }
    }

    /// Whether a session can be resumed: `<config>/projects/*/<session>.jsonl`, whatever stands behind it.
    fn transcript(&mut self, session: &str) -> Option<bool> {
        let dirs = &self.scene.config_dirs;
        let known = self
            .transcripts
            .get_or_insert_with(|| Transcripts::read(dirs));
        let found = known.sessions.contains(&session.to_ascii_lowercase());
        (found || known.is_whole).then_some(found)
    }

    fn installed(&mut self, plugins: PathBuf, name: &[u8]) -> Option<bool> {
        let list = self
            .installed
            .entry(plugins)
            .or_insert_with_key(|plugins| Installed::read(plugins));
        match list {
            Installed::Unknown => None,
            Installed::Text(text) => {
                Some(!name.is_empty() && text.windows(name.len()).any(|part| part == name))
            }
        }
    }
}

impl Transcripts {
    fn read(dirs: &[PathBuf]) -> Self {
        let mut found = Self {
            is_whole: !dirs.is_empty(),
            ..Self::default()
        };
        for dir in dirs {
            if let Err(cause) = found.add(&dir.join("projects")) {
                found.is_whole &= is_absence(&cause);
            }
        }
        found
    }

    fn add(&mut self, projects: &Path) -> io::Result<()> {
        for project in fs::read_dir(projects)? {
            let listed = fs::read_dir(project?.path());
            let names = match listed {
                Ok(names) => names,
                Err(cause) if is_absence(&cause) => continue,
                Err(cause) => return Err(cause),
            };
            for name in names {
                let name = name?.file_name();
                let name = name.as_encoded_bytes();
                let session = name.get(..36).filter(|_| name[36..].starts_with(b".jsonl"));
                let named = session.and_then(|session| shape::fits("{uuid}", session));
                let session = named.and_then(|named| named.session);
                self.sessions
                    .extend(session.map(|it| it.to_ascii_lowercase()));
            }
        }
        Ok(())
    }
}

impl Installed {
    /// Reads `installed_plugins.json`. Where there is none, nothing is installed, unless one that could not
    /// be read was set aside.
    fn read(plugins: &Path) -> Self {
        let path = plugins.join("installed_plugins.json");
        let mut text = Vec::new();
        match File::open(path) {
            Ok(file) => match file.take(LONGEST_LIST + 1).read_to_end(&mut text) {
                Ok(count) if u64::try_from(count).is_ok_and(|count| count <= LONGEST_LIST) => {
                    match serde_json::from_slice::<serde_json::Value>(&text) {
                        Ok(_) => Self::Text(text),
                        Err(_) => Self::Unknown,
                    }
                }
                _ => Self::Unknown,
            },
            Err(cause) if is_absence(&cause) && !is_set_aside(plugins) => Self::Text(Vec::new()),
            Err(_) => Self::Unknown,
        }
    }
}

fn is_set_aside(plugins: &Path) -> bool {
    match fs::read_dir(plugins) {
        Ok(mut names) => names.any(|name| {
            name.map_or(true, |name| {
                let name = name.file_name();
                name.as_encoded_bytes().starts_with(b"installed_plugins.")
            })
        }),
        Err(cause) => !is_absence(&cause),
    }
}

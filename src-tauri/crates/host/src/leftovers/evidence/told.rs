//! What processes say of themselves: their environments, and which program they run.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::Agent;
use sandtray_core::time::Time;

use super::environment::{self, Environment};
use super::programs::{self, Program, Version};

/// What is said of where files are made, by Node's own rule.
const TEMP: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// What Claude Code and its sandbox take instead for some of their files.
const TEMP_OF_CLAUDE: [&str; 2] = ["CLAUDE_CODE_TMPDIR", "CLAUDE_TMPDIR"];

/// One process, as it shows itself.
pub(super) struct Words<'a> {
    pub(super) pid: u32,
    pub(super) started: Time,
    pub(super) name: &'a [u8],
    /// None where it may not be seen.
    pub(super) executable: Option<&'a Path>,
    /// Its arguments, its own name first; asked only where they decide.
    pub(super) arguments: &'a dyn Fn() -> Vec<Vec<u8>>,
    /// Whether its executable was built with bun; asked only where nothing else tells.
    pub(super) bun: &'a dyn Fn() -> bool,
    /// Its environment; none where it may not be seen.
    pub(super) environment: Option<&'a [u8]>,
    /// Its paths mean what ours mean.
    pub(super) here: bool,
    pub(super) cwd: Option<PathBuf>,
    /// It is this user's.
    pub(super) own: bool,
}

/// An agent that lives.
#[derive(Clone, Debug)]
struct Living {
    pid: u32,
    started: Time,
    program: Program,
    /// Where it may make files; empty where that is unknown.
    temps: BTreeSet<PathBuf>,
    cwd: Option<PathBuf>,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) named: BTreeSet<PathBuf>,
    pub(super) config_dirs: BTreeSet<PathBuf>,
    pub(super) jobs: BTreeSet<PathBuf>,
    /// Ids of sessions, each with a process that has it.
    pub(super) sessions: BTreeMap<String, u32>,
    /// Where files are made if nothing is said.
    usual: PathBuf,
    agents: Vec<Living>,
    /// Values that were taken apart: children have their parents' environment.
    values: HashSet<Vec<u8>>,
}

impl Told {
    /// `usual` is the system's temp folder.
    pub(super) fn new(usual: &Path) -> Self {
        Self {
            usual: usual.to_owned(),
            ..Self::default()
        }
    }

    /// Takes what one process says.
    pub(super) fn take(&mut self, words: Words<'_>) {
        if let Some(text) = words.environment {
            self.environment(Environment(text), words.pid);
        }
        if !words.own {
            return;
        }
        let known = programs::recognise(words.name, words.executable, words.arguments);
        let Some(program) = known.or_else(|| (words.bun)().then_some(Program::Bun)) else {
            return;
        };
        let temps = words
            .environment
            .filter(|_| words.here)
            .map(|text| self.temps(Environment(text)));
        self.agents.push(Living {
            pid: words.pid,
            started: words.started,
            program,
            temps: temps.unwrap_or_default(),
            cwd: words.cwd,
        });
    }

    fn environment(&mut self, told: Environment<'_>, pid: u32) {
        for (_, value) in told.variables() {
            if !self.values.contains(value) {
                environment::name(value, &mut self.named);
                self.values.insert(value.to_vec());
            }
        }
        self.config_dirs.extend(told.path("CLAUDE_CONFIG_DIR"));
        self.jobs.extend(told.path("CLAUDE_JOB_DIR"));
        if let Some(id) = told.value("CLAUDE_CODE_SESSION_ID") {
            let id = String::from_utf8_lossy(id).into_owned();
            self.sessions.entry(id).or_insert(pid);
        }
    }

    /// The folders in which a program with this environment makes temp files.
    fn temps(&self, told: Environment<'_>) -> BTreeSet<PathBuf> {
        let usual = told.first(&TEMP).unwrap_or_else(|| self.usual.clone());
        let more = TEMP_OF_CLAUDE.iter().filter_map(|name| told.path(name));
        std::iter::once(usual)
            .chain(more)
            .map(|folder| std::fs::canonicalize(&folder).unwrap_or(folder))
            .collect()
    }

    /// Processes of Claude Code, and the folders they work in.
    pub(super) fn claudes(&self) -> impl Iterator<Item = (u32, Option<&Path>)> {
        self.agents
            .iter()
            .filter(|living| matches!(living.program, Program::Claude(_)))
            .map(|living| (living.pid, living.cwd.as_deref()))
    }

    /// The agents, one for each folder in which they may make files. `versions` are those that the session
    /// registry tells.
    pub(super) fn agents(&self, versions: &BTreeMap<u32, Version>) -> Vec<Agent> {
        let mut agents = Vec::new();
        for living in &self.agents {
            let (version, claude) = match living.program {
                Program::Claude(version) => {
                    (version.or_else(|| versions.get(&living.pid).copied()), true)
                }
                Program::Bun => (None, false),
            };
            let mut add = |temp| {
                agents.push(Agent {
                    pid: living.pid,
                    started: living.started,
                    version,
                    temp,
                    claude,
                });
            };
            match living.temps.is_empty() {
                true => add(None),
                false => living.temps.iter().cloned().map(Some).for_each(add),
            }
        }
        agents
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn words<'a>(name: &'a [u8], environment: Option<&'a [u8]>) -> Words<'a> {
        Words {
            pid: 7,
            started: Time(5),
            name,
            executable: None,
            arguments: &Vec::new,
            bun: &|| false,
            environment,
            here: true,
            cwd: Some("/shop".into()),
            own: true,
        }
    }

    fn agents(words: Words<'_>) -> Vec<Agent> {
        let mut told = Told::new(Path::new("/nowhere/usual"));
        told.take(words);
        told.agents(&BTreeMap::new())
    }

    #[test]
    fn temp_files_go_where_node_and_claude_put_them() {
        let of = |text: &str| {
            agents(words(b"claude", Some(text.as_bytes())))
                .into_iter()
                .map(|agent| agent.temp.unwrap().to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("HOME=/h\0"), ["/nowhere/usual"]);
        assert_eq!(of("TMPDIR=/nowhere/t\0TMP=/nowhere/u\0"), ["/nowhere/t"]);
        assert_eq!(of("TMP=/nowhere/u\0"), ["/nowhere/u"]);
        let both = ["/nowhere/c", "/nowhere/usual"];
        assert_eq!(of("CLAUDE_CODE_TMPDIR=/nowhere/c\0TMPDIR=\0"), both);
    }

    #[test]
    fn an_agent_that_cannot_be_seen_may_make_files_anywhere() {
        let told = Some(&b"TMPDIR=/nowhere/t\0"[..]);
        let elsewhere = Words {
            here: false,
            ..words(b"2.1.280", told)
        };
        for unclear in [words(b"2.1.280", None), elsewhere] {
            let found = agents(unclear);
            assert_eq!((found.len(), &found[0].temp), (1, &None));
            assert_eq!(found[0].version, Some((2, 1, 280)));
        }
    }

    #[test]
    fn another_users_agent_is_none_of_ours_and_another_program_is_none() {
        let others = Words {
            own: false,
            ..words(b"claude", None)
        };
        assert_eq!(agents(others), []);
        assert_eq!(agents(words(b"bash", None)), []);
        let built = Words {
            bun: &|| true,
            ..words(b"opencode", None)
        };
        assert!(!agents(built)[0].claude);
    }
}

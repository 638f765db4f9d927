//! What this user's own processes say of themselves: their environments, and which program they run.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::Agent;
use sandtray_core::time::Time;

use super::look::Folder;
use super::pass::agent;
use crate::act::app::proc::Stat;
use crate::leftovers::evidence::environment::{self, Environment};
use crate::leftovers::evidence::programs::{self, Program, Version};

/// What is said of where files are made, by Node's own rule.
const TEMP: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// What Claude Code and its sandbox take instead for some of their files.
const TEMP_OF_CLAUDE: [&str; 2] = ["CLAUDE_CODE_TMPDIR", "CLAUDE_TMPDIR"];

const SYSTEM_TEMP: &str = "/tmp";

/// An agent that lives.
#[derive(Clone, Debug)]
struct Living {
    stat: Stat,
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
    /// Our own mount namespace; a path in another is another file's.
    pub(super) own_mounts: Option<Vec<u8>>,
    agents: Vec<Living>,
    /// Values that were taken apart: children have their parents' environment.
    values: HashSet<Vec<u8>>,
}

impl Told {
    /// Takes what one process says. `own` is whether it is this user's.
    pub(super) fn take(
        &mut self,
        folder: &Folder,
        stat: &Stat,
        executable: Option<&Path>,
        own: bool,
    ) {
        let text = folder.read("environ").ok();
        if let Some(text) = &text {
            self.environment(Environment(text), stat.pid);
        }
        if !own {
            return;
        }
        let arguments = || arguments(folder);
        if let Some(program) = programs::recognise(&stat.name, executable, &arguments) {
            let here = self.own_mounts.is_some()
                && folder
                    .link("ns/mnt")
                    .ok()
                    .map(std::ffi::CString::into_bytes)
                    == self.own_mounts;
            let temps = text
                .filter(|_| here)
                .map(|text| temps(Environment(&text)))
                .unwrap_or_default();
            let cwd = folder.link("cwd").ok();
            self.agents.push(Living {
                stat: stat.clone(),
                program,
                temps,
                cwd: cwd.map(|cwd| environment::path(cwd.as_bytes())),
            });
        }
    }

    /// Takes one of our own that cannot be looked into: only its name speaks.
    pub(super) fn closed(&mut self, stat: &Stat) {
        if let Some(program) = programs::recognise(&stat.name, None, &Vec::new) {
            self.agents.push(Living {
                stat: stat.clone(),
                program,
                temps: BTreeSet::new(),
                cwd: None,
            });
        }
    }

    fn environment(&mut self, told: Environment<'_>, pid: u32) {
        for (_, value) in told.variables() {
            if value.contains(&b'/') && !self.values.contains(value) {
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

    pub(super) fn is_claude(&self, pid: u32) -> bool {
        self.claudes().any(|(known, _)| known == pid)
    }

    /// Processes of Claude Code, and the folders they work in.
    pub(super) fn claudes(&self) -> impl Iterator<Item = (u32, Option<&Path>)> {
        self.agents
            .iter()
            .filter(|living| matches!(living.program, Program::Claude(_)))
            .map(|living| (living.stat.pid, living.cwd.as_deref()))
    }

    /// The agents, one for each folder in which they may make files. `versions` are those that the session
    /// registry tells.
    pub(super) fn agents(
        &self,
        started: &dyn Fn(&Stat) -> Time,
        versions: &BTreeMap<u32, Version>,
    ) -> Vec<Agent> {
        let mut agents = Vec::new();
        for living in &self.agents {
            let pid = living.stat.pid;
            let (version, claude) = match living.program {
                Program::Claude(version) => (version.or_else(|| versions.get(&pid).copied()), true),
                Program::Bun => (None, false),
            };
            let mut add =
                |temp| agents.push(agent(pid, started(&living.stat), version, claude, temp));
            match living.temps.is_empty() {
                true => add(None),
                false => living.temps.iter().cloned().map(Some).for_each(add),
            }
        }
        agents
    }
}

/// The folders in which a program with this environment makes temp files.
fn temps(told: Environment<'_>) -> BTreeSet<PathBuf> {
    let usual = told.first(&TEMP).unwrap_or_else(|| SYSTEM_TEMP.into());
    let more = TEMP_OF_CLAUDE.iter().filter_map(|name| told.path(name));
    std::iter::once(usual)
        .chain(more)
        .map(|folder| std::fs::canonicalize(&folder).unwrap_or(folder))
        .collect()
}

fn arguments(folder: &Folder) -> Vec<Vec<u8>> {
    folder
        .read("cmdline")
        .unwrap_or_default()
        .split(|byte| *byte == 0)
        .map(<[u8]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temp_files_go_where_node_and_claude_put_them() {
        let of = |text: &str| temps(Environment(text.as_bytes()));
        let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
        let tmp = std::fs::canonicalize("/tmp").unwrap();
        assert_eq!(of("HOME=/h\0"), BTreeSet::from([tmp.clone()]));
        assert_eq!(
            of("TMPDIR=/nowhere/t\0TMP=/nowhere/u\0"),
            set(&["/nowhere/t"])
        );
        assert_eq!(of("TMP=/nowhere/u\0"), set(&["/nowhere/u"]));
        let mut both = set(&["/nowhere/c"]);
        both.insert(tmp);
        assert_eq!(of("CLAUDE_CODE_TMPDIR=/nowhere/c\0TMPDIR=\0"), both);
    }
}

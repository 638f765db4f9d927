//! Directories in which leftovers gather.

use std::path::{Path, PathBuf};

use super::Pattern;
use crate::bundle::RootWhy;
use crate::machine::{Machine, Os};

/// A temp root that may exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootCandidate {
    /// Where.
    pub place: Pattern,
    /// Why it is watched.
    pub why: RootWhy,
}

/// Every temp root of this machine that may exist, the more telling reason first: host keeps the
/// first of those that turn out to be one directory (`/tmp` is `/private/tmp` on macOS).
#[must_use]
pub fn temp_roots(machine: &Machine) -> Vec<RootCandidate> {
    let mut found = Vec::new();
    for dir in config_dirs(machine) {
        // `$CLAUDE_JOB_DIR/tmp` of background sessions: +6 GB an hour once (#91512).
        let place = Pattern::exact(&dir).name("jobs").any().name("tmp");
        found.push(RootCandidate {
            place,
            why: RootWhy::JobTemp,
        });
    }
    let mut add = |why: RootWhy, path: &Path| {
        found.push(RootCandidate {
            place: Pattern::exact(path),
            why,
        });
    };
    if let Some(only) = &machine.only_roots {
        only.iter().for_each(|root| add(RootWhy::Configured, root));
        return found;
    }
    for name in ["CLAUDE_CODE_TMPDIR", "CLAUDE_TMPDIR"] {
        if let Some(dir) = machine.variables.get(name) {
            claude_roots(machine, dir)
                .iter()
                .for_each(|root| add(RootWhy::ClaudeTemp, root));
            add(RootWhy::ClaudeOverride, dir);
        }
    }
    for base in temp_folders(machine) {
        claude_roots(machine, &base)
            .iter()
            .for_each(|root| add(RootWhy::ClaudeTemp, root));
    }
    system_folders(machine)
        .iter()
        .for_each(|root| add(RootWhy::SystemTemp, root));
    for base in temp_folders(machine) {
        add(RootWhy::UserTemp, &base);
    }
    machine
        .extra_roots
        .iter()
        .for_each(|root| add(RootWhy::Configured, root));
    if machine.os == Os::MacOs {
        let place = Pattern::exact(Path::new("/private/var/folders"))
            .any()
            .any()
            .name("T");
        found.push(RootCandidate {
            place,
            why: RootWhy::UserTemp,
        });
    }
    found
}

/// Configuration folders of Claude Code: the default one, the variable's, the settings'.
#[must_use]
pub fn config_dirs(machine: &Machine) -> Vec<PathBuf> {
    let mut dirs = vec![machine.home.join(".claude")];
    dirs.extend(machine.variables.get("CLAUDE_CONFIG_DIR").cloned());
    dirs.extend(machine.config_dirs.iter().cloned());
    dirs
}

/// The session root in a temp folder, its older shared name, and the doubled form that appears when
/// the temp folder already is the session root (erwins-enkel/shepherd#1882).
fn claude_roots(machine: &Machine, base: &Path) -> Vec<PathBuf> {
    if machine.os == Os::Windows {
        return vec![base.join("claude")];
    }
    let own = format!("claude-{}", machine.uid);
    vec![
        base.join(&own).join(&own),
        base.join(&own),
        base.join("claude"),
    ]
}

/// Folders that are temp folders whatever the environment says.
fn system_folders(machine: &Machine) -> Vec<PathBuf> {
    match machine.os {
        Os::Linux => vec!["/tmp".into(), "/var/tmp".into()],
        Os::MacOs => vec!["/private/tmp".into(), "/private/var/tmp".into()],
        Os::Windows => vec![machine.folders.temp.clone()],
    }
}

/// Folders in which programs of this user make their temp files: the system's and the variables'.
fn temp_folders(machine: &Machine) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for name in ["TMPDIR", "TEMP", "TMP"] {
        folders.extend(machine.variables.get(name).cloned());
    }
    match machine.os {
        Os::Linux => folders.push("/tmp".into()),
        // The session root ignores `$TMPDIR` on macOS, the sandbox's own files follow it (#78687).
        Os::MacOs => folders.push("/private/tmp".into()),
        Os::Windows => {}
    }
    folders.push(machine.folders.temp.clone());
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let fresh = !folder.as_os_str().is_empty() && !seen.contains(folder);
        seen.push(folder.clone());
        fresh
    });
    folders
}

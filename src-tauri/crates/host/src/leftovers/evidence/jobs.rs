//! Background jobs of Claude Code: `<config>/jobs/<id>`, `state.json` in each, `daemon/roster.json`.
//!
//! Seen in 2.1.139 to 2.1.233: the roster is `{"supervisorPid": n, "workers": {"<id>": {"pid": n, …}}}`,
//! a job's state is a word (`working`, `blocked`, `failed`, `done`). A word that is not known to mean
//! the end means that it runs, and so does a roster that cannot be understood.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::time::Time;
use serde_json::Value;

use super::registry::{content, is_absent, whole};

/// Words that say that a job has ended.
const ENDED: [&str; 13] = [
    "done",
    "failed",
    "completed",
    "complete",
    "finished",
    "stopped",
    "killed",
    "exited",
    "error",
    "errored",
    "cancelled",
    "canceled",
    "aborted",
];

/// The jobs of a configuration folder that run, by their folders. `lives` says whether a process has a
/// number; what was written before `boot` runs no more.
pub(super) fn running(
    config: &Path,
    lives: &dyn Fn(u32) -> bool,
    boot: Option<Time>,
) -> BTreeSet<PathBuf> {
    let jobs = config.join("jobs");
    let ids: Vec<OsString> = std::fs::read_dir(&jobs)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    if ids.is_empty() {
        return BTreeSet::new();
    }
    let of_this_start = |written: Time| boot.is_none_or(|boot| written >= boot);
    let roster = match content(&config.join("daemon/roster.json")) {
        Ok(Some((text, written))) if of_this_start(written) => Roster::parse(&text, lives),
        Ok(Some(_)) => Roster::default(),
        Err(error) if is_absent(&error) => Roster::default(),
        Ok(None) | Err(_) => Roster {
            unclear: true,
            ..Roster::default()
        },
    };
    ids.into_iter()
        .filter(|id| {
            roster.has(&id.to_string_lossy())
                || match content(&jobs.join(id).join("state.json")) {
                    Ok(Some((text, written))) => of_this_start(written) && says_running(&text),
                    Ok(None) => true,
                    Err(error) => !is_absent(&error) && !is_no_job(&error),
                }
        })
        .map(|id| jobs.join(id))
        .collect()
}

/// A plain file beside the jobs (`pins.json`).
fn is_no_job(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}

/// Whether a `state.json` says that its job runs.
fn says_running(text: &[u8]) -> bool {
    let Ok(Value::Object(told)) = serde_json::from_slice(text) else {
        return true;
    };
    let word = ["state", "status"]
        .iter()
        .find_map(|name| told.get(*name).and_then(Value::as_str));
    word.is_none_or(|word| !ENDED.contains(&word.to_ascii_lowercase().as_str()))
}

/// Who works, as the supervisor wrote it down.
#[derive(Debug, Default, PartialEq, Eq)]
struct Roster {
    working: BTreeSet<String>,
    /// It could not be understood: anybody may work.
    unclear: bool,
}

impl Roster {
    fn parse(text: &[u8], lives: &dyn Fn(u32) -> bool) -> Self {
        let unclear = || Self {
            unclear: true,
            ..Self::default()
        };
        let Ok(Value::Object(told)) = serde_json::from_slice(text) else {
            return unclear();
        };
        let alive = |of: &Value, name: &str| {
            let pid = of.get(name).and_then(whole)?;
            u32::try_from(pid).ok().map(lives)
        };
        let whole = Value::Object(told);
        // A supervisor that lives starts a worker again that has ended.
        let kept = alive(&whole, "supervisorPid") == Some(true);
        match whole.get("workers") {
            None => Self::default(),
            Some(Value::Object(workers)) => Self {
                working: workers
                    .iter()
                    .filter(|(_, worker)| kept || alive(worker, "pid") != Some(false))
                    .map(|(id, _)| id.clone())
                    .collect(),
                unclear: false,
            },
            Some(_) => unclear(),
        }
    }

    fn has(&self, id: &str) -> bool {
        self.unclear || self.working.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn running(&self, boot: Option<Time>) -> Vec<String> {
            running(self.0.path(), &|pid| pid < 100, boot)
                .iter()
                .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
                .collect()
        }
    }

    #[test]
    fn jobs_run_by_roster_or_by_their_state() {
        let place = Place::new();
        assert_eq!(place.running(None), Vec::<String>::new());
        for (id, state) in [
            ("59b12afc", "done"),
            ("594ad74c", "Working"),
            ("708aab4d", "failed"),
            ("95e9394f", "done"),
            ("aaaaaaaa", "a word of tomorrow"),
        ] {
            place.write(
                &format!("jobs/{id}/state.json"),
                &format!(r#"{{"state":"{state}","name":"x"}}"#),
            );
        }
        place.write("jobs/bbbbbbbb/state.json", "{half");
        place.write("jobs/pins.json", "[]");
        fs::create_dir_all(place.0.path().join("jobs/cccccccc/tmp")).unwrap();
        place.write(
            "daemon/roster.json",
            r#"{"proto":1,"supervisorPid":43460,"workers":{"59b12afc":{"pid":7},"95e9394f":{"pid":4000}}}"#,
        );
        let expected = ["594ad74c", "59b12afc", "aaaaaaaa", "bbbbbbbb"];
        assert_eq!(place.running(None), expected);
        assert_eq!(
            place.running(Some(Time(i64::MAX))),
            Vec::<String>::new(),
            "written before the machine was started"
        );
    }

    #[test]
    fn a_supervisor_that_lives_keeps_all_of_its_workers() {
        let place = Place::new();
        place.write("jobs/95e9394f/state.json", r#"{"state":"done"}"#);
        place.write(
            "daemon/roster.json",
            r#"{"supervisorPid":5,"workers":{"95e9394f":{"pid":4000}}}"#,
        );
        assert_eq!(place.running(None), ["95e9394f"]);
    }

    #[test]
    fn a_roster_that_makes_no_sense_stops_at_nobody() {
        for text in ["", "[]", r#"{"workers":[]}"#] {
            let place = Place::new();
            place.write("jobs/95e9394f/state.json", r#"{"state":"done"}"#);
            place.write("daemon/roster.json", text);
            assert_eq!(place.running(None), ["95e9394f"], "{text}");
        }
        let place = Place::new();
        place.write("jobs/95e9394f/state.json", r#"{"state":"done"}"#);
        place.write("daemon/roster.json", r#"{"workers":{}}"#);
        assert_eq!(place.running(None), Vec::<String>::new());
    }
}

//! The host-side session tree, as the app keeps it (facts of the VM §2): what a reset must not touch.
//!
//! The app writes to it as it starts and as it quits; a reset that compared too early or too late
//! would take the app's own writing for damage, or miss damage.

use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::log::seconds;
use crate::machine::session;

/// The folders that hold it, below the app's data folder.
pub const FOLDERS: [&str; 2] = ["local-agent-mode-sessions", "claude-code-sessions"];
const ACCOUNT: &str = "3f0c6a52-7d1e-4b7a-9c55-1e2d3c4b5a69";
const ORG: &str = "b81d2e94-06f3-4c1a-8e77-5a4f3e2d1c0b";

/// The session tree of one data folder.
#[derive(Clone, Debug)]
pub struct Sessions {
    user_data: PathBuf,
}

impl Sessions {
    /// That of this data folder.
    #[must_use]
    pub fn of(user_data: &Path) -> Self {
        Self {
            user_data: user_data.to_owned(),
        }
    }

    /// `local-agent-mode-sessions/<account>/<org>`.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.user_data.join(FOLDERS[0]).join(ACCOUNT).join(ORG)
    }

    /// Makes so many sessions, the first with a transcript of more than 1 MB, and what lies beside
    /// them: tasks, projects, artifacts, memory, settings.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn plant(&self, count: u32) -> Result<(), Error> {
        let folder = self.folder();
        fs::create_dir_all(folder.join("memory"))?;
        for number in 0..count {
            let _session = self.add(number)?;
        }
        let transcripts = self.transcript(0);
        let mut long = File::options()
            .create(true)
            .append(true)
            .open(transcripts)?;
        let line = format!(
            "{}\n",
            json!({"type": "assistant", "text": "x".repeat(900)})
        );
        for _line in 0..1_300 {
            long.write_all(line.as_bytes())?;
        }
        write(
            &folder.join("scheduled-tasks.json"),
            &json!({"tasks": [
                {"id": "daily-report", "cron": "0 9 * * *", "prompt": "Write the report", "lastRunAt": 0},
                {"id": "inbox", "cron": "*/15 * * * *", "prompt": "Sort the inbox", "lastRunAt": 0},
            ]}),
        )?;
        let space =
            json!({"spaces": [{"id": "sp-1", "name": "Taxes", "folder": "/home/user/Taxes"}]});
        write(&folder.join("spaces.json"), &space)?;
        write(&folder.join("artifacts.json"), &json!({"artifacts": []}))?;
        write(&folder.join("cowork_settings.json"), &json!({"starts": 0}))?;
        fs::write(folder.join("memory/notes.md"), "Prefers short answers.\n")?;
        let code = self.user_data.join(FOLDERS[1]);
        fs::create_dir_all(&code)?;
        write(&code.join("index.json"), &json!({"sessions": []}))
    }

    /// Adds one session: its index file and its folder. Gives the name of its index file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn add(&self, number: u32) -> Result<String, Error> {
        let id = id(number);
        let own = self.folder().join(&id);
        let (home, _) = session(number);
        fs::create_dir_all(own.join("outputs"))?;
        fs::create_dir_all(own.join("uploads"))?;
        let transcript = self.transcript(number);
        if let Some(folder) = transcript.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(
            transcript,
            format!("{}\n", json!({"type": "user", "text": "hello"})),
        )?;
        fs::write(
            own.join("outputs/report.md"),
            format!("# Report {number}\n"),
        )?;
        fs::write(
            own.join("audit.jsonl"),
            format!("{}\n", json!({"event": "created", "at": seconds()})),
        )?;
        let name = format!("{id}.json");
        write(
            &self.folder().join(&name),
            &json!({
                "sessionId": id,
                "vmProcessName": home,
                "cwd": format!("/sessions/{home}"),
                "title": format!("Session {number}"),
                "createdAt": seconds(),
                "lastActivityAt": seconds(),
                "isArchived": false,
            }),
        )?;
        Ok(name)
    }

    /// What the app writes as it starts: its settings, and when tasks were last looked at.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn started(&self) -> Result<(), Error> {
        fs::create_dir_all(self.folder())?;
        let settings = self.folder().join("cowork_settings.json");
        let mut value = read(&settings);
        let starts = value["starts"].as_u64().unwrap_or(0);
        value["starts"] = (starts + 1).into();
        write(&settings, &value)?;
        let tasks = self.folder().join("scheduled-tasks.json");
        let mut value = read(&tasks);
        if let Some(task) = value["tasks"].get_mut(0) {
            let looks = task["lastRunAt"].as_u64().unwrap_or(0);
            task["lastRunAt"] = (looks + 1).into();
            write(&tasks, &value)?;
        }
        Ok(())
    }

    /// What it writes as it quits: the last session's end, in its index and in its audit.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn quit(&self) -> Result<(), Error> {
        let Some(name) = self.names()?.pop() else {
            return Ok(());
        };
        let index = self.folder().join(&name);
        let mut value = read(&index);
        let quits = value["quits"].as_u64().unwrap_or(0);
        value["quits"] = (quits + 1).into();
        write(&index, &value)?;
        let own = self.folder().join(name.trim_end_matches(".json"));
        fs::create_dir_all(&own)?;
        let mut audit = File::options()
            .create(true)
            .append(true)
            .open(own.join("audit.jsonl"))?;
        audit.write_all(format!("{}\n", json!({"event": "app quit", "quits": quits})).as_bytes())
    }

    /// Adds a session that was not there before.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn add_next(&self) -> Result<String, Error> {
        let count = u32::try_from(self.names()?.len()).unwrap_or(0);
        self.add(count)
    }

    /// Loses the first session, its index and its folder.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn lose_one(&self) -> Result<(), Error> {
        let Some(name) = self.names()?.into_iter().next() else {
            return Ok(());
        };
        fs::remove_file(self.folder().join(&name))?;
        fs::remove_dir_all(self.folder().join(name.trim_end_matches(".json")))
    }

    /// The index files, in order.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("local_") && name.ends_with(".json") {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn transcript(&self, number: u32) -> PathBuf {
        let (home, _) = session(number);
        self.folder()
            .join(id(number))
            .join(".claude/projects")
            .join(format!("-sessions-{home}"))
            .join(format!("{}.jsonl", uuid(number)))
    }
}

fn uuid(number: u32) -> String {
    format!("{number:08x}-5a1d-4c0e-9b7a-3f2e1d0c{number:04x}")
}

fn id(number: u32) -> String {
    format!("local_{}", uuid(number))
}

fn read(file: &Path) -> Value {
    let text = fs::read(file).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_else(|_| json!({}))
}

/// Whole or not at all: a full disk must not cost a session.
fn write(file: &Path, value: &Value) -> Result<(), Error> {
    let new = file.with_extension("json.tmp");
    let written =
        fs::write(&new, serde_json::to_vec_pretty(value)?).and_then(|()| fs::rename(&new, file));
    if written.is_err() {
        let _not_there = fs::remove_file(new);
    }
    written
}

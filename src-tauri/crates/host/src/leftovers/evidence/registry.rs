//! The session registry of Claude Code: `<config>/sessions/<pid>.json`, read and never written. A tool
//! that removed records blinded live sessions (mercurialsolo/claudectl#195).
//!
//! Fields are as seen in 2.1.278 (herdrdev/herdr#3414): `pid`, `procStart` (field 22 of `stat` on Linux),
//! `pidDomain` (`linux:<machine id>:pid:[<namespace>]`, `darwin`, `win32:<host>`), `sessionId`, `cwd`,
//! `version`. All of them may be missing or of another kind.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sandtray_core::time::Time;
use serde_json::Value;

use super::programs::{self, Version};

/// A record is a few hundred bytes; what is longer is none.
const LONGEST: u64 = 256 * 1024;

/// More than anybody has; 78 orphans were seen.
const MOST: usize = 20_000;

/// One record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// The process that it is about.
    pub(super) pid: u32,
    /// Empty where it names none.
    pub(super) id: String,
    pub(super) cwd: Option<PathBuf>,
    /// When the process started, as the system counts; older records lack it.
    pub(super) start: Option<u64>,
    /// In whose numbering the process has its number.
    pub(super) domain: Option<String>,
    pub(super) version: Option<Version>,
    /// When the record was last written.
    pub(super) written: Time,
    /// It could not be understood: only its file's name speaks.
    pub(super) damaged: bool,
}

/// Reads the records of a configuration folder. One without the folder has no sessions.
///
/// # Errors
/// Where the folder is there and cannot be read.
pub(super) fn read(config: &Path) -> Result<Vec<Record>, String> {
    let folder = config.join("sessions");
    let failed = |error: io::Error| format!("read {}: {error}", folder.display());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut records = Vec::new();
    for entry in entries.take(MOST) {
        let entry = entry.map_err(failed)?;
        let Some(pid) = number(entry.file_name().as_encoded_bytes()) else {
            continue;
        };
        let read = match content(&entry.path()) {
            Ok(read) => read,
            // Removed by its owner between two looks.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => None,
        };
        records.push(match read {
            Some((text, written)) => record(pid, &text, written),
            None => Record {
                pid,
                damaged: true,
                ..Record::default()
            },
        });
    }
    Ok(records)
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The text of a small plain file and when it was written; none where it is no such file.
pub(super) fn content(path: &Path) -> io::Result<Option<(Vec<u8>, Time)>> {
    // Looked at first: opening a pipe that somebody put there would wait for ever.
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = std::fs::File::open(path)?;
    let seen = file.metadata()?;
    if !seen.is_file() || seen.len() > LONGEST {
        return Ok(None);
    }
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text)?;
    Ok(Some((text, time(seen.modified()?))))
}

fn time(moment: std::time::SystemTime) -> Time {
    let since = moment.duration_since(std::time::UNIX_EPOCH);
    Time(since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    }))
}

/// The number in `4711.json`, or in `pid-4711.json` as older versions wrote.
fn number(name: &[u8]) -> Option<u32> {
    let stem = name.strip_suffix(b".json")?;
    let digits = stem.strip_prefix(b"pid-").unwrap_or(stem);
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()
}

fn record(pid: u32, text: &[u8], written: Time) -> Record {
    let Ok(Value::Object(told)) = serde_json::from_slice(text) else {
        return Record {
            pid,
            written,
            damaged: true,
            ..Record::default()
        };
    };
    let word = |name: &str| told.get(name).and_then(Value::as_str);
    Record {
        pid,
        id: word("sessionId").unwrap_or_default().to_owned(),
        cwd: word("cwd")
            .map(PathBuf::from)
            .filter(|cwd| cwd.is_absolute()),
        start: told.get("procStart").and_then(whole),
        domain: word("pidDomain").map(ToOwned::to_owned),
        version: word("version").and_then(|text| programs::version(text.as_bytes())),
        written,
        damaged: false,
    }
}

/// A number, also where it was written as a text.
pub(super) fn whole(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
}

/// What a look at the processes says of a record's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// A process has the number, in our numbering or in one within it.
    pub(super) there: bool,
    /// One of them started when the record says.
    pub(super) same_start: bool,
    /// Every one of them was started after the record was written: the number was given again.
    pub(super) all_newer: bool,
    /// One of them is Claude Code.
    pub(super) is_claude: bool,
}

/// Whether the process of a record lives; none where that cannot be said. `domain` is ours; `boot` is
/// when the machine was started.
pub(super) fn alive(
    record: &Record,
    seen: Seen,
    domain: &Domain,
    boot: Option<Time>,
) -> Option<bool> {
    // A record of another machine, on a home that both use.
    if record
        .domain
        .as_deref()
        .is_some_and(|told| domain.is_elsewhere(told))
    {
        return None;
    }
    // Before the look at the clock: one that is set late in a start makes living records look old.
    if seen.there && seen.same_start {
        return Some(true);
    }
    if boot.is_some_and(|boot| !record.damaged && record.written < boot) {
        return Some(false);
    }
    match (seen.there, record.start) {
        (false, _) | (true, Some(_)) => Some(false),
        (true, None) if seen.all_newer && !record.damaged => Some(false),
        (true, None) if seen.is_claude => Some(true),
        (true, None) => None,
    }
}

/// Who numbers the processes that we see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Domain {
    /// `/etc/machine-id`, where there is one.
    pub(super) machine: Option<String>,
}

impl Domain {
    /// Whether a `pidDomain` is of another machine. Namespaces within ours are searched all the same.
    fn is_elsewhere(&self, told: &str) -> bool {
        let mut parts = told.split(':');
        match (parts.next(), parts.next(), &self.machine) {
            (Some("linux"), Some(told), Some(own)) => {
                let is_id = told.len() == 32 && told.bytes().all(|byte| byte.is_ascii_hexdigit());
                is_id && told != own
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &str = r#"{"pid":97425,"pidDomain":"linux:4e7515a39d2c445abe260791d619d4f4:pid:[4026531836]",
        "procStart":"551234","sessionId":"1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b","cwd":"/home/ada/shop","status":"idle",
        "startedAt":1790000000000,"version":"2.1.278","kind":"interactive","new":{"x":[1]}}"#;

    fn read_one(text: &str) -> Record {
        record(97425, text.as_bytes(), Time(1_790_000_000))
    }

    #[test]
    fn a_recorded_record_is_read_and_unknown_fields_are_none_of_ours() {
        let record = read_one(RECORDED);
        assert_eq!((record.pid, record.start), (97425, Some(551_234)));
        assert_eq!(record.version, Some((2, 1, 278)));
        assert_eq!(record.cwd, Some("/home/ada/shop".into()));
        assert!(record.id.starts_with("1b4e28ba") && !record.damaged);
    }

    #[test]
    fn a_record_that_makes_no_sense_is_damaged_and_one_with_little_in_it_is_not() {
        for text in ["", "{", "[]", "7", "\u{0}"] {
            assert!(read_one(text).damaged, "{text}");
        }
        let poor = read_one(r#"{"sessionId":7,"cwd":"relative","procStart":{},"pidDomain":null}"#);
        assert_eq!((poor.id.as_str(), &poor.cwd, poor.start), ("", &None, None));
        assert!(!poor.damaged);
    }

    #[test]
    fn the_numbers_of_new_and_old_names_are_read() {
        assert_eq!(number(b"4711.json"), Some(4711));
        assert_eq!(number(b"pid-4711.json"), Some(4711));
        for name in [
            "x.json",
            ".json",
            "4711",
            "+1.json",
            "99999999999.json",
            "1.f00.key",
        ] {
            assert_eq!(number(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn a_folder_is_read_with_all_that_may_lie_in_it() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()), Ok(Vec::new()));
        let folder = dir.path().join("sessions");
        std::fs::create_dir(&folder).unwrap();
        for (name, text) in [
            ("97425.json", RECORDED),
            ("pid-12.json", "{}"),
            ("13.json", "half"),
            ("97425.abc.key", "secret"),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        std::fs::create_dir(folder.join("14.json")).unwrap();
        let mut records = read(dir.path()).unwrap();
        records.sort_by_key(|record| record.pid);
        let seen: Vec<(u32, bool)> = records
            .iter()
            .map(|record| (record.pid, record.damaged))
            .collect();
        assert_eq!(seen, [(12, false), (13, true), (14, true), (97425, false)]);
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "no folder").unwrap();
        assert!(read(dir.path()).is_ok());
    }

    #[test]
    fn a_process_lives_by_number_and_start_and_what_cannot_be_said_is_not() {
        let (record, here) = (read_one(RECORDED), Domain::default());
        let said = |seen: Seen| alive(&record, seen, &here, None);
        let there = Seen {
            there: true,
            ..Seen::default()
        };
        assert_eq!(said(Seen::default()), Some(false));
        assert_eq!(said(there), Some(false), "the number is another's");
        assert_eq!(
            said(Seen {
                same_start: true,
                ..there
            }),
            Some(true)
        );
        let mut old = record.clone();
        old.start = None;
        let said = |seen: Seen| alive(&old, seen, &here, None);
        assert_eq!(said(there), None);
        assert_eq!(
            said(Seen {
                is_claude: true,
                ..there
            }),
            Some(true)
        );
        assert_eq!(
            said(Seen {
                is_claude: true,
                all_newer: true,
                ..there
            }),
            Some(false)
        );
        assert_eq!(said(Seen::default()), Some(false));
    }

    #[test]
    fn whoever_was_written_down_before_the_machine_started_has_ended() {
        let record = read_one(RECORDED);
        let mut old = record.clone();
        old.start = None;
        let seen = Seen {
            there: true,
            is_claude: true,
            ..Seen::default()
        };
        let said = |boot| alive(&old, seen, &Domain::default(), Some(Time(boot)));
        assert_eq!(said(1_790_000_001), Some(false));
        assert_eq!(said(1_789_999_999), Some(true));
        // The clock was set after it had been written: its process is there all the same.
        let seen = Seen {
            same_start: true,
            ..seen
        };
        let boot = Some(Time(1_790_000_001));
        assert_eq!(alive(&record, seen, &Domain::default(), boot), Some(true));
    }

    #[test]
    fn a_record_of_another_machine_says_nothing_about_this_one() {
        let of = |machine: &str| Domain {
            machine: Some(machine.to_owned()),
        };
        let record = read_one(RECORDED);
        let said = |domain: &Domain| alive(&record, Seen::default(), domain, None);
        assert_eq!(said(&of("4e7515a39d2c445abe260791d619d4f4")), Some(false));
        assert_eq!(said(&of("00000000000000000000000000000000")), None);
        assert_eq!(said(&Domain::default()), Some(false));
        for told in ["darwin", "win32:msi", "linux", "linux:unknown:pid:[1]", ""] {
            assert!(!of("0").is_elsewhere(told), "{told}");
        }
    }
}

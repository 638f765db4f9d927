//! What processes say of themselves, and what Claude Code wrote down about them.

use std::fs;
use std::path::Path;
use std::process::Command;

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::Session;
use sandtray_core::settings::Claude;

use super::super::gathered;
use super::super::pass::Scene;
use super::{Group, Place, until};
use crate::act::app::proc::Stat;

const SLEEP: &str = "/bin/sleep";

fn start_of(pid: u32) -> u64 {
    let text = fs::read(format!("/proc/{pid}/stat")).unwrap();
    Stat::parse(&text).unwrap().started
}

/// A number that no process has.
fn nobody() -> u32 {
    (2..4_000_000)
        .rev()
        .find(|pid| !Path::new(&format!("/proc/{pid}")).exists())
        .unwrap()
}

#[test]
fn an_environment_names_sessions_jobs_and_paths() {
    let place = Place::new();
    let certificate = place.file("srt-ca-Ab12xY/trust-bundle.crt", "x");
    let job = place.folder("config/jobs/59b12afc");
    let child = Group::start(
        Command::new(SLEEP)
            .arg("60")
            .env(
                "CLAUDE_CODE_SESSION_ID",
                "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
            )
            .env("CLAUDE_JOB_DIR", &job)
            .env("NODE_EXTRA_CA_CERTS", &certificate)
            .env(
                "LIST",
                format!("/nowhere/a:{}", place.path().join("b").display()),
            ),
    );
    let seen = until("its own environment", || {
        Some(place.seen()).filter(|seen| seen.named.contains(&certificate))
    });
    let session = seen
        .sessions
        .iter()
        .find(|session| session.pid == child.pid());
    let session = session.unwrap();
    assert!(session.id.starts_with("1b4e28ba") && session.alive == Some(true));
    assert!(seen.jobs.contains(&job));
    assert!(seen.named.contains(&place.path().join("b")));
    assert!(seen.named.contains(Path::new("/nowhere/a")));
    drop(child);
    let seen = place.seen();
    assert!(!seen.named.contains(&certificate) && !seen.jobs.contains(&job));
}

#[test]
fn sessions_live_by_number_and_start_time() {
    let place = Place::new();
    let child = Group::start(Command::new(SLEEP).arg("60"));
    let (pid, start) = (child.pid(), start_of(child.pid()));
    let gone = nobody();
    let record = |pid: u32, start: u64, id: &str| {
        let text =
            format!(r#"{{"pid":{pid},"procStart":"{start}","sessionId":"{id}","cwd":"/shop"}}"#);
        place.file(&format!("config/sessions/{pid}.json"), &text);
    };
    record(pid, start, "lives");
    record(gone, start, "gone");
    place.file("config/sessions/pid-12.json", r#"{"sessionId":"legacy"}"#);
    let all = || place.seen().sessions;
    let alive = |id: &str| -> Option<bool> {
        all()
            .into_iter()
            .find(|session| session.id == id)
            .unwrap()
            .alive
    };
    assert_eq!((alive("lives"), alive("gone")), (Some(true), Some(false)));
    let known = |session: &Session| session.id == "lives" && session.cwd == Some("/shop".into());
    assert!(all().iter().any(known));
    record(pid, start + 1, "another");
    assert_eq!(alive("another"), Some(false));
}

#[test]
fn a_damaged_record_of_a_process_that_lives_leaves_the_signal_missing() {
    let place = Place::new();
    let child = Group::start(Command::new(SLEEP).arg("60"));
    place.file(&format!("config/sessions/{}.json", nobody()), "");
    assert!(!place.seen().missing.contains_key(&Signal::Sessions));
    place.file(&format!("config/sessions/{}.json", child.pid()), "{half");
    let missing = place.seen().missing;
    assert!(
        missing[&Signal::Sessions].contains("sessions"),
        "{missing:?}"
    );
}

#[test]
fn a_live_claude_tells_its_version_its_temp_folder_and_where_it_works() {
    let place = Place::new();
    let (temp, shop) = (place.folder("temp"), place.folder("shop"));
    let program = place.copy(Path::new(SLEEP), "share/claude/versions/2.1.285");
    let other = place.copy(Path::new(SLEEP), "bin/claude");
    let decoy = place.copy(Path::new(SLEEP), "bin/claudette");
    let run = |program: &Path| {
        Group::start(
            Command::new(program)
                .arg("60")
                .env("TMPDIR", &temp)
                .env_remove("CLAUDE_CODE_TMPDIR")
                .env_remove("CLAUDE_TMPDIR")
                .current_dir(&shop),
        )
    };
    let (claude, unnumbered, decoy) = (run(&program), run(&other), run(&decoy));
    let text = format!(
        r#"{{"pid":{pid},"procStart":{start},"sessionId":"x","cwd":"/elsewhere","version":"2.1.270"}}"#,
        pid = unnumbered.pid(),
        start = start_of(unnumbered.pid())
    );
    place.file(&format!("config/sessions/{}.json", unnumbered.pid()), &text);
    let seen = until("both programs", || {
        let seen = place.seen();
        let both = [claude.pid(), unnumbered.pid()]
            .iter()
            .all(|pid| seen.agents.iter().any(|agent| agent.pid == *pid));
        both.then_some(seen)
    });
    let agent = |pid: u32| seen.agents.iter().find(|agent| agent.pid == pid);
    let found = agent(claude.pid()).unwrap();
    assert_eq!(
        (found.version, &found.temp),
        (Some((2, 1, 285)), &Some(temp))
    );
    assert!(found.claude && seen.boot.unwrap() <= found.started);
    assert_eq!(agent(unnumbered.pid()).unwrap().version, Some((2, 1, 270)));
    assert_eq!(agent(decoy.pid()), None);
    // Without a record of its own it works where it is.
    let session = |pid: u32| {
        seen.sessions
            .iter()
            .find(|session| session.pid == pid)
            .unwrap()
    };
    assert_eq!(session(claude.pid()).cwd, Some(shop));
    assert_eq!(session(claude.pid()).id, "");
    assert_eq!(session(unnumbered.pid()).cwd, Some("/elsewhere".into()));
}

#[test]
fn a_claude_desktop_that_runs_shows_its_data_folder() {
    let place = Place::new();
    let app = place.copy(Path::new("/bin/sh"), "app/claude-desktop");
    let data = place.folder("data");
    let locked = place.folder("home/.config/Claude");
    let claude = Claude {
        executable: app.to_str().unwrap().into(),
        ..Claude::default()
    };
    let desktops = || {
        gathered::evidence(&Scene::real(), &place.machine(), &claude, &[])
            .desktops
            .unwrap()
    };
    assert!(desktops().is_empty());
    let told = format!("--user-data-dir={}", data.display());
    let stay = "echo ready; while :; do sleep 0.1; done";
    let runs = Group::ready(Command::new(&app).args(["-c", stay, &told])).unwrap();
    assert_eq!(desktops(), [data].into());
    let lock = locked.join("SingletonLock");
    std::os::unix::fs::symlink(format!("host-{}", runs.pid()), &lock).unwrap();
    assert!(desktops().contains(&locked));
    drop(runs);
    until("its end", || desktops().is_empty().then_some(()));
}

//! What was started owes us nothing and has nothing of ours.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, getpgid, getsid, kill_process};
use sandtray_core::act::Launch;
use sandtray_core::bundle::Profile;
use sandtray_core::settings::Claude;

use super::super::super::App;
use super::super::{launch, start};
use super::{Place, until};

fn shell(script: &str) -> Launch {
    Launch {
        program: Path::new("/bin/sh").into(),
        arguments: vec![Path::new("-c").into(), Path::new(script).into()],
    }
}

/// The number that the script wrote.
fn number(file: &Path) -> Pid {
    until("the program's number", || {
        let text = fs::read_to_string(file).ok()?;
        Pid::from_raw(text.strip_suffix('\n')?.parse().ok()?)
    })
}

/// Ends what a test started and is no child of ours to wait for.
struct Started(Pid);

impl Drop for Started {
    fn drop(&mut self) {
        kill_process(self.0, Signal::KILL).ok();
    }
}

#[test]
fn a_session_of_its_own_at_home_with_nothing_of_ours_open() {
    let place = Place::new();
    let home = place.machine().home;
    let leak = File::create(place.path().join("leak")).unwrap();
    fcntl_setfd(&leak, FdFlags::empty()).unwrap();
    start(&place.machine(), &shell("echo $$ > number; exec sleep 60")).unwrap();
    let pid = number(&home.join("number"));
    let started = Started(pid);
    let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    until("exec", || {
        fs::read(folder.join("comm"))
            .is_ok_and(|name| name == b"sleep\n")
            .then_some(())
    });
    assert_eq!(getsid(Some(pid)).unwrap(), pid);
    assert_eq!(getpgid(Some(pid)).unwrap(), pid);
    assert_eq!(fs::read_link(folder.join("cwd")).unwrap(), home);
    let mut open: Vec<(String, PathBuf)> = fs::read_dir(folder.join("fd"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read_link(entry.path()).unwrap(),
            )
        })
        .collect();
    open.sort();
    let null = |fd: &str| (fd.to_owned(), PathBuf::from("/dev/null"));
    assert_eq!(open, [null("0"), null("1"), null("2")]);
    drop(started);
    until("no zombie", || (!folder.exists()).then_some(()));
}

#[test]
fn a_program_that_ends_at_once_leaves_no_zombie() {
    let place = Place::new();
    start(&place.machine(), &shell("echo $$ > number")).unwrap();
    let pid = number(&place.machine().home.join("number"));
    let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    until("no zombie", || (!folder.exists()).then_some(()));
}

#[test]
fn a_program_that_is_not_there_is_named_with_what_to_do() {
    let place = Place::new();
    let launch = Launch {
        program: (&place.path().join("gone")).into(),
        arguments: Vec::new(),
    };
    let text = start(&place.machine(), &launch).unwrap_err().to_string();
    assert!(
        text.contains("/gone") && text.contains("yourself"),
        "{text}"
    );
}

#[test]
fn a_damaged_record_starts_nothing() {
    let place = Place::new();
    let mut launch = shell(": > here");
    launch.arguments[1].path_bytes = Some("?".into());
    let text = start(&place.machine(), &launch).unwrap_err().to_string();
    assert!(text.contains("damaged"), "{text}");
    assert!(!place.machine().home.join("here").exists());
}

#[test]
fn the_settings_come_first_then_the_running_app_then_the_usual_program() {
    let place = Place::new();
    let (machine, bundle, named) = (place.machine(), place.bundle(), place.claude());
    let app = App {
        pid: 1,
        started: 1,
        executable: "/opt/c".into(),
        arguments: vec!["c".into(), "--x=a b".into(), "claude://login?code=1".into()],
    };
    let asked = Claude {
        launch: vec!["gtk-launch".into(), "com.anthropic.Claude".into()],
        ..named.clone()
    };
    let texts = |claude: &Claude, app: Option<&App>| {
        let launch = launch(&machine, claude, &bundle, app).unwrap();
        std::iter::once(launch.program)
            .chain(launch.arguments)
            .map(|text| text.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        texts(&asked, Some(&app)),
        ["gtk-launch", "com.anthropic.Claude"]
    );
    assert_eq!(
        texts(&named, Some(&app)),
        ["/opt/c", "--x=a b"],
        "a link that was opened once is not opened again"
    );
    assert_eq!(texts(&named, None), [place.app().to_str().unwrap()]);
}

#[test]
fn a_second_account_is_started_with_its_own_folder() {
    let place = Place::new();
    let mut bundle = place.bundle();
    bundle.profile = Profile::Extra;
    let launch = launch(&place.machine(), &place.claude(), &bundle, None).unwrap();
    let told = format!("--user-data-dir={}", place.data().display());
    assert_eq!(launch.arguments[0].path, told);
}

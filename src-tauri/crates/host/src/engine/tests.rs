use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, Receiver};

use sandtray_core::gauge::GaugeKind;
use sandtray_core::history::EventKind;
use sandtray_core::notice::NoticeLevel;
use sandtray_core::settings::Thresholds;
use sandtray_core::verdict::Verdict;
use tempfile::TempDir;

use super::*;

/// A machine of its own in a temp folder.
struct Fixture {
    dir: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(fixture.at("tmp/claude-empty-abc123")).unwrap();
        fixture
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn machine(&self, now_offset: i64) -> Machine {
        let file = self.at("machine.toml");
        let text = format!(
            "home = 'home'\nos = 'linux'\ntemp_roots = ['tmp']\nnow_offset = {now_offset}\n"
        );
        fs::write(&file, text).unwrap();
        crate::machine::load(&file).unwrap()
    }

    /// A sessions disk of 32 MB that holds `megabytes` of files; false where no disk can be made.
    fn sessions_disk(&self, megabytes: usize) -> bool {
        let bundle = self.at("home/.config/Claude/vm_bundles/claudevm.bundle");
        let inside = self.at("inside");
        fs::create_dir_all(&bundle).unwrap();
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join("file"), vec![7u8; megabytes * 1_000_000]).unwrap();
        let image = bundle.join("sessiondata.img");
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", "-O", "^has_journal", "-L", "sessions", "-d"])
            .arg(&inside)
            .arg(&image)
            .arg("32M")
            .status();
        let made = made.is_ok_and(|status| status.success());
        if !made {
            println!("skipped: engine disks: mkfs.ext4 is not installed");
        }
        made
    }

    fn engine(&self, now_offset: i64) -> (Engine, Receiver<Event>) {
        let (events, reported) = mpsc::channel();
        let engine = Engine::start(self.machine(now_offset), move |event| {
            events.send(event).ok();
        });
        (engine.unwrap(), reported)
    }
}

/// Waits for the first status after a full measurement, and gives the notices told until then.
fn first_measured(reported: &Receiver<Event>) -> (Arc<Status>, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut measured = None;
    for event in reported {
        match event {
            Event::Notice(notice) => notices.push(notice),
            Event::Status(status) if status.measured_at.is_some() => measured = Some(status),
            // Recorded follows the look after the measurement: everything was told.
            Event::Recorded if measured.is_some() => break,
            _ => {}
        }
    }
    (measured.unwrap(), notices)
}

#[test]
fn a_machine_with_nothing_installed_is_told_so_and_its_temp_roots_are_measured() {
    let fixture = Fixture::new();
    let (engine, reported) = fixture.engine(0);
    let (status, notices) = first_measured(&reported);
    assert!(status.bundles.is_empty());
    // The volume below is this machine's own, and may be as full as it likes.
    assert!(
        notices
            .iter()
            .all(|notice| notice.gauge.0.starts_with("host_")),
        "{notices:?}"
    );
    assert!(
        status
            .gauges
            .iter()
            .any(|gauge| gauge.kind == GaugeKind::HostBytes)
    );
    let entries = status
        .meters
        .iter()
        .find(|meter| meter.id.0.starts_with("root_entries"))
        .unwrap();
    assert_eq!((entries.value, entries.complete), (Some(1), true));
    drop(engine);
    assert!(
        reported.recv().is_err(),
        "nothing is reported after the engine has stopped"
    );
}

#[test]
fn a_sessions_disk_at_92_percent_is_told_once_and_not_again_after_a_restart() {
    let fixture = Fixture::new();
    if !fixture.sessions_disk(27) {
        return;
    }
    let (engine, reported) = fixture.engine(0);
    let (status, notices) = first_measured(&reported);
    let sessions = &status.gauges[0];
    assert_eq!(sessions.kind, GaugeKind::GuestSessions);
    assert_eq!(status.verdict, Verdict::Critical, "{status:?}");
    let told: Vec<_> = notices
        .iter()
        .filter(|notice| notice.gauge == sessions.id)
        .collect();
    assert_eq!(told.len(), 1, "{notices:?}");
    assert_eq!(told[0].level, NoticeLevel::Critical);
    drop(engine);

    let (engine, reported) = fixture.engine(600);
    let (status, notices) = first_measured(&reported);
    assert_eq!(status.verdict, Verdict::Critical);
    assert!(
        notices
            .iter()
            .all(|notice| notice.gauge != status.gauges[0].id),
        "{notices:?}"
    );
    drop(engine);
}

#[test]
fn looking_once_tells_the_state_and_uses_up_no_notice() {
    let fixture = Fixture::new();
    if !fixture.sessions_disk(27) {
        return;
    }
    let status = once(fixture.machine(0), true, &crate::walk::Progress::default());
    assert_eq!(status.verdict, Verdict::Critical);
    let (_engine, reported) = fixture.engine(60);
    let (_, notices) = first_measured(&reported);
    assert!(
        notices
            .iter()
            .any(|notice| notice.level == NoticeLevel::Critical)
    );
}

#[test]
fn every_gauge_and_meter_gets_a_line_in_the_history() {
    let fixture = Fixture::new();
    let has_disk = fixture.sessions_disk(5);
    let (engine, reported) = fixture.engine(0);
    let (status, _) = first_measured(&reported);
    let chart = engine.history(Range::Hour).unwrap();
    let lines = |id: &GaugeId| {
        chart
            .series
            .iter()
            .find(|series| series.id == *id)
            .map(|series| series.points.len())
    };
    for gauge in &status.gauges {
        assert_eq!(lines(&gauge.id), Some(1), "{}", gauge.id);
    }
    for meter in &status.meters {
        assert_eq!(lines(&meter.id), Some(1), "{}", meter.id);
    }
    assert_eq!(status.meters.len(), if has_disk { 3 } else { 2 });
}

#[test]
fn a_look_that_failed_does_not_end_what_was_low_before_it() {
    let fixture = Fixture::new();
    if !fixture.sessions_disk(23) {
        return;
    }
    let mut state = state::State::open(fixture.machine(0));
    let start = state.now();
    let mut round = |at| {
        state.place(crate::locate::locate(state.machine()));
        let told = state.look(at);
        let sessions = state.status(at).gauges.into_iter();
        let mut sessions = sessions.filter(|gauge| gauge.kind == GaugeKind::GuestSessions);
        let gauge = sessions.next().unwrap();
        let told = told
            .iter()
            .filter(|notice| notice.gauge == gauge.id)
            .count();
        (gauge.verdict, gauge.percent, told)
    };
    let (verdict, _, told) = round(start);
    assert_eq!((verdict, told), (Verdict::Low, 1));

    // A format we do not read stands in the image's place for a moment.
    let image = fixture.at("home/.config/Claude/vm_bundles/claudevm.bundle/sessiondata.img");
    fs::write(&image, [&b"QFI\xfb"[..], &[0; 4096]].concat()).unwrap();
    let (verdict, percent, told) = round(start.plus(60));
    assert_eq!((verdict, percent, told), (Verdict::Unknown, None, 0));

    // Below the line, but not by the margin that recovery takes.
    assert!(fixture.sessions_disk(22));
    let (verdict, percent, told) = round(start.plus(120));
    let percent = percent.unwrap();
    assert!((77.0..80.0).contains(&percent), "{percent}");
    assert_eq!((verdict, told), (Verdict::Low, 0));
}

#[test]
fn the_temp_folders_of_all_jobs_are_one_meter() {
    let fixture = Fixture::new();
    for job in ["a", "b", "c"] {
        fs::create_dir_all(fixture.at("home/.claude/jobs").join(job).join("tmp/left")).unwrap();
    }
    let status = once(fixture.machine(0), true, &crate::walk::Progress::default());
    assert_eq!(status.temp_roots.len(), 4);
    assert_eq!(status.meters.len(), 4);
    let jobs = status
        .meters
        .iter()
        .find(|meter| meter.detail.ends_with("jobs") && !meter.kind.in_bytes())
        .unwrap();
    assert_eq!((jobs.value, jobs.complete), (Some(3), true));
}

#[test]
fn a_disk_that_was_emptied_and_one_that_is_gone_are_marked_and_a_first_look_is_not() {
    let fixture = Fixture::new();
    if !fixture.sessions_disk(27) {
        return;
    }
    let mut state = state::State::open(fixture.machine(0));
    let start = state.now();
    let mut round = |at| {
        state.place(crate::locate::locate(state.machine()));
        state.look_quietly(at);
        state.record(at);
        state.history.events(start, at)
    };
    assert_eq!(round(start), [], "nothing to compare with yet");
    fixture.sessions_disk(1);
    let kinds = |events: Vec<sandtray_core::history::Event>| {
        events
            .into_iter()
            .map(|event| event.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(round(start.plus(60))), [EventKind::SteppedDown]);
    assert_eq!(
        kinds(round(start.plus(120))),
        [EventKind::SteppedDown],
        "told once"
    );
    fs::remove_dir_all(fixture.at("home/.config")).unwrap();
    assert_eq!(
        kinds(round(start.plus(180))),
        [EventKind::SteppedDown, EventKind::Vanished]
    );
    fixture.sessions_disk(1);
    assert_eq!(
        kinds(round(start.plus(240))),
        [
            EventKind::SteppedDown,
            EventKind::Vanished,
            EventKind::Appeared
        ]
    );
}

#[test]
fn a_count_between_two_measurements_sees_new_entries_and_leaves_sizes_alone() {
    let fixture = Fixture::new();
    let mut state = state::State::open(fixture.machine(0));
    state.place(crate::locate::locate(state.machine()));
    let now = state.now();
    let (plan, _) = full::plan(&state.located, now, &crate::walk::Progress::default());
    state.absorb(plan.run(|| now), now);
    let value = |state: &state::State, kind: &str| {
        let meters = state.status(now).meters;
        meters
            .iter()
            .find(|meter| meter.id.0.starts_with(kind))
            .and_then(|meter| meter.value)
    };
    let size = value(&state, "root_allocated");
    let mut caches = count::Caches::new();
    for expected in [1, 2, 3] {
        let counted = count::count(&state.located, caches, || now);
        caches = counted.caches;
        state.absorb_counts(counted.meters, now);
        assert_eq!(value(&state, "root_entries"), Some(expected));
        fs::create_dir(
            fixture
                .at("tmp")
                .join(format!("claude-empty-{expected:06}")),
        )
        .unwrap();
    }
    assert_eq!(value(&state, "root_allocated"), size);
}

#[test]
fn settings_are_stored_take_effect_and_survive_a_restart() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.at("more")).unwrap();
    let (engine, reported) = fixture.engine(0);
    first_measured(&reported);
    let thresholds = Thresholds {
        sessions_low_percent: 60,
        ..Thresholds::default()
    };
    let patch = SettingsPatch {
        thresholds: Some(thresholds),
        ..SettingsPatch::default()
    };
    engine.patch_settings(patch).unwrap();
    engine
        .add_folder(FolderKind::Root, &fixture.at("more"))
        .unwrap();
    drop(engine);

    let (engine, reported) = fixture.engine(60);
    let (status, _) = first_measured(&reported);
    assert_eq!(engine.settings().thresholds.sessions_low_percent, 60);
    assert_eq!(status.temp_roots.len(), 2);
    let folder = sandtray_core::settings::Folder::new(
        FolderKind::Root,
        fixture.at("more").to_str().unwrap(),
    );
    assert_eq!(
        engine.remove_folder(&folder.id).unwrap().extra_roots,
        Vec::<String>::new()
    );
    assert!(
        engine
            .add_folder(FolderKind::Root, &fixture.at("machine.toml"))
            .is_err(),
        "a file is no folder"
    );
}

#[test]
fn a_fault_of_a_surface_is_shown_until_it_is_gone() {
    let fixture = Fixture::new();
    let (engine, reported) = fixture.engine(0);
    first_measured(&reported);
    let fault = Fault {
        kind: sandtray_core::status::FaultKind::NoTray,
        text: "no tray".into(),
    };
    engine.set_fault(fault.clone(), true);
    engine.settle();
    assert!(engine.status().faults.contains(&fault));
    engine.set_fault(fault.clone(), false);
    engine.settle();
    assert!(!engine.status().faults.contains(&fault));
}

#[test]
fn a_snooze_silences_a_gauge_until_it_ends() {
    let fixture = Fixture::new();
    let (engine, reported) = fixture.engine(0);
    let (status, _) = first_measured(&reported);
    let gauge = status.gauges[0].id.clone();
    engine.snooze(Some(gauge.clone()), Snooze::Day);
    engine.settle();
    let snoozed = |status: &Status| {
        status
            .gauges
            .iter()
            .find(|known| known.id == gauge)
            .unwrap()
            .snoozed_until
    };
    assert!(snoozed(&engine.status()).is_some());
    engine.snooze(None, Snooze::Off);
    engine.settle();
    assert_eq!(snoozed(&engine.status()), None);
}

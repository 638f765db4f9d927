use super::*;
use crate::bytes::decimal;
use crate::forecast::{Forecast, NoForecast};
use crate::gauge::{GaugeKind, MeterKind, UnknownReason};
use crate::status::sample::{
    GB, NOW, filling, gauge, judged, one, parts, sessions, status, steady, unknown,
};
use crate::status::{Fault, FaultKind, ForecastView, Judged, Parts, Status};
use crate::time::{DAY, HOUR, MINUTE};

fn system(used: u64, available: u64) -> Judged {
    steady(gauge(GaugeKind::GuestSystem, "Claude", used, available))
}

fn volume(mount: &str, used: u64, available: u64) -> Judged {
    steady(gauge(GaugeKind::HostBytes, mount, used, available))
}

/// Everything that is said about one state, for reading.
fn all(gauges: &[Judged]) -> String {
    let status = status(gauges);
    let [first, second] = menu_lines(&status);
    format!(
        "{}\n{}\n[{}]\n- {first}\n- {second}",
        status.summary,
        status.advice,
        tooltip(&status)
    )
}

#[test]
fn a_sessions_disk_that_fills() {
    insta::assert_snapshot!(all(&[
        judged(sessions(886), filling(3)),
        system(6 * GB, 3_700_000_000),
        volume("/", 351 * GB, 143 * GB),
    ]), @r#"
    The sessions disk will be full in about 3 days
    8.24 GB of 9.30 GB are taken. Cowork keeps the files of its sessions on it; when it is full, every task fails before it starts. In Claude, Help > Troubleshooting > Free Up Cowork Disk Space clears caches inside it and leaves chats alone.
    [Sandtray · Sessions disk 88 %, full in about 3 days]
    - Sessions disk 88 %, full in about 3 days
    - System disk 3.70 GB available, steady
    "#);
}

#[test]
fn a_full_sessions_disk_and_a_full_system_disk() {
    insta::assert_snapshot!(all(&[steady(sessions(1000)), system(9_600_000_000, 56_000_000)]), @r#"
    The sessions disk is full
    9.30 GB of 9.30 GB are taken. Cowork's tasks fail before they start. If Cowork still starts, Help > Troubleshooting > Free Up Cowork Disk Space in Claude may make some room and leaves chats alone. Also: the system disk has only 56.0 MB left.
    [Sandtray · Sessions disk full]
    - Sessions disk full
    - System disk 56.0 MB available, steady
    "#);
}

#[test]
fn a_system_disk_with_little_left() {
    insta::assert_snapshot!(all(&[system(8_900_000_000, 700_000_000), steady(sessions(100))]), @r#"
    The system disk has only 700 MB left
    8.90 GB of 9.60 GB are taken. What tasks install inside the sandbox lies on it; when it is full, tasks fail. In Claude, Help > Troubleshooting > Free Up Cowork Disk Space clears caches inside it and leaves chats alone.
    [Sandtray · System disk 700 MB available, steady]
    - System disk 700 MB available, steady
    - Sessions disk 10 %, steady
    "#);
}

#[test]
fn host_volumes() {
    insta::assert_snapshot!(all(&[volume("/", 484 * GB, 10 * GB)]), @r#"
    Disk / has only 10.0 GB left
    484 GB of 494 GB are taken. On a full disk work is lost, and Claude can lose its settings. Empty the trash or move large files away; the window shows what grows.
    [Sandtray · Disk / 10.0 GB available, steady]
    - Disk / 10.0 GB available, steady
    - Open the window to see why
    "#);
    let mut memory = gauge(GaugeKind::HostBytes, "/tmp", 15 * GB, GB);
    memory.memory = true;
    insta::assert_snapshot!(all(&[steady(memory)]), @r#"
    Memory /tmp has only 1.00 GB left
    15.0 GB of 16.0 GB are taken. This is memory, not a disk: what lies there is missing to every program. Remove what grew there, or end the program that writes it.
    [Sandtray · Memory /tmp 1.00 GB available, steady]
    - Memory /tmp 1.00 GB available, steady
    - Open the window to see why
    "#);
    let files = gauge(GaugeKind::HostInodes, "/tmp", 950_000, 50_000);
    insta::assert_snapshot!(all(&[steady(files.clone())]), @r#"
    Disk /tmp has room for only 50,000 more files
    950,000 of 1,000,000 files exist. A disk can only hold so many files, large or small: then writing fails although space is left. Look for folders with very many small files; the window shows the largest groups.
    [Sandtray · File count on /tmp 95 %, steady]
    - File count on /tmp 95 %, steady
    - Open the window to see why
    "#);
    insta::assert_snapshot!(all(&[judged(files, filling(2))]), @r#"
    Disk /tmp will have no room for more files in about 2 days
    950,000 of 1,000,000 files exist. A disk can only hold so many files, large or small: then writing fails although space is left. Look for folders with very many small files; the window shows the largest groups.
    [Sandtray · File count on /tmp 95 %, full in about 2 days]
    - File count on /tmp 95 %, full in about 2 days
    - Open the window to see why
    "#);
}

#[test]
fn nothing_wrong_and_nothing_known() {
    insta::assert_snapshot!(all(&[steady(sessions(300)), volume("/", 300 * GB, 190 * GB)]), @r#"
    Everything has room
    Nothing is filling.
    [Sandtray · Everything has room]
    - Sessions disk 30 %, steady
    - Disk / 190 GB available, steady
    "#);
    insta::assert_snapshot!(all(&[judged(sessions(300), filling(40)), volume("/", 300 * GB, 190 * GB)]), @r#"
    Everything has room
    The next to fill is the sessions disk, in about 6 weeks.
    [Sandtray · Everything has room]
    - Sessions disk 30 %, full in about 6 weeks
    - Disk / 190 GB available, steady
    "#);
    insta::assert_snapshot!(all(&[volume("/", 300 * GB, 190 * GB)]), @r#"
    No sandbox storage found yet
    Claude's Cowork has made no disks here and no folder of Claude Code was found. Disks and temp folders are watched meanwhile.
    [Sandtray · No sandbox storage found yet]
    - Disk / 190 GB available, steady
    - Nothing to do
    "#);
    insta::assert_snapshot!(all(&[steady(unknown(sessions(0), UnknownReason::Busy)), volume("/", 300 * GB, 190 * GB)]), @r#"
    The sessions disk is in use and cannot be read now
    Claude holds it while Cowork runs. It is read again when Cowork is quiet.
    [Sandtray · The sessions disk is in use and cannot be read now]
    - The sessions disk is in use and cannot be read now
    - Disk / 190 GB available, steady
    "#);
    insta::assert_snapshot!(all(&[]), @r#"
    Nothing could be measured
    The list of gaps says what was tried.
    [Sandtray · Nothing could be measured]
    - Nothing could be measured
    - Open the window to see why
    "#);
    let latch = crate::notice::Latch::default();
    let starting = Status::assemble(&Parts {
        measured_at: None,
        ..parts(&[], &latch)
    });
    assert_eq!(starting.summary, "Measuring for the first time");
}

#[test]
fn every_reason_for_not_knowing_has_its_sentence() {
    use UnknownReason::*;
    let said: Vec<String> = [
        NotMeasured,
        Denied,
        Busy,
        Unsupported,
        Corrupt,
        TimedOut,
        Missing,
        Failed,
    ]
    .into_iter()
    .map(|reason| {
        let gauge = one(
            unknown(sessions(0), reason),
            Forecast::Unknown(NoForecast::NoLevel),
        );
        format!("{}. {}", headline(&gauge, NOW), advice(&gauge))
    })
    .collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    The sessions disk was not measured yet. The first measurement is on its way.
    The sessions disk may not be read. Check who owns it and whether this user may open it.
    The sessions disk is in use and cannot be read now. Claude holds it while Cowork runs. It is read again when Cowork is quiet.
    The sessions disk has a format Sandtray does not read. How full it is inside cannot be told; what it takes on this computer is still watched.
    The sessions disk could not be read. Its content contradicts itself, as in the middle of a write. It is read again every minute.
    The sessions disk does not answer. A network folder that is not connected does this. It is asked again every minute.
    The sessions disk is gone. It was there before: an update, a reset or another program has taken it away.
    The sessions disk could not be read. The list of gaps says what was tried.
    "#);
}

#[test]
fn a_notification_says_what_when_and_what_to_do() {
    let (title, body) = notice(&one(sessions(886), filling(3)), NOW);
    assert_eq!(title, "The sessions disk will be full in about 3 days");
    assert!(body.contains("8.24 GB of 9.30 GB"), "{body}");
    assert!(body.contains("Free Up Cowork Disk Space"), "{body}");
    // What the other items of that menu do is disputed (#94239): nothing is said about them.
    assert!(!body.contains("Delete") && !body.contains("Reinstall"));
}

#[test]
fn no_surface_uses_words_only_we_know() {
    let states = [
        vec![steady(sessions(1000)), system(9 * GB, 0)],
        vec![steady(gauge(GaugeKind::HostInodes, "/", 99, 1))],
        vec![steady(unknown(sessions(0), UnknownReason::Unsupported))],
    ];
    for gauges in states {
        let said = all(&gauges).to_lowercase();
        for word in [
            "inode", "vhdx", "gpt", "ext4", "mount", "tmpfs", "gauge", "verdict",
        ] {
            assert!(!said.contains(word), "{word}: {said}");
        }
    }
}

#[test]
fn percent_never_rounds_over_a_line() {
    for (permille, text) in [
        (0, "0 %"),
        (1, "<1 %"),
        (796, "79 %"),
        (800, "80 %"),
        (999, "99 %"),
        (1000, "100 %"),
    ] {
        let gauge = one(sessions(permille), Forecast::Steady { rate: 0.0 });
        assert_eq!(percent(&gauge), text, "{permille}");
    }
    let nearly = one(
        gauge(GaugeKind::HostBytes, "/", u64::MAX - 9, 1),
        Forecast::Steady { rate: 0.0 },
    );
    assert_eq!(percent(&nearly), "99 %");
}

#[test]
fn spans_are_as_rough_as_they_are_known() {
    for (seconds, text) in [
        (-5, "within the hour"),
        (44 * MINUTE, "within the hour"),
        (50 * MINUTE, "in about an hour"),
        (5 * HOUR, "in about 5 hours"),
        (35 * HOUR, "in about 35 hours"),
        (36 * HOUR, "in about 2 days"),
        (3 * DAY, "in about 3 days"),
        (15 * DAY, "in about 2 weeks"),
        (150 * DAY, "in about 5 months"),
        (1100 * DAY, "in about 3 years"),
    ] {
        assert_eq!(about(seconds), text, "{seconds}");
    }
    let band = |earliest: i64, likely: i64, latest: Option<i64>| {
        let view = ForecastView::from(&Forecast::Filling {
            rate: 1.0,
            earliest: NOW.plus(earliest * DAY),
            likely: NOW.plus(likely * DAY),
            latest: latest.map(|latest| NOW.plus(latest * DAY)),
        });
        until(&view, NOW).unwrap()
    };
    assert_eq!(band(10, 11, Some(12)), "in about 11 days");
    assert_eq!(band(2, 3, Some(5)), "in 2 to 5 days");
    assert_eq!(band(14, 21, Some(35)), "in 2 to 5 weeks");
    assert_eq!(band(14, 21, None), "in 2 weeks or later");
    assert_eq!(band(1, 2, Some(30)), "in 1 day or later");
    assert_eq!(band(0, 2, Some(30)), "in about 2 days");
    let flat = ForecastView::from(&Forecast::Steady { rate: 0.0 });
    assert_eq!(until(&flat, NOW), None);
}

#[test]
fn ages_count_whole_units() {
    for (seconds, text) in [
        (-100, "just now"),
        (4, "just now"),
        (12, "12 s ago"),
        (200, "3 min ago"),
        (3 * HOUR, "3 h ago"),
        (47 * HOUR, "47 h ago"),
        (49 * HOUR, "2 days ago"),
    ] {
        assert_eq!(age(seconds), text);
    }
}

#[test]
fn rates_and_trends_carry_their_sign() {
    assert_eq!(rate(0.54e9, true), "+540 MB a day");
    assert_eq!(rate(-1.2e9, true), "-1.20 GB a day");
    assert_eq!(rate(0.2, true), "no change");
    assert_eq!(rate(4250.4, false), "+4,250 files a day");
    assert_eq!(rate(f64::NAN, true), "no change");
    let trend = |forecast: Forecast| super::forecast(&(&forecast).into(), true, NOW);
    assert_eq!(trend(filling(10)), "+540 MB a day, full in about 10 days");
    assert_eq!(trend(Forecast::Steady { rate: 3.0 }), "steady");
    assert_eq!(
        trend(Forecast::Shrinking { rate: -2e9 }),
        "-2.00 GB a day, getting emptier"
    );
    assert_eq!(
        trend(Forecast::Unknown(NoForecast::TooFew)),
        "trend not known yet: watched too briefly"
    );
}

#[test]
fn names_are_short_and_keep_both_ends() {
    assert_eq!(gauge_name(GaugeKind::HostBytes, "C:\\", false), "Disk C:");
    assert_eq!(
        gauge_name(GaugeKind::HostBytes, "/System/Volumes/Data", false),
        "Disk /"
    );
    assert_eq!(
        gauge_name(GaugeKind::HostBytes, "/tmp", true),
        "Memory /tmp"
    );
    assert_eq!(
        gauge_name(GaugeKind::HostInodes, "/", false),
        "File count on /"
    );
    assert_eq!(
        meter_name(
            MeterKind::RootEntries,
            "/private/var/folders/ab/0123456789abcdef/T/claude-501"
        ),
        "Entries in /private/var/fo…def/T/claude-501"
    );
    let bundle = "/home/a/.config/Claude/vm_bundles/claudevm.bundle";
    assert_eq!(
        meter_name(MeterKind::BundleAllocated, bundle),
        "Claude bundle"
    );
    let windows = r"C:\Users\a\AppData\Local\Claude-3p\vm_bundles\claudevm.bundle";
    assert_eq!(
        meter_name(MeterKind::BundleAllocated, windows),
        "Claude-3p bundle"
    );
    assert_eq!(middle("/tmp/a\nb\u{202e}c", 20), "/tmp/a\u{fffd}b\u{fffd}c");
    for max in 0..6 {
        assert!(middle("日本語の名前", max).chars().count() <= max);
    }
}

#[test]
fn a_tooltip_fits_into_what_windows_shows() {
    let long = "/".to_owned() + &"𝒜é".repeat(200);
    let mut status = status(&[volume(&long, 484 * GB, 10 * GB)]);
    status.label = Some("Demo".repeat(30));
    assert!(tooltip(&status).encode_utf16().count() <= 120);
    status.summary = "𝒜".repeat(200);
    status.gauges.clear();
    let cut = tooltip(&status);
    assert!(cut.encode_utf16().count() <= 120 && cut.ends_with('…'));
}

#[test]
fn a_fault_of_our_own_is_told_in_the_menu() {
    let mut status = status(&[steady(sessions(300)), volume("/", 300 * GB, 190 * GB)]);
    status.faults = vec![
        Fault {
            kind: FaultKind::NoTray,
            text: String::new(),
        },
        Fault {
            kind: FaultKind::SettingsUnreadable,
            text: "cannot read /c/settings.toml: denied\ncheck who owns it".into(),
        },
    ];
    let [_, second] = menu_lines(&status);
    assert_eq!(second, fault(FaultKind::SettingsUnreadable));
    assert_eq!(
        status.faults[1].to_string(),
        "The settings could not be read; the defaults are in force and the file is left alone: \
         cannot read /c/settings.toml: denied. check who owns it"
    );
    assert_eq!(decimal(1), "1 B");
}

/// A sessions disk with room for 655,360 files, `permille` of them there.
fn files_of_sessions(permille: u64) -> Judged {
    let used = 655_360 * permille / 1000;
    let kind = GaugeKind::GuestSessionsInodes;
    steady(gauge(kind, "Claude", used, 655_360 - used))
}

#[test]
fn a_sessions_disk_with_room_and_without_inodes() {
    insta::assert_snapshot!(all(&[steady(sessions(400)), files_of_sessions(970)]), @r#"
    The sessions disk has room for only 19,661 more files
    635,699 of 655,360 files exist. A disk can only hold so many files, large or small; without room for more, every task fails before it starts. In Claude, Help > Troubleshooting > Free Up Cowork Disk Space clears caches inside it and leaves chats alone.
    [Sandtray · File count on the sessions disk 96 %, steady]
    - File count on the sessions disk 96 %, steady
    - Sessions disk 40 %, steady
    "#);
    insta::assert_snapshot!(all(&[steady(sessions(400)), files_of_sessions(1000)]), @r#"
    The sessions disk cannot hold one more file
    655,360 of 655,360 files exist. A disk can only hold so many files, and Cowork makes some for every task: tasks fail before they start, though space is left. If Cowork still starts, Help > Troubleshooting > Free Up Cowork Disk Space in Claude may make some room and leaves chats alone.
    [Sandtray · File count on the sessions disk full]
    - File count on the sessions disk full
    - Sessions disk 40 %, steady
    "#);
}

#[test]
fn a_healthy_file_count_of_a_disk_stands_behind_everything_else() {
    let gauges = [
        files_of_sessions(10),
        volume("/", 351 * GB, 143 * GB),
        steady(sessions(400)),
    ];
    let names: Vec<String> = status(&gauges)
        .gauges
        .into_iter()
        .map(|gauge| gauge.name)
        .collect();
    assert_eq!(
        names,
        ["Sessions disk", "Disk /", "File count on the sessions disk"]
    );
    assert!(!all(&gauges).contains("File count"), "{}", all(&gauges));
}

#[test]
fn a_system_disk_is_told_by_its_distance_to_a_fresh_one() {
    let of = |used: u64, baseline: Option<u64>| {
        let mut system = gauge(GaugeKind::GuestSystem, "Claude", used, 10 * GB - used);
        system.baseline = baseline;
        one(system, Forecast::Steady { rate: 0.0 })
    };
    for (used, baseline, text) in [
        (8_600_000_000, Some(8_600_000_000), "as full as a fresh one"),
        (8_640_000_000, Some(8_600_000_000), "as full as a fresh one"),
        (8_900_000_000, Some(8_600_000_000), "3 % above a fresh one"),
        (6_900_000_000, Some(8_600_000_000), "17 % below a fresh one"),
    ] {
        assert_eq!(fresh(&of(used, baseline)).as_deref(), Some(text));
    }
    assert_eq!(fresh(&of(8_600_000_000, None)), None);
    let tight = of(9_500_000_000, Some(8_600_000_000));
    assert!(
        advice(&tight).starts_with("9.50 GB of 10.0 GB are taken, a fresh one has 8.60 GB. "),
        "{}",
        advice(&tight)
    );
}

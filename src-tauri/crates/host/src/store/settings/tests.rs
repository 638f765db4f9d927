//! The settings on real folders.

use super::*;

/// An absolute path on this system.
const GOOD: &str = if cfg!(windows) { "C:/good" } else { "/good" };

fn faulty(faults: &[Fault]) -> Vec<FaultKind> {
    faults.iter().map(|fault| fault.kind).collect()
}

fn text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join(FILE)).unwrap()
}

fn with(content: impl AsRef<[u8]>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), content).unwrap();
    folder
}

fn quiet() -> Settings {
    Settings {
        notifications: false,
        ..Settings::default()
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_there_means_defaults_and_no_fault_and_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("config");
    let (_, settings, faults) = SettingsFile::load(&dir);
    assert_eq!(settings, Settings::default());
    assert_eq!(faults, []);
    assert!(!dir.exists());
}

#[test]
fn only_what_differs_is_stored_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("new/config");
    let (mut file, mut settings, _) = SettingsFile::load(&dir);
    settings.thresholds.sessions_low_percent = 70;
    settings.extra_roots = vec![GOOD.to_owned(), format!("{GOOD} \"x\"\n")];
    settings.autostart = true;
    file.save(&settings).unwrap();
    let stored = text(&dir);
    assert!(
        stored.starts_with("schema = 1\nautostart = true\nextra_roots = ["),
        "{stored}"
    );
    assert!(
        stored.ends_with("]\n\n[thresholds]\nsessions_low_percent = 70\n"),
        "{stored}"
    );
    assert_eq!(files(&dir), [FILE]);
    let (mut file, loaded, faults) = SettingsFile::load(&dir);
    assert_eq!(loaded, settings);
    assert_eq!(faults, []);

    file.save(&Settings::default()).unwrap();
    assert_eq!(text(&dir), "schema = 1\n");
}

#[test]
fn every_setting_can_be_stored() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, ..) = SettingsFile::load(folder.path());
    let some = |name: &str| vec![folder.path().join(name).display().to_string()];
    let settings = Settings {
        thresholds: sandtray_core::settings::Thresholds {
            sessions_low_percent: 1,
            sessions_critical_percent: 2,
            sessions_full_percent: 3,
            system_low_available: 4,
            system_critical_available: 3,
            host_low_available: 6,
            host_critical_available: 5,
            inodes_low_percent: 7,
            inodes_critical_percent: 8,
            low_days: 9,
            critical_hours: 10,
        },
        notifications: false,
        autostart: true,
        extra_roots: some("a"),
        extra_user_data: some("b"),
        extra_config_dirs: some("c"),
        daily_notices: 11,
        claude: sandtray_core::settings::Claude {
            executable: "/opt/claude".into(),
            launch: vec!["/opt/claude".into(), "--quiet".into()],
            quit_seconds: 12,
        },
        leftovers: sandtray_core::settings::Leftovers {
            schedule: true,
            hours: 13,
            when_critical: true,
            discard_after_days: 14,
        },
    };
    file.save(&settings).unwrap();
    let (_, loaded, faults) = SettingsFile::load(folder.path());
    assert_eq!((loaded, faults), (settings, vec![]));
}

#[test]
fn comments_unknown_keys_and_edits_made_meanwhile_stay() {
    let before = "# mine\nschema = 1\nnotifications = false # at night\ncolour = \"red\"\n\n[thresholds]\n# early\nlow_days = 9\nbelow = 3\n\n[other]\nx = 1\n";
    let folder = with(before);
    let (mut file, mut settings, faults) = SettingsFile::load(folder.path());
    assert_eq!(faulty(&faults), [FaultKind::SettingsUnknownKeys]);
    assert!(faults[0].text.ends_with("colour, thresholds.below, other"));
    assert!(!settings.notifications);
    assert_eq!(settings.thresholds.low_days, 9);

    // A person edits while we run.
    std::fs::write(
        folder.path().join(FILE),
        before.replace("low_days = 9", "low_days = 12"),
    )
    .unwrap();
    settings.daily_notices = 2;
    file.save(&settings).unwrap();
    assert_eq!(
        text(folder.path()),
        before
            .replace("low_days = 9", "low_days = 12")
            .replace("\"red\"\n", "\"red\"\ndaily_notices = 2\n")
    );
    settings.daily_notices = 3;
    settings.notifications = true;
    settings.thresholds.low_days = 7;
    file.save(&settings).unwrap();
    let now = text(folder.path());
    for kept in [
        "# mine\n",
        "colour = \"red\"",
        "daily_notices = 3",
        "below = 3",
        "[other]\nx = 1",
    ] {
        assert!(now.contains(kept), "{kept} in {now}");
    }
    assert!(
        !now.contains("notifications") && !now.contains("low_days"),
        "{now}"
    );
}

#[test]
fn a_changed_value_keeps_the_comment_behind_it() {
    let folder = with("schema = 1\ndaily_notices = 2 # enough\n");
    let (mut file, mut settings, _) = SettingsFile::load(folder.path());
    settings.daily_notices = 9;
    file.save(&settings).unwrap();
    assert_eq!(
        text(folder.path()),
        "schema = 1\ndaily_notices = 9 # enough\n"
    );
}

#[test]
fn a_newer_file_is_left_alone_and_saving_is_refused() {
    let content = "schema = 2\nnotifications = \"sometimes\"\n";
    let folder = with(content);
    let (mut file, settings, faults) = SettingsFile::load(folder.path());
    assert_eq!(settings, Settings::default());
    assert_eq!(faulty(&faults), [FaultKind::SettingsNewer]);
    let refused = file.save(&quiet()).unwrap_err();
    assert!(matches!(refused.cause, Cause::Newer(2)), "{refused}");
    assert_eq!(text(folder.path()), content);
    assert_eq!(files(folder.path()), [FILE]);
}

#[test]
fn an_unparsable_file_is_told_with_its_place_and_copied_before_the_first_save() {
    let content = "schema = 1\nnotifications = = false\n";
    let folder = with(content);
    let (mut file, settings, faults) = SettingsFile::load(folder.path());
    assert_eq!(settings, Settings::default());
    assert_eq!(faulty(&faults), [FaultKind::SettingsUnreadable]);
    assert!(
        faults[0].text.contains("line 2, column 17"),
        "{}",
        faults[0].text
    );
    assert!(!faults[0].text.contains('\n'));
    assert_eq!(text(folder.path()), content, "loading changes nothing");

    std::fs::write(folder.path().join("settings.toml.unreadable-1"), "earlier").unwrap();
    file.save(&quiet()).unwrap();
    assert_eq!(text(folder.path()), "schema = 1\nnotifications = false\n");
    let kept = |number: u8| {
        std::fs::read_to_string(
            folder
                .path()
                .join(format!("settings.toml.unreadable-{number}")),
        )
        .unwrap()
    };
    assert_eq!((kept(1).as_str(), kept(2).as_str()), ("earlier", content));
}

#[test]
fn bytes_that_are_no_text_and_files_of_any_kind_never_panic() {
    for content in [
        &b"\xff\xfe"[..],
        b"a = 1\n\xc3(",
        b"\0",
        b"[",
        b"a.b.c = {",
        b"schema = -1",
        b"thresholds = 5",
    ] {
        let folder = with(content);
        let (mut file, settings, faults) = SettingsFile::load(folder.path());
        assert_eq!(settings, Settings::default());
        assert!(!faults.is_empty(), "{content:?}");
        file.save(&quiet()).unwrap();
        let (_, settings, _) = SettingsFile::load(folder.path());
        assert_eq!(settings, quiet(), "{content:?}");
    }
    let folder = with(vec![b'#'; 1_000_001]);
    let (mut file, _, faults) = SettingsFile::load(folder.path());
    assert_eq!(faulty(&faults), [FaultKind::SettingsUnreadable]);
    file.save(&quiet()).unwrap_err();
    assert_eq!(text(folder.path()).len(), 1_000_001);
    let deep = with(format!("x = {}{}", "[".repeat(50_000), "]".repeat(50_000)));
    assert_eq!(
        faulty(&SettingsFile::load(deep.path()).2),
        [FaultKind::SettingsUnreadable]
    );
}

#[test]
fn a_wrong_value_costs_only_itself_and_is_named() {
    let folder = with(format!(
        "autostart = \"yes\"\nnotifications = false\nextra_roots = [\"{GOOD}\", \"not/absolute\"]\ndaily_notices = 300\n[thresholds]\nsessions_low_percent = 150\nsessions_critical_percent = -3\nlow_days = 3.5\ncritical_hours = 12\nhost_low_available = 1\n",
    ));
    let (_, settings, faults) = SettingsFile::load(folder.path());
    let mut expected = quiet();
    expected.extra_roots = vec![GOOD.to_owned()];
    expected.thresholds.critical_hours = 12;
    expected.thresholds.host_low_available = 5_000_000_000;
    assert_eq!(settings, expected);
    for key in [
        "autostart: ",
        "daily_notices: ",
        "thresholds.sessions_low_percent: ",
        "thresholds.sessions_critical_percent: ",
        "thresholds.low_days: ",
        "thresholds.host_low_available: ",
        "extra_roots: ",
    ] {
        let naming: Vec<_> = faults
            .iter()
            .filter(|fault| fault.text.contains(key))
            .collect();
        assert_eq!(naming.len(), 1, "{key} {faults:#?}");
    }
    assert_eq!(faults.len(), 7);
}

#[test]
fn a_number_no_file_can_hold_is_refused() {
    let folder = with("autostart = true\n");
    let (mut file, mut settings, _) = SettingsFile::load(folder.path());
    settings.thresholds.host_low_available = u64::MAX;
    file.save(&settings).unwrap_err();
    assert_eq!(text(folder.path()), "autostart = true\n");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_modes_are_kept_or_private() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = folder.path().join("config");
    let (mut file, ..) = SettingsFile::load(&dir);
    file.save(&quiet()).unwrap();
    assert_eq!((mode(&dir), mode(&dir.join(FILE))), (0o700, 0o600));

    let kept = folder.path().join("dotfiles.toml");
    std::fs::rename(dir.join(FILE), &kept).unwrap();
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&kept, dir.join(FILE)).unwrap();
    let (mut file, mut settings, _) = SettingsFile::load(&dir);
    assert!(!settings.notifications);
    settings.autostart = true;
    file.save(&settings).unwrap();
    assert!(dir.join(FILE).is_symlink());
    assert!(
        std::fs::read_to_string(&kept)
            .unwrap()
            .contains("autostart")
    );
    assert_eq!(mode(&kept), 0o640);
}

#[cfg(target_os = "linux")]
#[test]
fn with_no_byte_free_saving_fails_cleanly_and_the_old_file_is_whole() {
    use crate::store::full_volume::{fill, inside};

    let name = "with_no_byte_free_saving_fails_cleanly_and_the_old_file_is_whole";
    inside(module_path!(), name, "size=1m", |mount| {
        let (mut file, ..) = SettingsFile::load(mount);
        file.save(&quiet()).unwrap();
        let before = text(mount);
        fill(mount);
        let settings = Settings {
            extra_roots: vec!["/x".repeat(50); 100],
            ..quiet()
        };
        let failure = file.save(&settings).unwrap_err();
        assert!(
            matches!(&failure.cause, Cause::Io(cause) if cause.kind() == io::ErrorKind::StorageFull)
        );
        assert_eq!(text(mount), before);
        assert_eq!(files(mount), ["filler", FILE]);

        std::fs::write(mount.join(FILE), "= unparsable").unwrap();
        let (mut file, ..) = SettingsFile::load(mount);
        file.save(&settings).unwrap_err();
        assert_eq!(
            text(mount),
            "= unparsable",
            "it could not be copied, so it stays"
        );
        assert_eq!(files(mount), ["filler", FILE]);

        std::fs::remove_file(mount.join("filler")).unwrap();
        file.save(&settings).unwrap();
        assert_eq!(SettingsFile::load(mount).1, settings);
    });
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_leaves_the_defaults_and_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;

    let name = "a_file_that_may_not_be_read_leaves_the_defaults_and_is_not_replaced";
    let folder = with("autostart = true\n");
    let path = folder.path().join(FILE);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        // Root reads everything; a folder in the file's place is refused to root too.
        println!("{name}: as root, with a folder in the file's place");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
    }
    let (mut file, settings, faults) = SettingsFile::load(folder.path());
    assert_eq!(settings, Settings::default());
    assert_eq!(faulty(&faults), [FaultKind::SettingsUnreadable]);
    file.save(&quiet()).unwrap_err();
    assert_eq!(files(folder.path()), [FILE]);
    drop(std::fs::set_permissions(
        &path,
        std::fs::Permissions::from_mode(0o700),
    ));
}

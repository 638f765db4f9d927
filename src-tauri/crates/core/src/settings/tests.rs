use super::*;

#[test]
fn a_folder_is_removed_from_its_own_list_only() {
    let settings = Settings {
        extra_roots: vec!["/a".into(), "/b".into()],
        extra_config_dirs: vec!["/a".into()],
        ..Settings::default()
    };
    let view = SettingsView::new(&settings, std::path::Path::new("/f"), "0");
    let root = view
        .folders
        .iter()
        .find(|folder| folder.kind == FolderKind::Root)
        .unwrap();
    let changed = settings.without_folder(&root.id);
    assert_eq!(changed.extra_roots, ["/b"]);
    assert_eq!(changed.extra_config_dirs, ["/a"]);
    assert_eq!(settings.without_folder("/a"), settings, "a path is no id");
}

#[test]
fn a_patch_leaves_alone_what_it_does_not_name() {
    let settings = Settings {
        autostart: true,
        ..Settings::default()
    };
    let patch = SettingsPatch {
        notifications: Some(false),
        ..SettingsPatch::default()
    };
    let changed = settings.patched(patch);
    assert!(changed.autostart && !changed.notifications);
    assert_eq!(settings.patched(SettingsPatch::default()), settings);
}

#[test]
fn a_patch_can_carry_no_path() {
    let patch = r#"{"extra_roots":["/etc"]}"#;
    assert!(serde_json::from_str::<SettingsPatch>(patch).is_err());
}

#[test]
fn the_defaults_need_no_correction() {
    let mut lines = Thresholds::default();
    assert_eq!(lines.correct(), []);
    assert_eq!(lines, Thresholds::default());
}

#[test]
fn lines_that_make_no_sense_are_named_and_put_right() {
    let mut lines = Thresholds {
        sessions_low_percent: 95,
        sessions_full_percent: 0,
        inodes_critical_percent: 101,
        host_low_available: 1,
        low_days: 0,
        ..Thresholds::default()
    };
    let keys: Vec<_> = lines.correct().iter().map(|wrong| wrong.key).collect();
    assert_eq!(
        keys,
        [
            "thresholds.sessions_full_percent",
            "thresholds.inodes_critical_percent",
            "thresholds.sessions_low_percent",
            "thresholds.critical_hours",
            "thresholds.host_low_available",
        ]
    );
    let right = Thresholds {
        sessions_low_percent: 90,
        host_low_available: 5_000_000_000,
        low_days: 0,
        critical_hours: 0,
        ..Thresholds::default()
    };
    assert_eq!(lines, right);
    assert_eq!(lines.correct(), []);
}

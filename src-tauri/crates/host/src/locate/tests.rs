use std::fs;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use sandtray_core::bundle::Detour;
use sandtray_core::bundle::{Profile, RootWhy};
use sandtray_core::machine::Machine;
use tempfile::TempDir;

use super::*;

struct Fixture {
    dir: TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn machine(&self, more: &str) -> Machine {
        let file = self.at("machine.toml");
        fs::write(&file, format!("home = 'home'\n{more}")).unwrap();
        crate::machine::load(&file).unwrap()
    }

    fn bundle(&self, data: &str) -> PathBuf {
        let bundle = self.at(data).join("vm_bundles/claudevm.bundle");
        fs::create_dir_all(&bundle).unwrap();
        fs::write(bundle.join("rootfs.img"), "system").unwrap();
        fs::write(bundle.join("sessiondata.img"), "sessions").unwrap();
        bundle.canonicalize().unwrap()
    }
}

#[test]
fn nothing_installed_is_nothing_found_and_no_gap() {
    let fixture = Fixture::new();
    assert_eq!(locate(&fixture.machine("")), Located::default());
}

#[test]
fn both_profiles_and_a_second_one_are_found_and_one_is_live() {
    let fixture = Fixture::new();
    fixture.bundle("home/.config/Claude");
    fixture.bundle("home/.config/Claude-3p");
    let newest = fixture.bundle("work");
    let open = fs::File::open(newest.join("sessiondata.img")).unwrap();
    let found = locate(&fixture.machine("os = 'linux'\nuser_data = ['work']")).bundles;
    drop(open);
    assert_eq!(found.len(), 3);
    assert_eq!(found.iter().filter(|bundle| bundle.live).count(), 1);
    assert_eq!(found[0].path, newest);
    assert_eq!(found[0].profile, Profile::Extra);
    let names: Vec<_> = found[0]
        .files
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(names, ["rootfs.img", "sessiondata.img"]);
}

#[test]
fn one_bundle_reached_on_two_ways_is_listed_once() {
    let fixture = Fixture::new();
    fixture.bundle("home/.config/Claude");
    let machine = fixture.machine(
        "os = 'linux'\nuser_data = ['home/.config/Claude', 'home/.config/Claude/vm_bundles']",
    );
    assert_eq!(locate(&machine).bundles.len(), 1);
}

#[test]
fn windows_packages_and_the_roaming_folder_are_found_at_once() {
    let fixture = Fixture::new();
    fixture.bundle("home/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude");
    fixture.bundle("home/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude-3p");
    fixture.bundle("home/AppData/Roaming/Claude");
    fixture.bundle("home/AppData/Local/Packages/Other_pzs8sxrjxfjjc/LocalCache/Roaming/Claude");
    fixture.bundle("home/AppData/Local/Claude");
    let found = locate(&fixture.machine("os = 'windows'")).bundles;
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found
            .iter()
            .all(|bundle| !bundle.path.to_string_lossy().contains("Other_"))
    );
}

#[test]
fn macos_support_folder_is_found() {
    let fixture = Fixture::new();
    fixture.bundle("home/Library/Application Support/Claude");
    fixture.bundle("home/Library/Application Support/Claude-3p");
    assert_eq!(locate(&fixture.machine("os = 'macos'")).bundles.len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_on_the_way_is_reported_and_the_bundle_is_still_seen() {
    let fixture = Fixture::new();
    let real = fixture.bundle("elsewhere/Claude");
    fs::create_dir_all(fixture.at("home/.config")).unwrap();
    std::os::unix::fs::symlink(
        fixture.at("elsewhere/Claude"),
        fixture.at("home/.config/Claude"),
    )
    .unwrap();
    let found = locate(&fixture.machine("os = 'linux'")).bundles;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].path.as_path(), found[0].detour),
        (real.as_path(), Some(Detour::Link))
    );
    let direct = locate(&fixture.machine("os = 'linux'\nuser_data = ['elsewhere/Claude']"));
    assert_eq!(direct.bundles.len(), 1, "still one bundle, whichever way");
}

#[cfg(unix)]
#[test]
fn a_link_above_the_known_folder_is_no_detour() {
    let fixture = Fixture::new();
    fixture.bundle("volume/.config/Claude");
    std::os::unix::fs::symlink(fixture.at("volume"), fixture.at("home")).unwrap();
    let found = locate(&fixture.machine("os = 'linux'")).bundles;
    assert_eq!((found.len(), found[0].detour), (1, None));
}

#[test]
fn temp_roots_are_the_named_ones_and_the_jobs_below_the_home() {
    let fixture = Fixture::new();
    for dir in [
        "tmp-a",
        "tmp-b",
        "home/.claude/jobs/7f3a/tmp",
        "home/.claude/jobs/9/other",
        "decoy",
    ] {
        fs::create_dir_all(fixture.at(dir)).unwrap();
    }
    let machine = fixture.machine("temp_roots = ['tmp-a', 'tmp-b', 'tmp-gone', 'tmp-a/../tmp-b']");
    let found = locate(&machine).temp_roots;
    let paths: Vec<&Path> = found.iter().map(|root| root.path.as_path()).collect();
    let real = |path: &str| fixture.at(path).canonicalize().unwrap();
    assert_eq!(
        paths,
        [
            real("home/.claude/jobs/7f3a/tmp"),
            real("tmp-a"),
            real("tmp-b")
        ]
    );
    assert_eq!(found[0].why, RootWhy::JobTemp);
    assert!(found.iter().all(|root| !root.filesystem.is_empty()));
}

#[test]
fn a_bundle_that_is_a_file_is_no_bundle() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.at("home/.config/Claude/vm_bundles")).unwrap();
    fs::write(
        fixture.at("home/.config/Claude/vm_bundles/claudevm.bundle"),
        "",
    )
    .unwrap();
    assert!(locate(&fixture.machine("os = 'linux'")).bundles.is_empty());
}

#[test]
fn a_bundle_without_disks_is_never_live() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.at("home/.config/Claude/vm_bundles/claudevm.bundle")).unwrap();
    let found = locate(&fixture.machine("os = 'linux'")).bundles;
    assert_eq!((found.len(), found[0].live), (1, false));
}

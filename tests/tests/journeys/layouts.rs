//! `locate`: every layout there is, on any system.

use std::fs;
use std::path::Path;

use sandtray_tests::ctl;
use sandtray_tests::machine::{Bundle, TestMachine};
use serde_json::Value;

use crate::only;

fn located(machine: &TestMachine) -> Value {
    let report = ctl::on(&machine.file(), &["locate", "--json"])
        .well()
        .json();
    assert_eq!(report["schema"], 1);
    report
}

/// A machine of another system, its folders below this home.
fn of_system(os: &str) -> TestMachine {
    let machine = TestMachine::new().unwrap();
    let text = fs::read_to_string(machine.file()).unwrap();
    fs::write(machine.file(), format!("{text}os = \"{os}\"\n")).unwrap();
    machine
}

fn bundle_below(user_data: &Path) {
    let bundle = Bundle::create(user_data).unwrap();
    bundle.companions().unwrap();
    fs::write(bundle.sessions_image(), "").unwrap();
}

fn paths(report: &Value) -> Vec<String> {
    let bundles = report["bundles"].as_array().unwrap();
    bundles
        .iter()
        .map(|bundle| bundle["path"].as_str().unwrap().replace('\\', "/"))
        .collect()
}

#[test]
fn a_machine_with_nothing_installed_shows_its_temp_roots_and_no_bundle() {
    let machine = TestMachine::new().unwrap();
    let report = located(&machine);
    assert_eq!(report["bundles"].as_array().unwrap().len(), 0);
    let root = only(&report["temp_roots"], |root| {
        root["path"] == machine.tmp().to_str().unwrap()
    });
    assert_eq!(root["owner"], "own");
    assert!(
        root["why"].is_string() && root["filesystem"].is_string() && root["memory"].is_boolean()
    );
    let text = ctl::on(&machine.file(), &["locate"]).well().out;
    assert!(text.contains("No sandbox storage found yet"), "{text}");
}

#[test]
fn a_confined_machine_names_nothing_outside_its_folder() {
    let machine = TestMachine::new().unwrap();
    let report = located(&machine).to_string();
    let inside = machine.root().to_str().unwrap().replace('\\', "\\\\");
    for path in report.split("\"path\":\"").skip(1) {
        assert!(path.starts_with(&inside), "{path}");
    }
}

#[test]
fn both_profiles_and_further_data_folders_are_found_once_each_with_their_files() {
    let mut machine = TestMachine::new().unwrap();
    bundle_below(&machine.claude());
    bundle_below(&machine.claude().with_file_name("Claude-3p"));
    let second = machine.root().join("second profile");
    bundle_below(&second);
    machine.add_user_data(second).unwrap();
    // Named twice, found once.
    machine.add_user_data(machine.claude()).unwrap();

    let report = located(&machine);
    assert_eq!(report["bundles"].as_array().unwrap().len(), 3, "{report:#}");
    for profile in ["claude", "claude_3p", "extra"] {
        let bundle = only(&report["bundles"], |bundle| bundle["profile"] == profile);
        let disk = only(&bundle["files"], |file| file["name"] == "sessiondata.img");
        assert_eq!(disk["role"], "session_data");
        let packed = only(&bundle["files"], |file| file["name"] == "rootfs.img.zst");
        assert_eq!(
            (packed["role"].as_str(), packed["apparent"].as_u64()),
            (Some("archive"), Some(1_190_000_000))
        );
        assert!(
            packed["allocated"].as_u64().unwrap() < 1_000_000,
            "a sparse file takes no blocks"
        );
    }
    let live = report["bundles"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|bundle| bundle["live"] == true);
    assert!(live.count() <= 1);
}

#[test]
fn on_windows_the_package_folder_and_the_real_roaming_folder_can_both_hold_a_bundle() {
    let machine = of_system("windows");
    let package = machine
        .home()
        .join("AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude");
    bundle_below(&package);
    bundle_below(&machine.home().join("AppData/Roaming/Claude"));
    bundle_below(&machine.home().join("AppData/Local/Claude-3p"));
    // Decoys: another vendor's package, and a folder that is quoted in threads and is no place.
    bundle_below(
        &machine
            .home()
            .join("AppData/Local/Packages/Claudette_1/LocalCache/Roaming/Claude"),
    );
    bundle_below(&machine.home().join("AppData/Local/Claude"));
    let found = paths(&located(&machine));
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(
        found
            .iter()
            .any(|path| path.contains("Packages/Claude_pzs8sxrjxfjjc/")),
        "{found:#?}"
    );
    assert!(
        !found.iter().any(|path| path.contains("Claudette")),
        "{found:#?}"
    );
}

#[test]
fn on_macos_both_profiles_lie_below_application_support() {
    let machine = of_system("macos");
    bundle_below(&machine.home().join("Library/Application Support/Claude"));
    bundle_below(&machine.home().join("Library/Application Support/Claude-3p"));
    let found = paths(&located(&machine));
    assert_eq!(found.len(), 2, "{found:#?}");
}

#[test]
#[cfg(unix)]
fn a_bundle_behind_a_link_is_reported_as_such() {
    let machine = TestMachine::new().unwrap();
    let elsewhere = machine.root().join("elsewhere/Claude");
    bundle_below(&elsewhere);
    fs::create_dir_all(machine.claude().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, machine.claude()).unwrap();
    let report = located(&machine);
    let bundle = only(&report["bundles"], |_| true);
    assert_eq!(bundle["detour"], "link", "{bundle:#}");
}

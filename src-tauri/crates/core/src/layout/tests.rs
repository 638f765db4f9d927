use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::bundle::{Profile, RootWhy};
use crate::machine::{Folders, Machine, Os};

pub(super) fn machine(os: Os) -> Machine {
    let folder = |path: &str| PathBuf::from(path);
    let (home, config, local, temp) = match os {
        Os::Linux => (
            "/home/ada",
            "/home/ada/.config",
            "/home/ada/.local/share",
            "/tmp",
        ),
        Os::MacOs => (
            "/Users/ada",
            "/Users/ada/Library/Application Support",
            "/Users/ada/Library/Application Support",
            "/private/var/folders/ab/cd/T",
        ),
        // %APPDATA% redirected to another drive, as companies do (#42119).
        Os::Windows => (
            "C:/Users/ada",
            "D:/Profiles/ada/Roaming",
            "C:/Users/ada/AppData/Local",
            "C:/Users/ada/AppData/Local/Temp",
        ),
    };
    Machine {
        os,
        home: folder(home),
        uid: 501,
        folders: Folders {
            config: folder(config),
            local: folder(local),
            temp: folder(temp),
        },
        variables: BTreeMap::new(),
        only_roots: None,
        user_data: Vec::new(),
        config_dirs: Vec::new(),
        extra_roots: Vec::new(),
        now_offset: 0,
        label: None,
        own_data: folder(local).join("sandtray"),
        own_config: folder(config).join("sandtray"),
    }
}

fn exact(machine: &Machine) -> Vec<(PathBuf, Profile)> {
    data_folders(machine)
        .into_iter()
        .filter_map(|folder| Some((folder.place.as_exact()?, folder.profile)))
        .collect()
}

fn roots(machine: &Machine) -> Vec<(PathBuf, RootWhy)> {
    temp_roots(machine)
        .into_iter()
        .filter_map(|root| Some((root.place.as_exact()?, root.why)))
        .collect()
}

#[test]
fn macos_has_the_ordinary_profile_and_third_party_inference_side_by_side() {
    let support = Path::new("/Users/ada/Library/Application Support");
    assert_eq!(
        exact(&machine(Os::MacOs)),
        [
            (support.join("Claude"), Profile::Claude),
            (support.join("Claude-3p"), Profile::Claude3p)
        ]
    );
}

#[test]
fn windows_looks_into_every_claude_package_and_into_the_redirected_roaming_folder() {
    let windows = machine(Os::Windows);
    let patterns: Vec<_> = data_folders(&windows)
        .into_iter()
        .map(|folder| folder.place)
        .collect();
    let package = Pattern::exact(Path::new("C:/Users/ada/AppData/Local"))
        .name("Packages")
        .prefix("Claude_")
        .name("LocalCache")
        .name("Roaming");
    assert!(patterns.contains(&package.clone().name("Claude")));
    assert!(patterns.contains(&package.name("Claude-3p")));
    let places = exact(&windows);
    assert!(places.contains(&("D:/Profiles/ada/Roaming/Claude".into(), Profile::Claude)));
    assert!(places.contains(&(
        "C:/Users/ada/AppData/Local/Claude-3p".into(),
        Profile::Claude3p
    )));
    // Quoted in threads, shown wrong (#84559); and never built from C:\Users.
    for never in [
        "C:/Users/ada/AppData/Local/Claude",
        "C:/Users/ada/AppData/Roaming/Claude",
    ] {
        assert!(
            !places.iter().any(|(path, _)| path == Path::new(never)),
            "{never}"
        );
    }
}

#[test]
fn a_second_profile_named_by_the_user_comes_beside_the_ordinary_one() {
    let mut linux = machine(Os::Linux);
    linux.user_data.push("/data/claude-work".into());
    let places = exact(&linux);
    assert!(places.contains(&("/home/ada/.config/Claude".into(), Profile::Claude)));
    assert!(places.contains(&("/data/claude-work".into(), Profile::Extra)));
}

#[test]
fn linux_roots_hold_both_session_roots_and_the_doubled_form() {
    let mut linux = machine(Os::Linux);
    linux
        .variables
        .insert("TMPDIR".into(), "/scratch/claude-501".into());
    let roots = roots(&linux);
    for (path, why) in [
        ("/tmp", RootWhy::SystemTemp),
        ("/var/tmp", RootWhy::SystemTemp),
        ("/tmp/claude-501", RootWhy::ClaudeTemp),
        ("/tmp/claude", RootWhy::ClaudeTemp),
        ("/scratch/claude-501", RootWhy::UserTemp),
        ("/scratch/claude-501/claude-501", RootWhy::ClaudeTemp),
    ] {
        assert!(roots.contains(&(path.into(), why)), "{path}: {roots:?}");
    }
}

#[test]
fn macos_session_roots_ignore_tmpdir_and_every_users_folder_is_a_pattern() {
    let mut mac = machine(Os::MacOs);
    mac.variables
        .insert("TMPDIR".into(), "/private/var/folders/ab/cd/T".into());
    assert!(roots(&mac).contains(&("/private/tmp/claude-501".into(), RootWhy::ClaudeTemp)));
    let users = Pattern::exact(Path::new("/private/var/folders"))
        .any()
        .any()
        .name("T");
    assert!(temp_roots(&mac).iter().any(|root| root.place == users));
}

#[test]
fn overrides_and_every_configuration_folder_are_watched() {
    let mut linux = machine(Os::Linux);
    linux
        .variables
        .insert("CLAUDE_CODE_TMPDIR".into(), "/fast".into());
    linux
        .variables
        .insert("CLAUDE_CONFIG_DIR".into(), "/conf/a".into());
    linux.config_dirs.push("/conf/b".into());
    let found = roots(&linux);
    assert!(found.contains(&("/fast".into(), RootWhy::ClaudeOverride)));
    assert!(found.contains(&("/fast/claude-501".into(), RootWhy::ClaudeTemp)));
    for dir in ["/home/ada/.claude", "/conf/a", "/conf/b"] {
        let jobs = Pattern::exact(Path::new(dir))
            .name("jobs")
            .any()
            .name("tmp");
        assert!(
            temp_roots(&linux).iter().any(|root| root.place == jobs),
            "{dir}"
        );
    }
}

#[test]
fn windows_roots_are_the_temp_folder_and_its_claude_folder() {
    let found = roots(&machine(Os::Windows));
    let temp = Path::new("C:/Users/ada/AppData/Local/Temp");
    assert!(found.contains(&(temp.to_owned(), RootWhy::SystemTemp)));
    assert!(found.contains(&(temp.join("claude"), RootWhy::ClaudeTemp)));
}

#[test]
fn a_confined_machine_names_no_real_root() {
    let mut linux = machine(Os::Linux);
    linux.only_roots = Some(vec!["/demo/tmp".into()]);
    linux.variables.insert("TMPDIR".into(), "/tmp".into());
    assert_eq!(roots(&linux), [("/demo/tmp".into(), RootWhy::Configured)]);
    assert!(temp_roots(&linux).iter().all(
        |root| root.place.base.starts_with("/demo") || root.place.base.starts_with("/home/ada")
    ));
}

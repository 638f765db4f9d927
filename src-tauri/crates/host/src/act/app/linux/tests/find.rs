//! Exactly one main process of this bundle, among everything that looks like it.

use std::fs;
use std::process::Command;

use sandtray_core::bundle::Profile;
use sandtray_core::settings::Claude;

use super::super::super::{App, Running};
use super::super::{find, launch};
use super::{Group, Place, STAY};
use crate::act::path::exact;

fn seen(place: &Place) -> Running {
    find(&place.machine(), &place.claude(), &place.bundle())
}

fn the_app(place: &Place) -> App {
    match seen(place) {
        Running::Yes(app) => app,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_runs_and_so_the_app_does_not() {
    assert_eq!(seen(&Place::new()), Running::No);
}

#[test]
fn the_main_process_is_found_among_its_children_and_namesakes() {
    let place = Place::new();
    let namesake = place.program("/bin/sh", "elsewhere/claude-desktop");
    let other_data = format!("--user-data-dir={}", place.path().join("other").display());
    let _decoys = [
        place.run(&namesake, STAY),
        // The command line tool has its name, and nothing else.
        place.run(&place.program("/bin/sh", "bin/claude"), STAY),
        Group::ready(Command::new(place.app()).args(["-c", STAY, &other_data])),
        // A child whose parent has ended.
        Group::ready(Command::new(place.app()).args([
            "-c",
            STAY,
            "--type=renderer",
            &format!("--user-data-dir={}", place.data().display()),
        ])),
        // A script that the app runs in its own executable.
        Group::ready(
            Command::new(place.app())
                .args([
                    "-c",
                    STAY,
                    &format!("--user-data-dir={}", place.data().display()),
                ])
                .env("ELECTRON_RUN_AS_NODE", "1"),
        ),
    ];
    assert_eq!(seen(&place), Running::No);

    // One child with a type, one without: both run the same executable with the same folder.
    let children = format!(
        "'{app}' -c ': & wait; sleep 60; :' --type=gpu-process \"$0\" & '{app}' -c 'echo ready; sleep 60; :' \"$0\" & wait",
        app = place.app().display()
    );
    let main = place.run(&place.app(), &children);
    let app = the_app(&place);
    assert_eq!((app.pid, &app.executable), (main.pid(), &place.app()));
    assert_eq!(app.arguments[0], place.app());
    assert_eq!(app.arguments.len(), 4);
}

#[test]
fn two_of_them_are_several_and_neither_is_chosen() {
    let place = Place::new();
    let (first, second) = (place.run(&place.app(), STAY), place.run(&place.app(), STAY));
    let mut both = [first.pid(), second.pid()];
    both.sort_unstable();
    assert_eq!(seen(&place), Running::Several(both.to_vec()));
}

#[test]
fn an_app_that_an_update_has_replaced_is_still_the_app_and_starts_as_the_new_one() {
    let place = Place::new();
    let main = place.run(&place.app(), STAY);
    fs::remove_file(place.app()).unwrap();
    place.program("/bin/sleep", "app/claude-desktop");
    let app = the_app(&place);
    assert_eq!((app.pid, &app.executable), (main.pid(), &place.app()));
    let launch = launch(
        &place.machine(),
        &place.claude(),
        &place.bundle(),
        Some(&app),
    )
    .unwrap();
    assert_eq!(exact(&launch.program), Some(place.app()));
    assert_eq!(exact(&launch.arguments[2]).unwrap(), app.arguments[3]);
}

#[test]
fn an_executable_is_known_by_inode_and_by_the_link_that_leads_to_it() {
    let place = Place::new();
    let main = place.run(&place.app(), STAY);
    for made in [
        std::os::unix::fs::symlink(place.app(), place.path().join("link")),
        fs::hard_link(place.app(), place.path().join("hard")),
    ] {
        made.unwrap();
    }
    for name in ["link", "hard"] {
        let claude = Claude {
            executable: place.path().join(name).to_str().unwrap().into(),
            ..Claude::default()
        };
        match find(&place.machine(), &claude, &place.bundle()) {
            Running::Yes(app) => assert_eq!(app.pid, main.pid(), "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn an_app_that_was_told_nothing_uses_the_folder_of_its_own_configuration() {
    let place = Place::new();
    let start = |home: &std::path::Path| {
        Group::ready(
            Command::new(place.app())
                .args(["-c", STAY])
                .env_remove("XDG_CONFIG_HOME")
                .env("HOME", home),
        )
    };
    let other = place.path().join("other");
    fs::create_dir_all(other.join(".config/Claude")).unwrap();
    let _second_account = start(&other);
    assert_eq!(seen(&place), Running::No);
    // Its environment leads nowhere: the usual folder it is.
    let main = start(&place.path().join("nowhere"));
    assert_eq!(the_app(&place).pid, main.pid());
    let mut bundle = place.bundle();
    bundle.profile = Profile::Extra;
    assert_eq!(
        find(&place.machine(), &place.claude(), &bundle),
        Running::No,
        "a folder that has to be named was not"
    );
}

#[test]
fn a_relative_folder_is_seen_from_where_the_app_is() {
    let place = Place::new();
    let main = Group::ready(
        Command::new(place.app())
            .args(["-c", STAY, "--user-data-dir", "home/../home/.config/Claude"])
            .current_dir(place.path()),
    );
    assert_eq!(the_app(&place).pid, main.pid());
}

#[test]
fn a_described_machine_never_sees_the_real_app_and_a_senseless_name_is_not_guessed_at() {
    let place = Place::new();
    let _main = place.run(&place.app(), STAY);
    let unnamed = Claude::default();
    assert_eq!(
        find(&place.machine(), &unnamed, &place.bundle()),
        Running::No
    );
    assert_eq!(
        launch(&place.machine(), &unnamed, &place.bundle(), None),
        None
    );
    let relative = Claude {
        executable: "claude-desktop".into(),
        ..Claude::default()
    };
    match find(&place.machine(), &relative, &place.bundle()) {
        Running::Unknown(cause) => assert!(cause.contains("claude-desktop"), "{cause}"),
        other => panic!("{other:?}"),
    }
}

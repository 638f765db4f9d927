//! Every scope from the command to the app's new disks.

use std::fs;
use std::path::Path;

use sandtray_tests::disk::Numbers;
use sandtray_tests::stand_in::sessions::FOLDERS;
use sandtray_tests::stand_in::{Layout, Tree};

use crate::ordinary::{ROOMY, ordinary};
use crate::world::{Picture, World, names};

const SYSTEM: [&str; 6] = [
    ".initrd.origin",
    ".rootfs.img.origin",
    ".vmlinuz.origin",
    "initrd",
    "rootfs.img",
    "vmlinuz",
];

/// Makes the app's start keep a copy of the session tree as it finds it.
fn photographed(world: &World, folder: &Path) {
    let script = format!(
        "mkdir -p {to} && cp -a {from}/local-agent-mode-sessions {from}/claude-code-sessions {to} && exec \"$0\" \"$@\"",
        from = world.app.user_data().display(),
        to = folder.display(),
    );
    let launch: Vec<String> = ["sh".to_owned(), "-c".to_owned(), script]
        .into_iter()
        .chain(world.app.launch())
        .map(|word| format!("'{word}'"))
        .collect();
    world.write_settings(&format!(
        "[claude]\nexecutable = '{}'\nlaunch = [{}]\n",
        world.app.executable().display(),
        launch.join(", ")
    ));
}

/// What a bundle's disk has in use, as `dumpe2fs` says.
fn used(image: &Path) -> u64 {
    Numbers::read(image.to_str().unwrap()).unwrap().used() * 4096
}

/// A whole reset with the app running: what it must do, and everything that it must not.
fn reset(root: &Path, scope: &str, moved: Option<&[&str]>) {
    let world = World::running(root, |builder| builder);
    // Decoys: a bundle of somebody else's launcher, a program of the same name, a user's own backup.
    let mut other = Layout::new(&world.machine.root().join("other/Claude"));
    other.sessions = 1;
    let other = other.make().unwrap().folder;
    let backup = world.machine.home().join(".config/claudevm.bundle.bak");
    fs::create_dir_all(&backup).unwrap();
    fs::write(backup.join("sessiondata.img"), "a user's own copy").unwrap();
    let decoys = || {
        [
            Picture::of(&other, &[]),
            Picture::of(&backup, &[]),
            Picture::of(&world.app.user_data().join("claude-code-vm"), &[]),
            Picture::of(&world.app.user_data().join("vm_bundles/warm"), &[]),
        ]
    };
    let before = decoys();
    let cli = world.app.start_cli().unwrap();

    let photo = world.machine.root().join("photo");
    photographed(&world, &photo);
    let disks = world.app.disks_identity().unwrap();
    let tree = world.app.snapshot_tree().unwrap();
    let fill = used(&world.app.bundle().sessions_image());
    let (app, vm) = (world.app.pid().unwrap(), world.app.vm().unwrap());

    let told = world.reset(scope, "60");
    let receipt = told.done();

    // One SIGTERM to one process; the VM was stopped by its app, and nobody else heard anything.
    assert_eq!(
        world.app.signals(),
        [("app".to_owned(), app, "TERM".to_owned())]
    );
    assert_eq!(world.app.machines_ended(), ["exit status: 0"]);
    assert!(cli.handle().is_some(), "the program of the same name");
    let second = world.app.until_back(app);
    world.app.until_state("ready");
    assert_ne!(world.app.vm().unwrap().pid, vm.pid);
    assert_eq!(Some(second), world.app.pid());

    // The session tree was as the app left it when it was started again: it wrote its two files as it quit,
    // and every other byte is the same (#42495, #93583).
    let then = Tree::of(&photo, &FOLDERS).unwrap();
    let changed = then.changed_since(&tree);
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(then.gone_since(&tree).is_empty() && then.new_since(&tree).is_empty());
    let now = world.app.snapshot_tree().unwrap();
    assert!(now.gone_since(&tree).is_empty());
    let report = &receipt["sessions"];
    assert_eq!(report["untouched"], true, "{report:#}");
    assert_eq!(report["missing"].as_array().unwrap().len(), 0);
    assert!(report["changed_by_app"].as_u64().unwrap() > 0);

    // Moved, and everything else where it was, by inode.
    world.assert_kept(&disks);
    let copies = world.copies();
    assert_eq!(copies.len(), 1);
    let copy = &copies[0];
    assert_eq!(copy["id"], receipt["id"]);
    assert_eq!(copy["scope"], scope.replace('-', "_"));
    assert_eq!(
        (copy["state"].as_str(), copy["verified"].as_bool()),
        (Some("whole"), Some(true))
    );
    let folder = Path::new(copy["path"].as_str().unwrap());
    assert!(folder.join("sandtray-manifest.json").is_file());
    let inside = match moved {
        Some(_) => folder.to_owned(),
        None => folder.join("claudevm.bundle"),
    };
    let mut expected: Vec<&str> = match moved {
        Some(moved) => moved
            .iter()
            .copied()
            .chain(["sandtray-manifest.json"])
            .collect(),
        None => disks.keys().map(String::as_str).collect(),
    };
    expected.sort_unstable();
    assert_eq!(names(&inside), expected);
    let listed = copy["files"].as_array().unwrap().len();
    assert_eq!(listed, moved.map_or(disks.len(), <[&str]>::len));
    assert!(copy["allocated"].as_u64().unwrap() > 0 && copy["parked_at"].is_i64());

    // What was measured is true.
    let of = |kind: &str| {
        let fills = receipt["fills"].as_array().unwrap();
        fills.iter().find(|fill| fill["kind"] == kind).unwrap()
    };
    let sessions = of("guest_sessions");
    assert_eq!(sessions["before"].as_u64(), Some(fill));
    let after = used(&world.app.bundle().sessions_image());
    assert_eq!(sessions["after"].as_u64(), Some(after));
    if scope == "system-disk" {
        assert_eq!(after, fill);
    } else {
        assert!(after < fill / 10, "{after} of {fill}");
    }
    let system = of("guest_system");
    assert!(system["before"].is_u64() && system["after"].is_u64());
    assert_eq!(
        (&receipt["quit"], &receipt["relaunched"]),
        (&true.into(), &true.into())
    );
    assert!(receipt["available_before"].is_u64() && receipt["available_after"].is_u64());
    for step in [
        "quit",
        "prove",
        "record",
        "move",
        "prove_again",
        "compare",
        "relaunch",
        "watch",
    ] {
        assert!(told.did(step), "{step}: {:#?}", told.events);
    }
    assert!(
        receipt["notes"].as_array().unwrap().is_empty(),
        "{receipt:#}"
    );

    // The journal says the same, and can be read by a person.
    let journal = world.journal();
    assert_eq!(journal.len(), 1);
    let entry = &journal[0];
    assert_eq!(
        (
            &entry["id"],
            entry["kind"].as_str(),
            entry["state"].as_str()
        ),
        (&receipt["id"], Some("reset"), Some("done"))
    );
    assert!(
        entry["begun_at"].is_i64() && entry["ended_at"].is_i64() && entry["outcome"].is_string()
    );
    let read = world.ctl(&["journal"]).well();
    assert!(
        read.out.contains(receipt["id"].as_str().unwrap()),
        "{read:?}"
    );

    assert_eq!(before, decoys());
}

/// A11 (#42495, #93583), A19 (deb#369): the session disk goes and comes anew; chats, tasks and projects stay.
#[test]
fn a_full_session_disk_is_moved_aside_and_a_new_one_is_built_while_the_sessions_stay() {
    ordinary(
        module_path!(),
        "a_full_session_disk_is_moved_aside_and_a_new_one_is_built_while_the_sessions_stay",
        ROOMY,
        |root| reset(root, "session-disk", Some(&["sessiondata.img"])),
    );
}

/// A4 (#95646), A11: the system is built anew from its archive and the sessions disk keeps its inode.
#[test]
fn a_full_system_disk_is_built_anew_and_the_session_disk_is_the_very_same() {
    ordinary(
        module_path!(),
        "a_full_system_disk_is_built_anew_and_the_session_disk_is_the_very_same",
        ROOMY,
        |root| reset(root, "system-disk", Some(&SYSTEM)),
    );
}

/// A2 (#59856), A11: both.
#[test]
fn a_whole_bundle_moves_as_one_folder_and_is_downloaded_again() {
    ordinary(
        module_path!(),
        "a_whole_bundle_moves_as_one_folder_and_is_downloaded_again",
        ROOMY,
        |root| reset(root, "bundle", None),
    );
}

#[test]
fn an_app_that_does_not_run_is_neither_asked_to_quit_nor_started() {
    ordinary(
        module_path!(),
        "an_app_that_does_not_run_is_neither_asked_to_quit_nor_started",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            let disks = world.app.disks_identity().unwrap();
            let told = world.reset("session-disk", "60");
            let receipt = told.done();
            assert_eq!(receipt["quit"], false);
            assert_eq!(receipt["relaunched"], false);
            assert_eq!(receipt["rebuild"], "waiting");
            assert!(!told.told("quit", "begun") && !told.told("relaunch", "begun"));
            assert!(world.app.witness().actors().is_empty());
            assert!(world.app.signals().is_empty());
            world.assert_kept(&disks);
        },
    );
}

/// An update replaces the executable under the running app, whose `/proc/PID/exe` then ends in ` (deleted)`.
/// Nothing in the settings says how to start it: it is started as it ran.
#[test]
fn an_app_that_was_updated_while_it_ran_is_found_quit_and_started_as_it_ran() {
    ordinary(
        module_path!(),
        "an_app_that_was_updated_while_it_ran_is_found_quit_and_started_as_it_ran",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let app = world.app.pid().unwrap();
            let executable = world.app.executable().display();
            world.write_settings(&format!("[claude]\nexecutable = '{executable}'\n"));
            world.app.update().unwrap();
            let told = world.reset("session-disk", "60");
            assert_eq!(told.done()["rebuild"], "ready", "{:#}", told.last);
            assert_eq!(told.last["relaunched"], true);
            assert_ne!(world.app.until_back(app), app);
            let words = fs::read_to_string(format!("/proc/{}/cmdline", world.app.pid().unwrap()));
            let words: Vec<String> = words.unwrap().split('\0').map(str::to_owned).collect();
            assert_eq!(words[..2], world.app.launch()[..]);
            // Detached: a session of its own, and nothing of ours open.
            let stat = fs::read_to_string(format!("/proc/{}/stat", world.app.pid().unwrap()));
            let stat = stat.unwrap();
            let fields: Vec<&str> = stat
                .rsplit_once(')')
                .unwrap()
                .1
                .split_whitespace()
                .collect();
            assert_eq!(
                fields[3],
                world.app.pid().unwrap().to_string(),
                "its own session"
            );
            for number in 0..3 {
                let open = fs::read_link(format!("/proc/{}/fd/{number}", world.app.pid().unwrap()));
                assert_eq!(open.unwrap(), Path::new("/dev/null"));
            }
        },
    );
}

/// Two apps of one executable, on two data folders: only the one whose bundle it is is asked.
#[test]
fn an_app_with_another_data_folder_is_not_asked_to_quit() {
    ordinary(
        module_path!(),
        "an_app_with_another_data_folder_is_not_asked_to_quit",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let machine = world.machine.root();
            // Another person's launcher: the same name elsewhere, and data of its own.
            let other = sandtray_tests::stand_in::StandIn::at(
                &machine.join("second"),
                &machine.join("second-data/Claude"),
            );
            let other = other.running().unwrap();
            let pid = other.pid().unwrap();
            let first = world.app.pid().unwrap();
            world.reset("session-disk", "60").done();
            assert!(other.signals().is_empty());
            assert_eq!(other.pid(), Some(pid));
            assert!(
                other
                    .ask("status")
                    .unwrap()
                    .starts_with("state=ready vm=yes")
            );
            assert_eq!(
                world.app.signals(),
                [("app".to_owned(), first, "TERM".to_owned())]
            );
        },
    );
}

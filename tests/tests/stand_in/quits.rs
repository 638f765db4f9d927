//! Its processes, and how it quits.

use std::fs;
use std::os::unix::fs::MetadataExt;

use sandtray_tests::stand_in::sessions::FOLDERS;
use sandtray_tests::stand_in::witness::Actor;
use sandtray_tests::stand_in::{Misbehaviour, StandIn};

use crate::{cannot, holders, parent, words};

#[test]
fn its_children_have_the_same_executable_and_a_type_and_its_vm_has_another() {
    if cannot("its_children_have_the_same_executable_and_a_type_and_its_vm_has_another") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let app = stand_in.pid().unwrap();
    let identity = |pid: u32| {
        let seen = fs::metadata(format!("/proc/{pid}/exe")).unwrap();
        (seen.dev(), seen.ino())
    };
    let data = format!("--user-data-dir={}", stand_in.user_data().display());
    assert!(words(app).contains(&data));
    assert!(!words(app).iter().any(|word| word.starts_with("--type=")));

    // Zygote, utility, renderer, and a renderer below the zygote.
    let actors = stand_in.witness().until("four children", |actors| {
        let up = |actor: &&Actor| {
            ["zygote", "utility", "renderer"].contains(&actor.role.as_str()) && actor.has_said("up")
        };
        (actors.iter().filter(up).count() == 4).then(|| actors.to_vec())
    });
    let mut grandchildren = 0;
    for actor in &actors {
        let own = actor.role != "app" && identity(actor.pid) == identity(app);
        match actor.role.as_str() {
            "app" => {}
            "zygote" | "utility" | "renderer" => {
                assert!(own, "{actor:?}");
                let typed = words(actor.pid)
                    .iter()
                    .any(|word| word.starts_with("--type="));
                assert!(typed, "{actor:?}");
                grandchildren += u32::from(parent(actor.pid) != app);
            }
            _ => assert!(!own, "{actor:?}"),
        }
    }
    assert_eq!(grandchildren, 1);

    let vm = stand_in.vm().unwrap();
    assert!(vm.executable.ends_with("vm/qemu-system-x86_64"));
    let starter = parent(vm.pid);
    assert_eq!(parent(starter), app);
    assert_eq!(holders(&stand_in.bundle().sessions_image()), [vm.pid]);
    assert_eq!(holders(&stand_in.bundle().system_image()), [vm.pid]);
}

#[test]
fn asked_to_quit_it_stops_its_vm_without_a_signal_and_lets_the_disks_go() {
    if cannot("asked_to_quit_it_stops_its_vm_without_a_signal_and_lets_the_disks_go") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let before = stand_in.snapshot_tree().unwrap();
    let app = stand_in.terminate().unwrap();
    stand_in.until_ended(app);

    assert_eq!(stand_in.machines_ended(), ["exit status: 0"]);
    assert_eq!(
        stand_in.signals(),
        [("app".to_owned(), app, "TERM".to_owned())]
    );
    assert!(holders(&stand_in.bundle().sessions_image()).is_empty());
    assert!(holders(&stand_in.bundle().system_image()).is_empty());
    assert!(
        stand_in
            .log()
            .contains("[info] [VM:shutdown] App quit, stopping VM")
    );
    let alive = |actor: &Actor| actor.handle().is_some();
    assert!(!stand_in.witness().actors().iter().any(alive));

    // It wrote to one session as it quit, and lost none.
    let after = stand_in.snapshot_tree().unwrap();
    assert!(after.gone_since(&before).is_empty());
    let changed = after.changed_since(&before);
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(changed.iter().all(|path| path.starts_with(FOLDERS[0])));
}

#[test]
fn a_command_line_program_of_the_same_name_is_no_part_of_it() {
    if cannot("a_command_line_program_of_the_same_name_is_no_part_of_it") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let cli = stand_in.start_cli().unwrap();
    assert_eq!(
        cli.executable.file_name(),
        stand_in.executable().file_name()
    );
    let app = stand_in.terminate().unwrap();
    stand_in.until_ended(app);
    assert!(cli.handle().is_some());
    drop(stand_in);
    assert!(cli.handle().is_none());
}

#[test]
fn started_again_it_boots_the_same_disks_and_writes_to_both() {
    if cannot("started_again_it_boots_the_same_disks_and_writes_to_both") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let first = stand_in.pid().unwrap();
    stand_in.quit_politely_for_cleanup().unwrap();
    let (disks, tree) = (
        stand_in.disks_identity().unwrap(),
        stand_in.snapshot_tree().unwrap(),
    );
    let second = stand_in.start().unwrap();
    assert_eq!(stand_in.until_back(first), second);
    stand_in.until_state("ready");
    let now = stand_in.disks_identity().unwrap();
    assert!(disks.keys().eq(now.keys()));
    for (name, disk) in &disks {
        assert!(now[name].same_file(disk), "{name}");
        // A guest that mounts a disk changes its head.
        let booted = ["rootfs.img", "sessiondata.img"].contains(&name.as_str());
        assert_eq!(now[name].head != disk.head, booted, "{name}");
        assert_eq!(now[name].tail, disk.tail, "{name}");
    }
    let after = stand_in.snapshot_tree().unwrap();
    assert!(
        !after.changed_since(&tree).is_empty(),
        "it writes as it starts"
    );
    assert!(after.gone_since(&tree).is_empty());
}

#[test]
fn a_vm_told_to_outlive_its_app_keeps_the_disks_open_until_it_is_told_to_end() {
    if cannot("a_vm_told_to_outlive_its_app_keeps_the_disks_open_until_it_is_told_to_end") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::VmOutlives)
        .running()
        .unwrap();
    let app = stand_in.terminate().unwrap();
    stand_in.until_ended(app);
    let vm = stand_in.vm().unwrap();
    assert_eq!(holders(&stand_in.bundle().sessions_image()), [vm.pid]);
    assert!(stand_in.ask("status").is_err(), "the app is gone");
    assert_eq!(stand_in.ask_vm("write").unwrap(), "written");
    assert_eq!(
        stand_in.ask_vm("home late-quiet-lake").unwrap(),
        "made late-quiet-lake"
    );
    assert_eq!(stand_in.ask_vm("stop").unwrap(), "stays");

    assert_eq!(stand_in.ask_vm("end").unwrap(), "stopped");
    stand_in.until_ended(vm.pid);
    assert!(holders(&stand_in.bundle().sessions_image()).is_empty());
    let home = sandtray_tests::programs::run(
        "debugfs",
        [
            "-R",
            "ls -p /late-quiet-lake",
            stand_in.bundle().sessions_image().to_str().unwrap(),
        ],
        "",
    );
    assert!(home.unwrap().contains("only-here.txt"));
}

#[test]
fn an_app_that_crashes_takes_its_children_and_its_vm_with_it() {
    if cannot("an_app_that_crashes_takes_its_children_and_its_vm_with_it") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let vm = stand_in.vm().unwrap();
    assert!(stand_in.ask("crash").is_err());
    stand_in.until_ended(vm.pid);
    stand_in.witness().until("all to end", |actors| {
        actors.iter().all(|actor| actor.ended).then_some(())
    });
    // Stale files of the crashed one do not stop the next.
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("ready");
}

#[test]
fn a_signal_to_the_vm_is_recorded() {
    if cannot("a_signal_to_the_vm_is_recorded") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let vm = stand_in.vm().unwrap();
    vm.handle().unwrap().terminate().unwrap();
    stand_in.until_state("failed VM gone");
    let told = ("qemu".to_owned(), vm.pid, "TERM".to_owned());
    assert_eq!(stand_in.signals(), [told]);
    assert_eq!(stand_in.machines_ended(), ["exit status: 1"]);
}

#[test]
fn it_asks_before_it_quits_and_stays_until_it_is_answered() {
    if cannot("it_asks_before_it_quits_and_stays_until_it_is_answered") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::AsksBeforeQuit)
        .running()
        .unwrap();
    let asking = |times: usize| {
        let app = stand_in.terminate().unwrap();
        stand_in.witness().until("the question", |actors| {
            let app = actors.iter().find(|actor| actor.pid == app)?;
            let asked = app.said.iter().filter(|said| *said == "asking").count();
            (asked == times).then_some(())
        });
        app
    };
    let _app = asking(1);
    assert_eq!(
        stand_in.ask("status").unwrap(),
        "state=ready vm=yes asking=yes"
    );
    assert_eq!(stand_in.ask("dialog stay").unwrap(), "stays");
    assert!(!holders(&stand_in.bundle().sessions_image()).is_empty());
    let app = asking(2);
    assert_eq!(stand_in.ask("dialog quit").unwrap(), "quitting");
    stand_in.until_ended(app);
}

#[test]
fn a_second_start_leaves_the_first_alone() {
    if cannot("a_second_start_leaves_the_first_alone") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    let app = stand_in.pid();
    assert!(stand_in.start().is_err());
    assert_eq!(stand_in.pid(), app);
    let main = fs::read_to_string(stand_in.user_data().join("logs/main.log")).unwrap();
    assert!(main.contains("Not main instance, returning early from app ready"));
}

#[test]
fn an_update_replaces_the_executable_under_the_running_app() {
    if cannot("an_update_replaces_the_executable_under_the_running_app") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).running().unwrap();
    stand_in.update().unwrap();
    let app = stand_in.pid().unwrap();
    let runs = fs::read_link(format!("/proc/{app}/exe")).unwrap();
    let text = runs.to_string_lossy().into_owned();
    assert_eq!(
        text,
        format!("{} (deleted)", stand_in.executable().display())
    );
    stand_in.quit_politely_for_cleanup().unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("ready");
}

#[test]
fn nothing_of_it_outlives_the_test() {
    if cannot("nothing_of_it_outlives_the_test") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::VmOutlives)
        .misbehaves(Misbehaviour::ComesBack)
        .running()
        .unwrap();
    // An orphan, and an app that somebody else has started.
    let first = stand_in.terminate().unwrap();
    let _second = stand_in.until_back(first);
    stand_in.until_state("ready");
    let actors = stand_in.witness().actors();
    assert!(actors.len() > 8, "{actors:#?}");
    drop(stand_in);
    let alive: Vec<_> = actors
        .iter()
        .filter(|actor| actor.handle().is_some())
        .collect();
    assert!(alive.is_empty(), "{alive:#?}");
}

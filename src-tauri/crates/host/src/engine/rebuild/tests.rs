use std::fs;

use sandtray_core::act::Scope;

use super::*;
use crate::act::plan::bundle_at;

fn described(folder: &Path) -> Machine {
    let file = folder.join("machine.toml");
    fs::write(&file, "home = 'home'\nos = 'linux'\ntemp_roots = []\n").unwrap();
    let machine = crate::machine::load(&file).unwrap();
    fs::create_dir_all(&machine.own_data).unwrap();
    machine
}

fn begin(machine: &Machine, act: &str, bundle: &Path) {
    let watch = Watch::begin(machine, &bundle_at(&[], bundle), Scope::SessionDisk);
    keep(machine, act, bundle, &watch).unwrap();
}

fn followed(follow: &Follow) -> Vec<&str> {
    let mut acts: Vec<&str> = follow.current.iter().map(|one| one.act.as_str()).collect();
    acts.sort_unstable();
    acts
}

#[test]
fn what_was_left_is_taken_up_by_whoever_acts_and_by_nobody_who_only_reads() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let data = &machine.folders.config;
    let path = data.join("Claude/vm_bundles/claudevm.bundle");
    let (mut reads, mut acts) = (Follow::default(), Follow::default());
    acts.take_up(&machine);
    begin(&machine, "20260101-0000-0001", &path);
    for follow in [&mut reads, &mut acts] {
        assert_eq!(follow.look(&machine), []);
    }
    assert_eq!(followed(&reads), [""; 0]);
    assert_eq!(followed(&acts), ["20260101-0000-0001"]);
}

#[test]
fn two_bundles_rebuilt_one_after_another_are_both_followed() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let data = &machine.folders.config;
    let path = |data_folder: &str| data.join(data_folder).join("vm_bundles/claudevm.bundle");
    let (one, two) = (path("Claude"), path("Claude-3p"));
    begin(&machine, "a", &one);
    let mut acts = Follow::default();
    acts.take_up(&machine);
    begin(&machine, "b", &two);
    assert_eq!(acts.look(&machine), []);
    assert_eq!(followed(&acts), ["a", "b"]);
    // And after a restart; a later act on one of them takes the place of the earlier one only.
    let mut acts = Follow::default();
    acts.take_up(&machine);
    begin(&machine, "c", &one);
    assert_eq!(acts.look(&machine), []);
    assert_eq!(followed(&acts), ["b", "c"]);
}

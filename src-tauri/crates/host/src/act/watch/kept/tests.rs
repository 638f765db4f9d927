use sandtray_core::act::Scope;

use super::*;
use crate::act::plan::bundle_at;

fn described(folder: &Path) -> Machine {
    let file = folder.join("machine.toml");
    fs::write(&file, "home = 'home'\nos = 'linux'\n").unwrap();
    let machine = crate::machine::load(&file).unwrap();
    fs::create_dir_all(&machine.own_data).unwrap();
    machine
}

fn watch(machine: &Machine, bundle: &Path) -> Watch {
    Watch::begin(machine, &bundle_at(&[], bundle), Scope::SessionDisk)
}

fn acts(machine: &Machine) -> Vec<(PathBuf, String)> {
    kept_acts(machine).into_iter().collect()
}

#[test]
fn each_bundle_has_its_own_and_forgetting_one_leaves_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    keep(&machine, "a", &one, &watch(&machine, &one)).unwrap();
    keep(&machine, "b", &two, &watch(&machine, &two)).unwrap();
    let both = [(one.clone(), "a".to_owned()), (two.clone(), "b".to_owned())];
    assert_eq!(acts(&machine), both);
    assert_eq!(kept(&machine, &one).unwrap().0, "a");
    // A later act on the same bundle takes the place of the earlier one.
    keep(&machine, "c", &one, &watch(&machine, &one)).unwrap();
    forget(&machine, &two);
    assert_eq!(acts(&machine), [(one, "c".to_owned())]);
    assert!(kept(&machine, &two).is_none());
}

#[test]
fn the_only_one_of_an_earlier_version_goes_on_until_its_bundle_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    keep(&machine, "a", &one, &watch(&machine, &one)).unwrap();
    let former = machine.own_data.join("rebuild.json");
    fs::rename(file(&machine, &one), &former).unwrap();
    assert_eq!(acts(&machine), [(one.clone(), "a".to_owned())]);
    // Another bundle's leaves it alone.
    keep(&machine, "b", &two, &watch(&machine, &two)).unwrap();
    forget(&machine, &two);
    assert_eq!(kept(&machine, &one).unwrap().0, "a");
    keep(&machine, "c", &one, &watch(&machine, &one)).unwrap();
    assert!(!former.exists());
    assert_eq!(acts(&machine), [(one.clone(), "c".to_owned())]);
    forget(&machine, &one);
    assert_eq!(acts(&machine), []);
}

#[test]
fn what_makes_no_sense_or_lies_under_another_name_is_left_alone_and_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let one = folder.path().join("one");
    keep(&machine, "a", &one, &watch(&machine, &one)).unwrap();
    let own = file(&machine, &one);
    let text = fs::read_to_string(&own).unwrap();
    let newer = text.replace("\"schema\":1", "\"schema\":99");
    assert_ne!(newer, text);
    fs::write(&own, &newer).unwrap();
    let odd = own.with_file_name("odd.json");
    fs::write(&odd, &text).unwrap();
    fs::write(machine.own_data.join("rebuild.json"), "half of it: {").unwrap();
    assert_eq!(acts(&machine), []);
    assert_eq!(fs::read_to_string(&own).unwrap(), newer);
    assert!(odd.exists() && machine.own_data.join("rebuild.json").exists());
}

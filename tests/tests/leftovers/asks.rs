//! What may be wanted again: moved aside, brought back, discarded.

use super::*;

const SESSION: &str = "0b5c1f8e-1111-4222-8333-123456789abc";

/// A dead session's scratchpad, four days old by the machine's clock.
fn pad(machine: &mut TestMachine) -> PathBuf {
    machine.now_offset = 4 * 24 * 3_600;
    machine.save().unwrap();
    let root = session_root(machine);
    let pad = root
        .join("-home-you-webshop")
        .join(SESSION)
        .join("scratchpad");
    file(pad.join("results/plan.md"), b"worth something, perhaps");
    pad
}

fn parked(machine: &TestMachine) -> Value {
    ctl::on(&machine.file(), &["parked", "list", "--json"])
        .well()
        .json()
}

#[test]
fn what_may_be_wanted_is_moved_aside_and_comes_back_as_it_was() {
    let mut machine = later();
    let pad = pad(&mut machine);
    let view = look(&machine);
    assert_eq!(counts(&view, "scratchpad"), [1, 1, 0, 0], "{view:#}");
    // Not without being named: the automatic tier leaves it alone.
    cleaned(&machine);
    assert!(there(&pad));
    let dry = clean(&machine, &["--dry-run", "--class", "scratchpad"])
        .well()
        .json();
    assert_eq!(dry["parts"][0]["parks"], true, "{dry:#}");
    assert!(
        dry["notes"].to_string().contains("frees nothing until"),
        "{dry:#}"
    );
    let ran = receipt(&clean(&machine, &["--yes", "--class", "scratchpad"]).well());
    let id = ran["parked"].as_str().unwrap();
    assert!(!there(&pad));
    let list = parked(&machine);
    let copy = &list["leftovers"][0];
    assert_eq!(
        (&copy["id"], &copy["count"]),
        (&id.into(), &1.into()),
        "{list:#}"
    );
    done(&ctl::on(
        &machine.file(),
        &["parked", "restore", id, "--yes"],
    ));
    assert_eq!(
        fs::read(pad.join("results/plan.md")).unwrap(),
        b"worth something, perhaps"
    );
    assert_eq!(parked(&machine)["leftovers"], serde_json::json!([]));
}

#[test]
fn what_was_moved_aside_is_discarded_for_good_only_when_asked() {
    let mut machine = later();
    let pad = pad(&mut machine);
    let ran = receipt(&clean(&machine, &["--yes", "--class", "scratchpad"]).well());
    let id = ran["parked"].as_str().unwrap();
    let refused = ctl::on(&machine.file(), &["parked", "discard", id]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert_eq!(parked(&machine)["leftovers"][0]["count"], 1);
    done(&ctl::on(
        &machine.file(),
        &["parked", "discard", id, "--yes"],
    ));
    assert_eq!(parked(&machine)["leftovers"], serde_json::json!([]));
    let gone = ctl::on(&machine.file(), &["parked", "restore", id, "--yes"]);
    assert_eq!(gone.code, Some(3), "{gone:?}");
    assert!(!there(&pad));
}

#[test]
fn what_somebody_opened_where_it_stands_aside_is_not_discarded() {
    let mut machine = later();
    let _pad = pad(&mut machine);
    let ran = receipt(&clean(&machine, &["--yes", "--class", "scratchpad"]).well());
    let id = ran["parked"].as_str().unwrap();
    let aside = PathBuf::from(parked(&machine)["leftovers"][0]["path"].as_str().unwrap());
    let open = File::open(aside.join("0/results/plan.md")).unwrap();
    let discard = ["parked", "discard", id, "--yes"];
    let ran = ctl::on(&machine.file(), &discard);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(there(&aside.join("0/results/plan.md")));
    drop(open);
    done(&ctl::on(&machine.file(), &discard));
    assert_eq!(parked(&machine)["leftovers"], serde_json::json!([]));
}

#[test]
fn a_new_thing_in_the_old_place_is_not_replaced() {
    let mut machine = later();
    let pad = pad(&mut machine);
    let ran = receipt(&clean(&machine, &["--yes", "--class", "scratchpad"]).well());
    let id = ran["parked"].as_str().unwrap();
    file(pad.join("new.md"), b"newer");
    let ran = ctl::on(&machine.file(), &["parked", "restore", id, "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(fs::read(pad.join("new.md")).unwrap(), b"newer");
    assert_eq!(parked(&machine)["leftovers"][0]["count"], 1);
}

#[test]
fn a_scratchpad_with_a_repository_in_it_is_somebodys_work() {
    let mut machine = later();
    let pad = pad(&mut machine);
    fs::create_dir_all(pad.join("feature/.git")).unwrap();
    done(&clean(
        &machine,
        &["--yes", "--class", "scratchpad", "--for-good"],
    ));
    assert!(there(&pad.join("feature/.git")));
    assert!(kept(&look(&machine), "scratchpad").contains("repository"));
}

#[test]
fn for_good_removes_at_once_and_says_what_came_free() {
    let mut machine = later();
    let pad = pad(&mut machine);
    file(pad.join("big"), &vec![7; 3_000_000]);
    let ran = receipt(&clean(&machine, &["--yes", "--class", "scratchpad", "--for-good"]).well());
    assert!(!there(&pad) && ran["parked"].is_null(), "{ran:#}");
    assert_eq!(parked(&machine)["leftovers"], serde_json::json!([]));
}

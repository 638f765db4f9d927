use std::path::Path;

use sandtray_core::act::steps::End;
use sandtray_core::act::{ActKind, Scope};
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;

use super::*;

fn planned(bench: &Bench, id: &str) -> Act {
    let act = Act {
        id: id.to_owned(),
        kind: ActKind::Reset,
        scope: Scope::SessionDisk,
        bundle: "b".to_owned(),
        bundle_path: PathText::from_bytes(b"/b"),
        copy: None,
        parked: None,
        moves: Vec::new(),
        running: false,
        launch: None,
        boot: None,
        planned_at: Time(1),
    };
    let mut preview = Preview::empty(act.kind, act.scope);
    preview.act = Some(act.clone());
    bench.remember(&preview);
    act
}

fn described(folder: &Path) -> Machine {
    let file = folder.join("machine.toml");
    std::fs::write(&file, "home = 'home'\n").unwrap();
    crate::machine::load(&file).unwrap()
}

#[test]
fn a_fault_of_our_own_ends_the_act_is_told_and_keeps_no_later_act_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let bench = Bench::default();
    let act = planned(&bench, "a");
    bench.begin("a").unwrap();
    assert_eq!(bench.begin("a").unwrap_err(), RefusalKind::Busy);
    let receipt = bench.carry_out(&machine, &act, || panic!("a number was {}", 7));
    assert_eq!((receipt.id.as_str(), receipt.end), ("a", End::Failed));
    assert!(receipt.outcome.contains("a number was 7"), "{receipt:?}");
    let acts = bench.acts();
    assert_eq!((acts.last, acts.running), (Some(receipt), Vec::new()));
    // Whoever stopped it in that moment stops nothing else.
    bench.cancel();
    planned(&bench, "b");
    let (_, cancel) = bench.begin("b").unwrap();
    assert!(!cancel.is_cancelled());
}

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn described(folder: &Path) -> Machine {
    let file = folder.join("machine.toml");
    std::fs::write(&file, "home = 'home'\n").unwrap();
    crate::machine::load(&file).unwrap()
}

#[test]
fn only_one_has_it_and_a_reader_sees_who_acts_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let hands = Hands::default();
    assert!(!is_held(&machine));
    assert!(!machine.own_data.exists(), "a reader makes nothing");
    let lock = Lock::take(&machine, &hands).unwrap();
    assert!(is_held(&machine));
    assert_eq!(Lock::take(&machine, &hands).unwrap_err(), RefusalKind::Busy);
    drop(lock);
    assert!(!is_held(&machine));
    assert!(Lock::take(&machine, &hands).is_ok());
}

#[test]
fn readers_that_never_cease_to_ask_keep_nobody_from_acting() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let hands = Hands::default();
    drop(Lock::take(&machine, &hands).unwrap());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    is_held(&machine);
                    std::thread::yield_now();
                }
            });
        }
        for round in 0..300 {
            let taken = Lock::take(&machine, &hands);
            if taken.is_err() {
                over.store(true, Ordering::Relaxed);
            }
            drop(taken.unwrap_or_else(|refused| panic!("{round}: {refused:?}")));
        }
        over.store(true, Ordering::Relaxed);
    });
}

use super::*;
use Found::{After, AfterAndTaken, Before, Nowhere, Unknown};

#[test]
fn each_way_an_act_can_be_left_has_one_answer() {
    for (found, decision) in [
        (vec![Before, Before], Decision::NothingMoved),
        (vec![After, After], Decision::AllMoved),
        (vec![After, Before], Decision::PutBack(vec![0])),
        (vec![After, After, Before], Decision::PutBack(vec![1, 0])),
        // After a power loss a later rename may stand where an earlier one does not.
        (vec![Before, After], Decision::PutBack(vec![1])),
        (vec![AfterAndTaken, Before], Decision::Taken(vec![0])),
        // All moved and a new disk begun: what a reset is for.
        (vec![AfterAndTaken, After], Decision::AllMoved),
        (vec![Nowhere, After], Decision::Lost(vec![0])),
        (vec![Before, Unknown], Decision::Lost(vec![1])),
        (vec![], Decision::NothingMoved),
    ] {
        assert_eq!(decide(&found, &[]), decision, "{found:?}");
    }
}

#[test]
fn a_restore_left_in_the_middle_finds_its_own_file_in_the_way_and_moves_it_first() {
    // New disk aside (done), old disk into its place (done), its origin (not yet).
    let found = [AfterAndTaken, After, Before];
    assert_eq!(
        decide(&found, &[true, false, false]),
        Decision::PutBack(vec![1, 0])
    );
    assert_eq!(
        decide(&found, &[false, false, false]),
        Decision::Taken(vec![0])
    );
}

#[test]
fn nothing_is_ever_put_back_onto_a_stranger_or_while_something_is_missing() {
    let all = [Before, After, AfterAndTaken, Nowhere, Unknown];
    for a in all {
        for b in all {
            for c in all {
                let found = [a, b, c];
                if let Decision::PutBack(order) = decide(&found, &[]) {
                    assert!(!found.contains(&AfterAndTaken) && !found.contains(&Nowhere));
                    assert!(!found.contains(&Unknown) && found.contains(&Before));
                    assert!(order.iter().all(|at| found[*at] == After));
                    assert!(order.is_sorted_by(|a, b| a > b));
                }
            }
        }
    }
}

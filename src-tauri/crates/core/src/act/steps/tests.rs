use std::collections::BTreeSet;

use super::*;

const OUTCOMES: [Outcome; 7] = [
    Outcome::Well,
    Outcome::Failed,
    Outcome::DoneThenFailed,
    Outcome::Held { orphan: false },
    Outcome::Held { orphan: true },
    Outcome::Stopped,
    Outcome::Taken,
];

/// Every way through the machine, as states.
fn ways(shape: Shape) -> Vec<Vec<State>> {
    let mut open = vec![vec![State::first(shape)]];
    let mut whole = Vec::new();
    while let Some(way) = open.pop() {
        assert!(way.len() < 40, "it goes round: {way:?}");
        let last = *way.last().unwrap();
        if matches!(last, State::Ended(_)) {
            whole.push(way);
            continue;
        }
        let nexts: BTreeSet<String> = BTreeSet::new();
        let mut seen = nexts;
        for outcome in OUTCOMES {
            let next = next(last, outcome, shape);
            if seen.insert(format!("{next:?}")) {
                let mut longer = way.clone();
                longer.push(next);
                open.push(longer);
            }
        }
    }
    whole
}

fn shapes() -> impl Iterator<Item = Shape> {
    (1..=3).flat_map(|moves| [true, false].map(|running| Shape { moves, running }))
}

#[test]
fn when_all_goes_well_every_step_happens_once_and_in_order() {
    let shape = Shape {
        moves: 2,
        running: true,
    };
    let mut state = State::first(shape);
    let mut steps = Vec::new();
    while let Some(step) = state.step() {
        steps.push(step);
        state = next(state, Outcome::Well, shape);
    }
    use Step::*;
    assert_eq!(
        steps,
        [
            Quit, Prove, Record, Move, Move, ProveAgain, Latch, Compare, Relaunch, Watch, Verify
        ]
    );
    assert_eq!(state, State::Ended(End::Done));
}

#[test]
fn nothing_moves_before_two_proofs_stand_around_it() {
    for shape in shapes() {
        for way in ways(shape) {
            for (at, state) in way.iter().enumerate() {
                if matches!(state, State::Moving(_)) {
                    assert!(way[..at].contains(&State::Proving), "{way:?}");
                }
                if matches!(state, State::Relaunching | State::Watching) {
                    let proofs = [State::ProvingAgain, State::Keeping];
                    assert!(
                        proofs.iter().any(|proof| way[..at].contains(proof)),
                        "{way:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn whatever_goes_wrong_every_move_is_either_kept_or_undone_or_told_as_neither() {
    for shape in shapes() {
        for way in ways(shape) {
            let moved = way
                .windows(2)
                .filter(|pair| match pair {
                    [State::Moving(at), State::Moving(next)] => next == &(at + 1),
                    [State::Moving(_), State::ProvingAgain] => true,
                    [State::Moving(at), State::PuttingBack(left, _)] => left == &(at + 1),
                    _ => false,
                })
                .count();
            let put_back = way
                .windows(2)
                .filter(|pair| {
                    matches!(pair[0], State::PuttingBack(..))
                        && !matches!(pair[1], State::Ended(End::Interrupted) | State::Keeping)
                })
                .count();
            match way.last().unwrap() {
                State::Ended(End::Done) => assert_eq!((moved, put_back), (shape.moves, 0)),
                State::Ended(End::Refused) => assert_eq!((moved, put_back), (0, 0)),
                State::Ended(End::Failed | End::RolledBack) => assert_eq!(moved, put_back),
                State::Ended(End::Interrupted) => assert!(moved > put_back),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn an_app_that_ran_is_started_again_unless_it_runs_or_its_vm_does() {
    for shape in shapes() {
        for way in ways(shape) {
            let starts = way
                .iter()
                .filter(|state| matches!(state, State::Relaunching | State::StartingAgain(_)))
                .count();
            assert!(starts <= usize::from(shape.running), "{way:?}");
            if matches!(way.last(), Some(State::Ended(End::Done))) {
                assert_eq!(starts, usize::from(shape.running), "{way:?}");
            }
        }
    }
    let shape = Shape {
        moves: 1,
        running: true,
    };
    let orphan = Outcome::Held { orphan: true };
    assert_eq!(
        next(State::Proving, orphan, shape),
        State::Ended(End::Refused)
    );
    assert_eq!(
        next(State::Proving, Outcome::Held { orphan: false }, shape),
        State::StartingAgain(End::Refused)
    );
    // A quit that was refused leaves the app running: it is not started a second time.
    assert_eq!(
        next(State::Quitting, Outcome::Stopped, shape),
        State::Ended(End::Refused)
    );
}

#[test]
fn only_what_has_not_moved_can_be_cancelled() {
    for shape in shapes() {
        for state in ways(shape).into_iter().flatten() {
            assert!(!(state.can_cancel() && state.has_moved()), "{state:?}");
        }
    }
}

#[test]
fn what_has_all_moved_and_cannot_go_back_stays_aside_once_nobody_holds_it() {
    let shape = Shape {
        moves: 2,
        running: true,
    };
    let back = State::PuttingBack(2, false);
    assert_eq!(next(back, Outcome::Taken, shape), State::Keeping);
    assert_eq!(
        next(State::Keeping, Outcome::Well, shape),
        State::Relaunching
    );
    let held = Outcome::Held { orphan: true };
    let open = State::Ended(End::Interrupted);
    assert_eq!(next(State::Keeping, held, shape), open);
    // Half of it is neither here nor there.
    let half = State::PuttingBack(1, false);
    assert_eq!(next(half, Outcome::Taken, shape), open);
}

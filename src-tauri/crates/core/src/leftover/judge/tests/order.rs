//! Evidence is a set: its order says nothing, and more use never makes anything dead.

use proptest::prelude::*;

use super::*;

/// One more piece of evidence of use, by number: some concern the candidate, some do not.
fn more(evidence: &mut Evidence, piece: u16) {
    let which = piece / 16;
    let detail = piece % 16;
    let started = if detail & 1 == 0 { BOOT } else { BORN.plus(60) };
    let pid = u32::from(piece);
    match which % 9 {
        0 => {
            let id = FileId {
                device: 42,
                inode: u64::from(detail),
            };
            let how = [How::Read, How::Write, How::Folder, How::Mapped][usize::from(detail % 4)];
            let name = "node".to_owned();
            evidence.held.entry(id).or_insert(Hold { pid, name, how });
        }
        1 => evidence.unseen.push(Unseen {
            pid,
            name: ["claude", "bwrap", "2.1.300", "sh"][usize::from(detail % 4)].to_owned(),
            started,
            kin: detail & 4 == 0,
        }),
        2 => {
            let path = ["/thing-4711.sock", "/thing-4711.sock/x", "/thing", "/a"];
            evidence
                .mount_sources
                .extend(inside(path[usize::from(detail % 4)]));
        }
        3 => {
            let path = ["/thing-4711.sock", "/thing-4711.sock/x", "/thing", "/a"];
            evidence
                .mount_points
                .extend(inside(path[usize::from(detail % 4)]));
        }
        4 => {
            let name = ["thing-4711.sock", "s0123abcd.sock", "other.sock", "x"];
            let name = name[usize::from(detail % 4)].as_bytes().to_vec();
            evidence.listening.insert(name);
        }
        5 => {
            let cwd = ["/home/you/webshop", "/home/you/webshop/sub", "/tmp/x", "/a"];
            let cwd = Some(cwd[usize::from(detail % 4)]);
            let id = if detail & 4 == 0 { DEAD } else { ALIVE };
            let alive = (detail & 8 == 0).then_some(true);
            evidence.sessions.push(session(pid, id, cwd, alive));
        }
        6 => {
            let inner = if detail & 2 == 0 { vec![4711] } else { vec![3] };
            let pid = if detail & 4 == 0 { pid } else { 4713 };
            let name = "sh".to_owned();
            evidence.processes.entry(pid).or_insert(Process {
                started,
                inner,
                name,
            });
        }
        7 => {
            let version = (detail & 2 == 0).then_some((2, 1, 280 + u32::from(detail & 4)));
            let temp = (detail & 8 == 0).then(|| PathBuf::from("/tmp"));
            let agent = agent(pid, started, version);
            evidence.agents.push(Agent { temp, ..agent });
        }
        _ => {
            let job = ["/home/you/.claude/jobs/j1", "/home/you/.claude/jobs/j3"];
            evidence.jobs.insert(job[usize::from(detail & 1)].into());
            let named = ["/tmp/thing-4711.sock/ca.crt", "/tmp/x"];
            evidence.named.insert(named[usize::from(detail & 1)].into());
        }
    }
}

fn with(pieces: &[u16]) -> Evidence {
    let mut evidence = bystanders();
    pieces.iter().for_each(|piece| more(&mut evidence, *piece));
    evidence
}

fn any_class() -> impl Strategy<Value = &'static Class> {
    (0..CLASSES.len()).prop_map(|at| &CLASSES[at])
}

proptest! {
    #[test]
    fn more_evidence_of_use_never_makes_anything_dead(
        class in any_class(),
        less in proptest::collection::vec(0_u16..144, 0..6),
        rest in proptest::collection::vec(0_u16..144, 0..6),
    ) {
        let candidate = candidate(class);
        let before = judge(&candidate, &with(&less), NOW);
        let mut all = less.clone();
        all.extend(&rest);
        let after = judge(&candidate, &with(&all), NOW);
        if before != Judged::Dead {
            prop_assert!(after != Judged::Dead, "{}: {before:?} by {less:?}", class.name);
        }
        if matches!(before, Judged::Live(_)) {
            prop_assert!(matches!(after, Judged::Live(_)), "{}: {after:?}", class.name);
        }
    }

    #[test]
    fn the_order_of_evidence_does_not_matter_to_the_judgement_or_its_words(
        class in any_class(),
        pieces in proptest::collection::vec(0_u16..144, 0..8),
        turn in 0_usize..8,
    ) {
        let candidate = candidate(class);
        let mut evidence = with(&pieces);
        let before = judge(&candidate, &evidence, NOW);
        evidence.unseen.reverse();
        evidence.sessions.rotate_left(turn % 3);
        evidence.agents.reverse();
        prop_assert_eq!(judge(&candidate, &evidence, NOW), before);
    }
}

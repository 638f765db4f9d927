//! Counting, and what is kept of it.

use std::path::{Path, PathBuf};

use super::*;
use crate::leftover::candidate::{Content, Named, Origin};
use crate::leftover::evidence::FileId;
use crate::leftover::table;

const NOW: Time = Time(1_800_000_000);

fn candidate(class: &str, root: &str, born: Time) -> Candidate {
    Candidate {
        class: table::class(class).unwrap(),
        root: Arc::from(root),
        base: Arc::from(Path::new("/tmp")),
        path: PathBuf::from("x"),
        id: FileId::default(),
        kind_fits: true,
        own: true,
        born,
        touched: born,
        inside: None,
        named: Named::default(),
        origin: Origin::default(),
        newer_siblings: 0,
        content: Content::default(),
        apparent: Apparent(100),
        allocated: Allocated(4096),
        shared: Allocated(96),
        inodes: 2,
    }
}

#[test]
fn groups_add_up_and_the_largest_gain_stands_first() {
    let mut tally = Tally::default();
    assert!(tally.is_empty());
    let old = NOW.plus(-5 * HOUR);
    tally.add(
        &candidate("mux_socket", "r1", NOW.plus(-60)),
        &Judged::Dead,
        NOW,
    );
    tally.add(&candidate("mux_socket", "r1", old), &Judged::Dead, NOW);
    tally.add(
        &candidate("mux_socket", "r1", NOW.plus(60)),
        &Judged::Live("a".into()),
        NOW,
    );
    tally.add(
        &candidate("mux_socket", "r1", old),
        &Judged::Unknown("b".into()),
        NOW,
    );
    tally.add(&candidate("mux_socket", "r2", old), &Judged::Dead, NOW);
    tally.add(
        &candidate("transcript", "r1", old),
        &Judged::Unknown("b".into()),
        NOW,
    );
    let views = tally.finish(&|root| root == "r2");
    let ids: Vec<_> = views.iter().map(|view| view.id.as_str()).collect();
    assert_eq!(ids, ["mux_socket:r1", "mux_socket:r2", "transcript:r1"]);
    let first = views.first().unwrap();
    assert_eq!(
        (first.count, first.dead, first.live, first.unknown),
        (4, 2, 1, 1)
    );
    assert_eq!(first.allocated, Allocated(4 * 4096));
    assert_eq!(
        first.dead_allocated,
        Allocated(2 * 4000),
        "shared blocks stay"
    );
    assert_eq!((first.inodes, first.dead_inodes), (8, 4));
    assert_eq!(first.oldest, Some(old));
    assert!(
        (first.rate_per_hour - 1.0).abs() < f64::EPSILON,
        "born in the last hour"
    );
    assert_eq!(first.kept.len(), 2);
    assert!(!first.memory && views.iter().any(|view| view.memory));
    assert!(!first.remedy.is_empty());
    assert!(
        views
            .iter()
            .all(|view| view.removable == (view.class != "transcript"))
    );
}

#[test]
fn of_endless_reasons_and_origins_a_few_stay_and_the_rest_is_counted() {
    let mut tally = Tally::default();
    let mut thing = candidate("scratchpad", "r", NOW);
    for at in 0..10_000_u32 {
        thing.origin.project = Some(format!("-p{at}"));
        let reason = if at % 2 == 0 {
            "often".into()
        } else {
            format!("{at}")
        };
        tally.add(&thing, &Judged::Live(reason), NOW);
    }
    let view = tally.finish(&|_| false).remove(0);
    assert_eq!(
        view.kept
            .first()
            .map(|kept| (kept.reason.as_str(), kept.count)),
        Some(("often", 5000))
    );
    for shown in [&view.kept, &view.from] {
        assert_eq!(shown.len(), SHOWN + 1);
        let sum: u64 = shown.iter().map(|reason| reason.count).sum();
        assert_eq!(sum, 10_000);
    }
}

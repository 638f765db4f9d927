use super::*;
use crate::leftover::view::{ClassView, ReasonCount};
use crate::paths::PathText;

fn group(tier: Tier, dead: u64, size: u64) -> ClassView {
    ClassView {
        id: String::new(),
        class: String::new(),
        tier,
        root: PathText::default(),
        memory: false,
        title: String::new(),
        about: String::new(),
        proof: String::new(),
        cost: String::new(),
        removable: true,
        count: dead.saturating_add(3),
        dead,
        live: 3,
        unknown: 0,
        apparent: crate::bytes::Apparent(0),
        allocated: Allocated(size),
        inodes: dead,
        dead_allocated: Allocated(size),
        dead_inodes: dead,
        oldest: None,
        rate_per_hour: 0.0,
        kept: Vec::new(),
        from: Vec::new(),
        remedy: String::new(),
    }
}

#[test]
fn the_headline_counts_the_dead_and_tells_choice_from_proof() {
    let view = |classes| LeftoversView {
        classes,
        complete: true,
        ..LeftoversView::default()
    };
    let (auto, ask, report) = (Tier::Automatic, Tier::Ask, Tier::Report);
    for (classes, expected) in [
        (vec![], "No leftovers found"),
        (vec![group(auto, 0, 0)], "No leftover is proven dead"),
        (
            vec![group(report, 185_541, 1)],
            "No leftover is proven dead",
        ),
        (
            vec![
                group(auto, 4_000, 8_000_000_000),
                group(auto, 300, 800_000_000),
            ],
            "4,300 leftovers can go, 8.80 GB",
        ),
        (vec![group(auto, 1, 0)], "1 leftover can go"),
        (
            vec![group(ask, 95, 4_600_000_000)],
            "95 leftovers to choose from, 4.60 GB",
        ),
        (
            vec![group(auto, 2, 4096), group(ask, 1, 5_000_000)],
            "2 leftovers can go, 4.10 kB; 1 more to choose from, 5.00 MB",
        ),
    ] {
        assert_eq!(headline(&view(classes)), expected);
    }
    let blind = LeftoversView::default();
    assert_eq!(
        headline(&blind),
        "No leftovers found where they could be looked for"
    );
}

fn part(count: u64, parks: bool) -> CleanPart {
    CleanPart {
        class: String::new(),
        title: String::new(),
        root: PathText::default(),
        tier: Tier::Automatic,
        count,
        kept: Vec::new(),
        allocated: Allocated(0),
        shared: Allocated(0),
        inodes: count,
        parks,
        cost: String::new(),
    }
}

#[test]
fn a_receipt_tells_what_was_done_and_only_what_was_measured() {
    let skipped = vec![ReasonCount {
        reason: "in use".into(),
        count: 2,
    }];
    let mut receipt = CleanReceipt {
        parts: vec![part(4_298, false)],
        skipped,
        freed_measured: Some(8_800_000_000),
        inodes_freed: Some(4_298),
        ..CleanReceipt::default()
    };
    assert_eq!(
        outcome(&receipt),
        "4,298 leftovers removed, 2 kept. 8.80 GB became free, with room for 4,298 more files."
    );
    receipt.freed_measured = Some(-5);
    receipt.inodes_freed = None;
    receipt.cancelled = true;
    assert_eq!(
        outcome(&receipt),
        "4,298 leftovers removed, 2 kept. The volume has not gained: others wrote meanwhile. \
         It was stopped before its end."
    );
    receipt.parts = vec![part(1, true)];
    receipt.skipped.clear();
    receipt.cancelled = false;
    receipt.more_failed = 3;
    assert_eq!(outcome(&receipt), "1 leftover moved aside, 3 failed.");
    receipt = CleanReceipt::default();
    assert_eq!(outcome(&receipt), "Nothing was removed.");
}

#[test]
fn a_preview_promises_at_most() {
    let planned = CleanPreview {
        parts: vec![part(4_300, false), part(95, true)],
        frees: Allocated(8_800_000_000),
        parks: Allocated(4_600_000_000),
        ..CleanPreview::default()
    };
    assert_eq!(
        preview(&planned),
        "Removes 4,300 leftovers, at most 8.80 GB; moves aside 95 leftovers, 4.60 GB."
    );
    assert_eq!(preview(&CleanPreview::default()), "Nothing goes.");
}

#[test]
fn a_gain_far_below_the_expected_is_explained_and_an_unknown_one_is_not() {
    let expected = Allocated(10_000_000);
    assert_eq!(shortfall(expected, None), None);
    assert_eq!(shortfall(expected, Some(9_000_000)), None);
    let told = shortfall(expected, Some(1_000_000)).unwrap();
    assert!(told.starts_with("10.0 MB was expected and 1.00 MB became free"));
    assert!(shortfall(expected, Some(-1)).is_some());
    assert_eq!(shortfall(Allocated::ZERO, Some(0)), None);
}

#[test]
fn the_tray_item_says_how_many_and_how_much() {
    assert_eq!(
        menu_item(Some(&LeftoverSummary {
            count: 0,
            allocated: Allocated(1),
            ..LeftoverSummary::default()
        })),
        "Clean leftovers\u{2026}"
    );
    assert_eq!(
        menu_item(Some(&LeftoverSummary {
            count: 4_300,
            allocated: Allocated(8_800_000_000),
            ..LeftoverSummary::default()
        })),
        "Clean leftovers (4,300, 8.80 GB)\u{2026}"
    );
    assert_eq!(
        menu_item(Some(&LeftoverSummary {
            count: 4_300,
            allocated: Allocated(0),
            ..LeftoverSummary::default()
        })),
        "Clean leftovers (4,300)\u{2026}"
    );
}

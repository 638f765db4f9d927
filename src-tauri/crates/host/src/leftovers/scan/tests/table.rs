//! With the real table: its places are ground that a scan can lay, and its pairs settle.

use sandtray_core::leftover::table::CLASSES;

use super::*;

fn scan_table(world: &World, want: &dyn Fn(&Class) -> bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    let cancel = Cancel::default();
    let scene = world.scene();
    let looked = super::super::scan(&scene, want, &cancel, &mut |_| {}, &mut |it| found.push(it));
    assert_eq!((looked.gaps, looked.complete), (Vec::new(), true));
    found.sort_by(|a, b| (a.class.name, &a.path).cmp(&(b.class.name, &b.path)));
    found
}

#[test]
fn pairs_of_classes_settle_by_content_and_count_their_own_siblings() {
    let world = World::new();
    let job = "home/.claude/jobs/7f3a/tmp";
    for name in ["tmp.aaaaaaaaaa", "tmp.bbbbbbbbbb"] {
        world.file(&format!("{job}/{name}/opt/lib/__pycache__/a.pyc"), "pyc");
    }
    world.file(&format!("{job}/tmp.cccccccccc/work.txt"), "work");
    let pad = |number: u32| format!("{number:08x}-d9cb-469f-a165-70867728950e");
    for number in 0..2 {
        world.file(
            &format!("tmp/claude-501/{PROJECT}/{}/scratchpad/x", pad(number)),
            "",
        );
    }
    world.file(
        &format!("home/.claude/projects/{PROJECT}/{}.jsonl", pad(1)),
        "",
    );
    let found = scan_table(&world, &|_| true);
    let newer = |class: &str| -> Vec<u32> {
        of(&found, class)
            .iter()
            .map(|it| it.newer_siblings)
            .collect()
    };
    // The newest folder is no bytecode, and stands in for none.
    let mut bytecode = newer("bytecode_overlay");
    bytecode.sort_unstable();
    assert_eq!((bytecode, newer("overlay").len()), (vec![0, 1], 1));
    let overlay = one(&found, "overlay");
    assert_eq!(
        overlay.content.repository,
        Some(false),
        "its own gates are answered"
    );
    assert_eq!(one(&found, "scratchpad").content.transcript, Some(false));
    assert_eq!(
        one(&found, "resumable_scratchpad").content.transcript,
        Some(true)
    );
    // Whoever wants one of a pair gets that one.
    let only = scan_table(&world, &|class| class.name == "overlay");
    assert_eq!(paths(&only), [("overlay", overlay.path.as_path())]);
    let only = scan_table(&world, &|class| class.name == "scratchpad");
    assert_eq!(only.len(), 1);
}

#[test]
fn every_class_has_ground_on_a_system_on_which_it_is_made() {
    // A place that no base stands for would silently never be looked in.
    for class in CLASSES {
        assert!(
            !class.places.is_empty() && !class.shapes.is_empty(),
            "{}",
            class.name
        );
        for place in class.places {
            let known = match place {
                Place::Temp
                | Place::TempBelow(_)
                | Place::Session(_)
                | Place::Job
                | Place::Config(_)
                | Place::Home(_)
                | Place::Cache(_)
                | Place::Runtime(_)
                | Place::Bundle(_)
                | Place::Desktop(_)
                | Place::Project(_)
                | Place::Shared(_) => super::super::ground::is_known(*place),
            };
            assert!(known, "{}: {place:?}", class.name);
        }
    }
}

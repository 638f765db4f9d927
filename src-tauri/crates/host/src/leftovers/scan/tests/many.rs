//! Many of them. The everyday run makes fewer; `SANDTRAY_TEST_MANY=1` makes as many as were reported.

use super::*;

fn amount(everyday: u32, reported: u32) -> u32 {
    if std::env::var_os("SANDTRAY_TEST_MANY").is_some() {
        reported
    } else {
        everyday
    }
}

/// D3 (#85576): 185,541 sibling directories. Each is handed out and none is kept; the names alone say how
/// many there are.
#[test]
fn d3_siblings_by_the_hundred_thousand_stream() {
    let world = World::new();
    let count = amount(5_000, 185_541);
    let tmp = world.at("tmp");
    for number in 0..count {
        let folder = tmp.join(format!("tmpab{number:06}"));
        fs::create_dir(&folder).unwrap();
        if number % 1000 == 0 {
            fs::write(folder.join("fixture.json"), "{}").unwrap();
        }
    }
    for number in 0..count / 20 {
        fs::create_dir(tmp.join(format!("tmpab{number:06}-mine"))).unwrap();
    }
    let scene = world.scene();
    let cancel = Cancel::default();
    let begun = std::time::Instant::now();
    let (names, _) = names_for(ROWS, &scene, &|_| true, &cancel);
    let named = begun.elapsed();
    assert_eq!((names.len(), names[0].count), (1, u64::from(count)));
    let (mut found, mut inodes, mut told) = (0_u32, 0, 0);
    let begun = std::time::Instant::now();
    let looked = scan_for(
        ROWS,
        &scene,
        &|_| true,
        &cancel,
        &mut |entries| told = entries,
        &mut |it| {
            assert_eq!(it.class.name, "python");
            found += 1;
            inodes += it.inodes;
        },
    );
    println!(
        "{count} directories: names in {named:?}, looked into in {:?}",
        begun.elapsed()
    );
    assert!(looked.complete);
    assert_eq!(found, count);
    assert_eq!(inodes, u64::from(count + count.div_ceil(1000)));
    assert!(told >= u64::from(count / 1000 * 1000), "{told}");
}

/// Asked to stop in the middle of one huge tree.
#[test]
fn a_scan_stops_within_a_tree() {
    let world = World::new();
    let pad = format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad");
    for number in 0..3000 {
        world.file(&format!("{pad}/{number}"), "");
    }
    let cancel = Cancel::default();
    let mut found = 0;
    let looked = scan_for(
        ROWS,
        &world.scene(),
        &|_| true,
        &cancel,
        &mut |_| cancel.cancel(),
        &mut |_| found += 1,
    );
    assert!(!looked.complete);
    assert_eq!(found, 0, "half a tree is no candidate");
}

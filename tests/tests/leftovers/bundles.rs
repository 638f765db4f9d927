//! Dead weight of bundles: moved aside with the app closed, and never the disks in use.

use super::*;
use sandtray_tests::machine::Bundle;

#[test]
fn dead_weight_is_moved_aside_and_the_disks_in_use_are_not_touched() {
    let mut machine = later();
    machine.now_offset = 40 * 24 * 3_600;
    machine.save().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    bundle.companions().unwrap();
    let path = |name: &str| bundle.folder.join(name);
    let stays = [
        sparse(path("rootfs.img"), 9_000_000),
        sparse(path("sessiondata.img"), 9_000_000),
        path("vmlinuz"),
        path("initrd"),
        path(".rootfs.img.origin"),
        path("macAddress"),
        // A spare that nothing says is one: no origin names it.
        path("vmlinuz.zst"),
        // Somebody has it open.
        sparse(path("held.partial"), 1_000),
    ];
    let goes = [
        path("rootfs.img.zst"),
        sparse(path("rootfs.img.zst.partial"), 1_000),
        sparse(path("rootfs.vhdx"), 1_000),
        file(path(".wvm-tmp-aB3xY9/rootfs.img"), b"half"),
    ];
    let _open = File::open(path("held.partial")).unwrap();
    cleaned(&machine);
    assert!(goes.iter().all(|path| there(path)), "not without a choice");
    let ran = clean(&machine, &["--yes", "--tier", "ask"]);
    done(&ran);
    for path in &stays {
        assert!(there(path), "{} {ran:?}", path.display());
    }
    for path in &goes {
        assert!(!there(path), "{} {:#}", path.display(), look(&machine));
    }
    let ran = receipt(&ran);
    let id = ran["parked"].as_str().unwrap();
    done(&ctl::on(
        &machine.file(),
        &["parked", "restore", id, "--yes"],
    ));
    assert!(goes.iter().all(|path| there(path)), "all of it came back");
}

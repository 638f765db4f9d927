//! What goes wrong, and what only sounds so.

use super::*;

#[test]
fn two_deletions_are_a_loop_and_one_is_not() {
    // A20, told by the log.
    let gate = [
        "[cleanupVMBundleIfUnsupported] yukonSilver not supported",
        "[deleteVMBundle] Deleting reinstall files",
        "[deleteVMBundle] Reinstall files deleted (sessiondata.img and others preserved)",
    ];
    let mut bench = Bench::new(Scope::SystemDisk, without(whole(OLD), &["rootfs.img"]));
    assert_eq!(bench.look(1, &gate), Rebuild::Waiting);
    assert_eq!(bench.look(600, &[]), Rebuild::Waiting);
    assert_eq!(bench.look(1, &gate), looping(Fault::Gate));
    assert_eq!(bench.look(600, &[]), looping(Fault::Gate), "it stays so");

    // And by the files alone.
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.put(file("rootfs.img", 11, 100));
    assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
    bench.take("rootfs.img");
    assert_eq!(bench.look(1, &[]), Rebuild::Waiting);
    bench.put(file("rootfs.img", 15, 100));
    assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
    bench.take("rootfs.img");
    assert_eq!(bench.look(1, &[]), looping(Fault::Deletes));
}

#[test]
fn another_release_is_deleted_and_rebuilt_and_that_is_no_loop() {
    let mut bench = Bench::new(
        Scope::SessionDisk,
        without(whole(OLD), &["sessiondata.img"]),
    );
    let line = format!("[Bundle:status] rootfs.img version mismatch: have={OLD}, want={NEW}");
    bench.take("rootfs.img");
    assert_eq!(bench.look(1, &[&line]), Rebuild::Waiting);
    assert_eq!(bench.look(1, &["[download:1] 10.0% (1/10 MB)"]), at(10));
    bench.files = whole(NEW);
    let said = ["All files ready", "[VM:start] Startup complete"];
    assert!(!bench.look(9, &said).is_over(), "they have only just come");
    assert_eq!(bench.look(1, &[]), Rebuild::Ready);
}

#[test]
fn a_refusal_to_repair_is_a_failure_at_once() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    let line = "[VM:start] Skipping auto-reinstall (already attempted once)";
    assert_eq!(bench.look(1, &[line]), failed(Fault::Latched));
}

#[test]
fn a_download_said_to_have_failed_after_all_came_in_has_not() {
    // #65817
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.files = whole(NEW);
    bench.take("sessiondata.img");
    bench.look(1, &["All files ready", "Download failed"]);
    for _ in 0..5 {
        assert_eq!(bench.look(60, &[]), Rebuild::Waiting);
    }
    // The other way round it stands only until it goes on.
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    assert_eq!(bench.look(1, &["Download failed"]), Rebuild::Waiting);
    assert_eq!(bench.look(2, &["[download:1] 3.0% (3/100 MB)"]), at(3));
    assert_eq!(bench.look(1, &["Download failed"]), at(3));
    assert_eq!(bench.look(5, &[]), failed(Fault::Download));
}

#[test]
fn a_fault_is_the_end_once_it_stands_or_the_app_gives_up() {
    for (line, fault) in [
        ("Checksum mismatch for rootfs.img.zst", Fault::Checksum),
        (
            "EXDEV: cross-device link not permitted, rename",
            Fault::CrossDevice,
        ),
        ("ENOSPC: no space left on device, write", Fault::NoSpace),
        ("VM connection timeout after 60 seconds", Fault::NoAnswer),
        ("failed to create session disk: x", Fault::SessionDisk),
        ("session disk not found: x", Fault::DiskMissing),
    ] {
        let mut bench = Bench::new(Scope::Bundle, vec![]);
        // It grew, then it failed, both between two looks.
        bench.put(file("rootfs.img.zst.partial", 60, 700));
        assert!(!bench.look(1, &[line]).is_over(), "{line}");
        assert_eq!(bench.look(5, &[]), failed(fault), "{line}");
        bench.put(file("rootfs.img.zst.partial", 60, 900));
        assert!(!bench.look(1, &[]).is_over(), "it goes on: {line}");
        let gives_up = format!("[VM:start] Startup failed: Error: {line}");
        assert_eq!(bench.look(1, &[line, &gives_up]), failed(fault), "{line}");
    }
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    assert_eq!(
        bench.look(1, &["[VM:start] Startup failed: Error: new"]),
        failed(Fault::Unknown)
    );
}

#[test]
fn the_same_fault_again_and_again_is_a_loop() {
    for (line, fault) in [
        ("Checksum mismatch for rootfs.img.zst", Fault::Checksum),
        (
            "EXDEV: cross-device link not permitted, rename",
            Fault::CrossDevice,
        ),
    ] {
        let mut bench = Bench::new(Scope::Bundle, vec![]);
        for percent in [1, 2] {
            let download = format!("[download:1] {percent}% (1/100 MB)");
            assert_eq!(bench.look(1, &[line, &download]), at(1));
        }
        assert_eq!(bench.look(1, &[line]), looping(fault));
    }
}

#[test]
fn a_preparation_without_any_file_has_failed() {
    // #93518
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    let said = [
        "[VM:steps] download_and_sdk_prepare started",
        "[VM:steps] download_and_sdk_prepare completed (4ms)",
    ];
    assert_eq!(bench.look(1, &said), Rebuild::Waiting);
    assert_eq!(bench.look(20, &[]), failed(Fault::NothingMade));
}

#[test]
fn a_download_that_hangs_keeps_its_percent_and_then_waits() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.look(1, &["[download:1] 45.0% (45/100 MB)"]);
    assert_eq!(bench.look(500, &[]), at(45));
    assert_eq!(bench.look(100, &[]), Rebuild::Waiting);
    bench.look(1, &["[download:1] 46.0% (46/100 MB)"]);
    bench.runs = Some(false);
    assert_eq!(bench.look(1, &[]), Rebuild::Waiting, "nobody downloads");
}

//! `disk info`: what the guest's own `df` would say, without mounting anything.

use std::fs::{self, File};
use std::path::Path;

use sandtray_tests::ctl;
use sandtray_tests::disk::{Numbers, possible};
use sandtray_tests::machine::{Bundle, TestMachine};
use sandtray_tests::{gpt, skip};

use crate::only;

const BLOCK: u64 = 4096;

fn info(machine: &TestMachine, image: &Path) -> ctl::Ran {
    ctl::on(
        &machine.file(),
        &["disk", "info", "--json", image.to_str().unwrap()],
    )
}

#[test]
fn the_sessions_disk_has_the_numbers_of_its_own_tools() {
    if let Err(reason) = possible() {
        return skip::say(
            "disks::the_sessions_disk_has_the_numbers_of_its_own_tools",
            reason,
        );
    }
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    bundle.sessions(88.0, 40).unwrap();
    let before = fs::metadata(bundle.sessions_image()).unwrap();

    let report = info(&machine, &bundle.sessions_image()).well().json();
    assert_eq!(
        (report["schema"].as_u64(), report["format"].as_str()),
        (Some(1), Some("raw"))
    );
    let disk = only(&report["disks"], |_| true);
    let numbers = Numbers::read(bundle.sessions_image().to_str().unwrap()).unwrap();
    assert_eq!(
        (disk["index"].as_u64(), disk["label"].as_str()),
        (Some(0), Some("sessions"))
    );
    assert_eq!(disk["filesystem"], "ext4");
    assert_eq!(disk["size"], (numbers.blocks - numbers.overhead) * BLOCK);
    assert_eq!(disk["used"], numbers.used() * BLOCK);
    assert_eq!(disk["reserved"], numbers.reserved * BLOCK);
    assert_eq!(disk["available"], numbers.available() * BLOCK);
    assert_eq!(disk["inodes"], numbers.inodes);
    assert_eq!(disk["inodes_free"], numbers.inodes_free);
    assert_eq!(disk["clean"], true);
    assert!(
        disk["uuid"].is_string() && disk["as_of"].is_i64(),
        "{disk:#}"
    );

    let after = fs::metadata(bundle.sessions_image()).unwrap();
    assert_eq!(
        before.modified().unwrap(),
        after.modified().unwrap(),
        "the image was written"
    );
    assert_eq!(before.len(), after.len());
}

#[test]
fn the_system_disk_is_found_behind_its_partition_table() {
    if let Err(reason) = possible() {
        return skip::say(
            "disks::the_system_disk_is_found_behind_its_partition_table",
            reason,
        );
    }
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    bundle.system(86.0).unwrap();
    let report = info(&machine, &bundle.system_image()).well().json();
    let disk = only(&report["disks"], |disk| disk["label"] == "cloudimg-rootfs");
    let target = format!(
        "{}?offset={}",
        bundle.system_image().display(),
        gpt::SYSTEM_OFFSET
    );
    let numbers = Numbers::read(&target).unwrap();
    assert_eq!(disk["index"], 1);
    assert_eq!(disk["used"], numbers.used() * BLOCK);
    assert_eq!(disk["available"], numbers.available() * BLOCK);
    assert_eq!(report["disks"].as_array().unwrap().len(), 3, "{report:#}");
}

#[test]
fn images_that_are_none_are_refused_in_words() {
    let machine = TestMachine::new().unwrap();
    let folder = machine.root().to_owned();
    fs::write(folder.join("empty.img"), "").unwrap();
    fs::write(
        folder.join("noise.img"),
        (0..200_000_u32)
            .map(|n| (n * 37 % 251) as u8)
            .collect::<Vec<_>>(),
    )
    .unwrap();
    fs::write(folder.join("text.img"), "not a disk\n".repeat(9000)).unwrap();
    for name in ["empty.img", "noise.img", "text.img", "not-there.img", "."] {
        let ran = info(&machine, &folder.join(name));
        assert!(!ran.err.contains("panicked"), "{name}: {ran:?}");
        match ran.code {
            Some(1) => assert!(ran.err.contains(name) || name == ".", "{name}: {ran:?}"),
            // Readable as a file, with nothing known on it.
            Some(0) => assert!(
                !ran.out.contains("\"used\":0"),
                "unknown is not zero: {ran:?}"
            ),
            code => panic!("{name}: {code:?} {ran:?}"),
        }
    }
}

#[test]
fn a_truncated_or_damaged_disk_is_never_taken_for_an_empty_one() {
    if let Err(reason) = possible() {
        return skip::say(
            "disks::a_truncated_or_damaged_disk_is_never_taken_for_an_empty_one",
            reason,
        );
    }
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    bundle.sessions(60.0, 4).unwrap();
    let image = bundle.sessions_image();
    for length in [512, 1024, 1500, 2048, 4096, 5000, 1 << 20] {
        File::options()
            .write(true)
            .open(&image)
            .unwrap()
            .set_len(length)
            .unwrap();
        let ran = info(&machine, &image);
        assert!(!ran.err.contains("panicked"), "{length}: {ran:?}");
        let quiet = ran.code == Some(0) && !ran.json()["disks"].as_array().unwrap().is_empty();
        if quiet {
            let disk = &ran.json()["disks"][0];
            assert!(
                disk["used"].is_null() && disk["problem"].is_string(),
                "{length}: {disk:#}"
            );
        }
        let status = ctl::on(&machine.file(), &["status", "--json"])
            .well()
            .json();
        let gauge = only(&status["gauges"], |gauge| gauge["kind"] == "guest_sessions");
        assert_eq!(gauge["verdict"], "unknown", "{length}: {gauge:#}");
        assert!(
            gauge["used"].is_null() && gauge["percent"].is_null(),
            "{length}: {gauge:#}"
        );
    }
}

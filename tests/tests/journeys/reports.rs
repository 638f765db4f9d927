//! What people reported, as disks: each has the shape of a public report, and the tool is asked what its
//! reporter would have needed to know.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use sandtray_tests::ctl;
use sandtray_tests::disk::{Ext4, Numbers, possible};
use sandtray_tests::machine::{Bundle, DISK, SYSTEM, TestMachine};
use sandtray_tests::programs::{find, run};
use sandtray_tests::{gpt, skip};
use serde_json::Value;

use crate::only;

const BLOCK: u64 = 4096;
const DAY: i64 = 86_400;
const GIB: f64 = (1_u64 << 30) as f64;

/// Noon on 20 May 2026.
const MAY: i64 = 1_779_278_400;

fn status(machine: &TestMachine) -> Value {
    ctl::on(&machine.file(), &["status", "--json"])
        .well()
        .json()
}

fn gauge<'a>(status: &'a Value, kind: &str) -> &'a Value {
    only(&status["gauges"], |gauge| gauge["kind"] == kind)
}

fn du(machine: &TestMachine, image: &Path) -> Value {
    let words = ["disk", "du", "--json", image.to_str().unwrap()];
    ctl::on(&machine.file(), &words).well().json()
}

fn info(machine: &TestMachine, image: &Path) -> Value {
    let words = ["disk", "info", "--json", image.to_str().unwrap()];
    ctl::on(&machine.file(), &words).well().json()
}

/// The homes among the children of a sessions disk.
fn homes(usage: &Value) -> Vec<&Value> {
    let entries = usage["entries"].as_array().unwrap();
    let homes = entries
        .iter()
        .filter(|entry| entry["path"] != "/lost+found");
    homes.collect()
}

/// All that a person is told about a machine.
fn told(machine: &TestMachine) -> String {
    let text = ctl::on(&machine.file(), &["status"]).well().out;
    assert!(!text.contains('{'), "{text}");
    text
}

/// Words that would promise what does not help (facts of the VM §6, §7): a larger disk, a deletion of chats,
/// a cure for something else.
fn promises_nothing_wrong(text: &str) {
    let lower = text.to_lowercase();
    for wrong in [
        "resiz",
        "enlarg",
        "expand",
        "bigger",
        "reinstall",
        "delete cowork",
        "network",
        "restart your",
    ] {
        assert!(!lower.contains(wrong), "{wrong:?} in {text}");
    }
}

/// A sessions disk on which not a byte is left for sessions, with `count` homes.
fn full(bundle: &Bundle, count: u32) -> Ext4 {
    let folders = (0..count)
        .map(|number| (format!("home-{number:04}"), 1 + number % 7))
        .collect();
    let disk = Ext4::sessions(DISK, 99.7, folders);
    disk.make(&bundle.sessions_image()).unwrap();
    disk.fill_up(&bundle.sessions_image(), "home-0000").unwrap();
    disk
}

fn debugfs(image: &Path, script: &str) {
    run(
        "debugfs",
        ["-w", "-f", "-", image.to_str().unwrap()],
        script,
    )
    .unwrap();
}

#[test]
fn four_months_of_homes_that_nobody_removed_are_counted_dated_and_named_as_the_cause() {
    // #91680: 1,634 homes, 100 %, every scheduled task dies with exit 12.
    let test = "reports::four_months_of_homes_that_nobody_removed_are_counted_dated_and_named_as_the_cause";
    if let Err(reason) = possible() {
        return skip::say(test, reason);
    }
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    full(&bundle, 1634);
    let mut times = String::new();
    for number in 0..1634_i64 {
        let at = MAY - 120 * DAY + number * 120 * DAY / 1634;
        let _infallible = writeln!(
            times,
            "sif home-{number:04} mtime @{at}\nsif home-{number:04} crtime @{at}"
        );
    }
    debugfs(&bundle.sessions_image(), &times);

    let status = status(&machine);
    let sessions = gauge(&status, "guest_sessions");
    assert_eq!(sessions["available"], 0, "{sessions:#}");
    assert_eq!(sessions["full"], true, "{sessions:#}");
    assert_eq!(sessions["verdict"], "critical");
    assert_eq!(status["worst"], sessions["id"], "{status:#}");
    assert_eq!(status["summary"], "The sessions disk is full");
    let advice = status["advice"].as_str().unwrap();
    assert!(
        advice.contains("Cowork's tasks fail before they start"),
        "{advice}"
    );
    assert!(advice.contains("leaves chats alone"), "{advice}");
    promises_nothing_wrong(advice);
    promises_nothing_wrong(&told(&machine));

    let usage = du(&machine, &bundle.sessions_image());
    assert_eq!(usage["complete"], true);
    let homes = homes(&usage);
    assert_eq!(homes.len(), 1634);
    let oldest = homes
        .iter()
        .map(|home| home["mtime"].as_i64().unwrap())
        .min();
    assert_eq!(oldest, Some(MAY - 120 * DAY));
    let sum: u64 = homes
        .iter()
        .map(|home| home["allocated"].as_u64().unwrap())
        .sum();
    let used = sessions["used"].as_u64().unwrap();
    assert!(
        sum <= used && used - sum < 8 << 20,
        "{sum} of {used} are in homes"
    );
    // Largest first: what is worth looking at.
    let first = homes[0]["allocated"].as_u64().unwrap();
    let last = homes[1633]["allocated"].as_u64().unwrap();
    assert!(first > last, "{first} {last}");
}

#[test]
fn two_full_disks_are_two_red_gauges_and_one_does_not_hide_the_other() {
    // #59856: both at 100 %, exit 1 on /etc/passwd; 121 homes.
    let test = "reports::two_full_disks_are_two_red_gauges_and_one_does_not_hide_the_other";
    if let Err(reason) = possible() {
        return skip::say(test, reason);
    }
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    full(&bundle, 121);
    // Root volume 9.6/9.5/56M: a reserve of next to nothing.
    let system = Ext4 {
        label: "cloudimg-rootfs".to_owned(),
        size: SYSTEM,
        offset: gpt::SYSTEM_OFFSET,
        reserved_percent: 0,
        percent: 99.7,
        folders: vec![("usr".to_owned(), 8), ("var".to_owned(), 2)],
    };
    system.make(&bundle.system_image()).unwrap();
    system.fill_up(&bundle.system_image(), "var").unwrap();
    gpt::write(&bundle.system_image(), SYSTEM).unwrap();

    let status = status(&machine);
    for kind in ["guest_sessions", "guest_system"] {
        let gauge = gauge(&status, kind);
        assert_eq!(gauge["available"], 0, "{gauge:#}");
        assert_eq!(
            (gauge["verdict"].as_str(), gauge["full"].as_bool()),
            (Some("critical"), Some(true)),
            "{gauge:#}"
        );
    }
    // Which one is told first does not matter; that the other is told too does.
    let both = format!("{} {}", status["summary"], status["advice"]).to_lowercase();
    assert!(both.contains("sessions disk is full"), "{both}");
    assert!(both.contains("system disk is full"), "{both}");
    promises_nothing_wrong(&both);
    promises_nothing_wrong(&told(&machine));
}

#[test]
fn what_du_in_the_guest_cannot_see_is_counted_all_the_same() {
    // #61074: 371 homes of nobody, 0750; the guest's own `du` says 11 MB, `df` 9.3G and nothing available.
    let test = "reports::what_du_in_the_guest_cannot_see_is_counted_all_the_same";
    if let Err(reason) = possible() {
        return skip::say(test, reason);
    }
    const OWN: u64 = 11_000_000 / BLOCK;
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    let image = bundle.sessions_image();
    let disk = Ext4::sessions(
        DISK,
        99.0,
        (0..371)
            .map(|number| (format!("home-{number:04}"), 1))
            .collect(),
    );
    disk.make(&image).unwrap();
    let mut script = format!(
        "mkdir own\nwrite /dev/null own/work.bin\nfallocate own/work.bin 0 {}\nsif own/work.bin size {}\n\
         sif own uid 1001\nsif own mode 040750\n",
        OWN - 1,
        OWN * BLOCK
    );
    for number in 0..371 {
        let _infallible = writeln!(
            script,
            "sif home-{number:04} uid 65534\nsif home-{number:04} gid 65534\nsif home-{number:04} mode 040750"
        );
    }
    debugfs(&image, &script);
    disk.fill_up(&image, "home-0000").unwrap();

    let report = info(&machine, &image);
    let sessions = only(&report["disks"], |_| true);
    let numbers = Numbers::read(image.to_str().unwrap()).unwrap();
    assert_eq!(sessions["used"], numbers.used() * BLOCK);
    assert_eq!(sessions["available"], 0);
    let used = sessions["used"].as_f64().unwrap() / GIB;
    assert!((9.2..9.4).contains(&used), "df would say {used:.2}G");
    assert!(
        numbers.free * BLOCK > 400 << 20,
        "free, but nobody's: {numbers:?}"
    );

    let usage = du(&machine, &image);
    let homes = homes(&usage);
    assert_eq!(homes.len(), 372);
    let sum: u64 = homes
        .iter()
        .map(|home| home["allocated"].as_u64().unwrap())
        .sum();
    assert!(sum as f64 / GIB > 9.2, "{sum}");
    let nobodys = homes.iter().filter(|home| home["uid"] == 65534).count();
    assert_eq!(nobodys, 371);

    match seen_in_the_guest(&machine, &image) {
        Ok((seen, df)) => {
            assert!((11_000_000 - BLOCK..15_000_000).contains(&seen), "{seen}");
            assert_eq!(df, (sessions["used"].as_u64().unwrap(), 0));
        }
        Err(reason) => skip::say(test, reason),
    }
}

/// What `du` says to the owner of one home on a mount of the disk, and what `df` says of it.
fn seen_in_the_guest(machine: &TestMachine, image: &Path) -> Result<(u64, (u64, u64)), String> {
    let mount = machine.root().join("mount");
    fs::create_dir(&mount).unwrap();
    let script = "mount -t ext4 -o ro,loop \"$1\" \"$2\"; df -B1 --output=used,avail \"$2\" | tail -n 1; \
                  cd \"$2\"; setpriv --reuid 1001 --regid 1001 --clear-groups du -s -B1 . 2>/dev/null || true";
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-ec", script, "sh"])
        .args([image, &mount])
        .output()
        .map_err(|error| format!("no unshare ({error})"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text
        .split_whitespace()
        .filter_map(|word| word.parse::<u64>().ok());
    let mut next = || numbers.next().ok_or_else(|| format!("unexpected: {text}"));
    let df = (next()?, next()?);
    Ok((next()?, df))
}

#[test]
fn a_disk_that_grew_on_the_host_and_was_emptied_inside_shows_three_sizes() {
    // #65577: the image has its high-water mark on the host for ever, whatever is deleted inside.
    let test = "reports::a_disk_that_grew_on_the_host_and_was_emptied_inside_shows_three_sizes";
    if let Err(reason) = possible() {
        return skip::say(test, reason);
    }
    const MARK: u64 = 500 << 20;
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    let image = bundle.system_image();
    let disk = Ext4 {
        label: "cloudimg-rootfs".to_owned(),
        size: SYSTEM,
        offset: gpt::SYSTEM_OFFSET,
        reserved_percent: 0,
        percent: 3.0,
        folders: vec![("usr".to_owned(), 1)],
    };
    disk.make(&image).unwrap();
    gpt::write(&image, SYSTEM).unwrap();
    let file = File::options().write(true).open(&image).unwrap();
    if let Err(error) = take(&file, gpt::SYSTEM_OFFSET + (5 << 30), MARK) {
        return skip::say(test, format!("cannot take blocks for a file: {error}"));
    }
    drop(file);
    let host = fs::metadata(&image).unwrap();
    let (apparent, allocated) = (host.len(), host.blocks() * 512);
    assert!(allocated >= MARK, "{allocated}");

    let status = status(&machine);
    let system = gauge(&status, "guest_system");
    let used = system["used"].as_u64().unwrap();
    let located = ctl::on(&machine.file(), &["locate", "--json"])
        .well()
        .json();
    let shown = only(&located["bundles"][0]["files"], |file| {
        file["name"] == "rootfs.img"
    });
    assert_eq!(
        (shown["apparent"].as_u64(), shown["allocated"].as_u64()),
        (Some(apparent), Some(allocated)),
        "{shown:#}"
    );
    let target = format!("{}?offset={}", image.display(), gpt::SYSTEM_OFFSET);
    assert_eq!(used, Numbers::read(&target).unwrap().used() * BLOCK);
    assert!(
        used < allocated && allocated < apparent,
        "{used} {allocated} {apparent}"
    );
    // Room inside is room: what the host does not get back is no alarm about the guest.
    assert_eq!(system["verdict"], "ok", "{system:#}");
    let told = told(&machine);
    promises_nothing_wrong(&told);
    assert!(
        told.contains("of what it takes is not used inside any more"),
        "{told}"
    );
}

/// Gives a range of a file blocks on the host, as what was written and deleted inside had taken.
fn take(file: &File, from: u64, length: u64) -> std::io::Result<()> {
    let flags = rustix::fs::FallocateFlags::KEEP_SIZE;
    Ok(rustix::fs::fallocate(file, flags, from, length)?)
}

#[test]
fn a_disk_that_was_made_larger_around_its_filesystem_has_the_filesystems_size() {
    // #44622: the VHDX was resized to 30 GB; ext4 on the whole disk, no partition table, stayed at 9.8G.
    let test =
        "reports::a_disk_that_was_made_larger_around_its_filesystem_has_the_filesystems_size";
    if let Err(reason) = possible() {
        return skip::say(test, reason);
    }
    if find("qemu-img").is_none() {
        return skip::say(test, "qemu-img is not installed");
    }
    const LARGE: u64 = 30 << 30;
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    let raw = machine.root().join("raw.img");
    let folders = vec![("home-0000".to_owned(), 2), ("home-0001".to_owned(), 1)];
    Ext4::sessions(DISK, 93.0, folders).make(&raw).unwrap();
    let numbers = Numbers::read(raw.to_str().unwrap()).unwrap();
    File::options()
        .write(true)
        .open(&raw)
        .unwrap()
        .set_len(LARGE)
        .unwrap();
    let image = bundle.folder.join("sessiondata.vhdx");
    let arguments = [
        "convert",
        "-f",
        "raw",
        "-O",
        "vhdx",
        "-o",
        "subformat=dynamic",
    ];
    let paths = [raw.to_str().unwrap(), image.to_str().unwrap()];
    run("qemu-img", arguments.into_iter().chain(paths), "").unwrap();

    let report = info(&machine, &image);
    assert_eq!(report["format"], "vhdx");
    let disk = only(&report["disks"], |_| true);
    assert_eq!(
        (disk["index"].as_u64(), disk["label"].as_str()),
        (Some(0), Some("sessions"))
    );
    assert_eq!(
        disk["size"],
        (numbers.blocks - numbers.overhead) * BLOCK,
        "{disk:#}"
    );
    assert_eq!(disk["available"], numbers.available() * BLOCK, "{disk:#}");

    let status = status(&machine);
    let sessions = gauge(&status, "guest_sessions");
    assert_eq!(sessions["limit"], disk["size"], "{sessions:#}");
    assert_eq!(
        sessions["verdict"], "critical",
        "20 GB of the disk are no use: {sessions:#}"
    );
    promises_nothing_wrong(&format!("{} {}", status["summary"], status["advice"]));
    let told = told(&machine);
    assert!(told.contains("resizing the disk does not help"), "{told}");
    assert_eq!(homes(&du(&machine, &image)).len(), 2);
}

//! Whole acts on real folders: every scope and its undo, every refusal, and what stands after an error, a
//! kill, a power loss and a full volume at any point.
//!
//! Each test starts itself once more as an ordinary user (root never acts), where it has to be on a small
//! volume of its own.

mod discarding;
mod ext4;
mod fake;
mod faults;
mod full;
mod kills;
mod misbehaving;
mod power;
mod refusals;
mod scopes;
mod unfit;
mod world;

use std::path::Path;
use std::process::Command;

/// Where a test runs.
#[derive(Clone, Copy)]
enum Volume {
    /// In the temp folder, whatever that lies on.
    Temp,
    /// On a tmpfs of its own: it takes memory only for what is written.
    Memory(&'static str),
    /// On an ext4 of its own, so long, in a file that a loop device carries. It gives the number of a file
    /// that went to the next one, keeps the names of a folder in an order of its own, and is full by blocks.
    Ext4(&'static str),
    /// On an exFAT of its own, so long, which a program carries: it cannot rename without replacing.
    Exfat(&'static str),
}

/// Every scope has room for its rebuild.
const ROOMY: Volume = Volume::Memory("size=2g");

const INSIDE: &str = "SANDTRAY_TEST_ACT";
/// Only a few instants are tried: the same loops run elsewhere with more.
const FEW: &str = "SANDTRAY_TEST_ACT_FEW";

/// `$1` is the kind of volume, `$2` its length or options, `$3` the folder. The last line is the same user
/// under another number: root only as long as it takes to mount.
const SCRIPT: &str = r#"
    set -e
    folder=$3
    case $1 in
        memory) mount -t tmpfs -o "$2" tmpfs "$3" ;;
        ext4)
            mount -t tmpfs tmpfs "$3"
            truncate -s "$2" "$3/image"
            /usr/sbin/mkfs.ext4 -q -F -m 0 "$3/image"
            mkdir "$3/volume"
            mount -t ext4 -o loop "$3/image" "$3/volume"
            folder=$3/volume ;;
        exfat)
            PATH=$PATH:/usr/sbin:/sbin
            mount -t tmpfs tmpfs "$3"
            truncate -s "$2" "$3/image"
            mkfs.exfat "$3/image" > /dev/null
            mkdir "$3/volume"
            device=$(losetup --find --show "$3/image")
            mount.exfat-fuse -o allow_other "$device" "$3/volume" > /dev/null || { losetup -d "$device"; exit 1; }
            losetup -d "$device"
            # The program that carries it keeps this place alive, and ends with the mount.
            trap 'umount "$folder"' EXIT
            folder=$3/volume ;;
    esac
    export SANDTRAY_TEST_ACT="$folder"
    carried=$1
    shift 3
    if [ "$carried" = exfat ]; then
        unshare -U --map-user=1000 --map-group=1000 "$@"
        exit
    fi
    exec unshare -U --map-user=1000 --map-group=1000 "$@"
"#;

/// Runs `test` as an ordinary user in a folder of its own on such a volume.
fn ordinary(module: &str, name: &str, volume: Volume, test: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(INSIDE) {
        test(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (space, kind, size) = match volume {
        Volume::Temp => ("-Umr", "temp", ""),
        Volume::Memory(options) => ("-Umr", "memory", options),
        // A loop device is for root itself.
        Volume::Ext4(size) => ("-m", "ext4", size),
        Volume::Exfat(size) => ("-m", "exfat", size),
    };
    let run = |program: &[&str]| {
        let mut command = Command::new("unshare");
        command
            .args([space, "sh", "-c", SCRIPT, "sh", kind, size])
            .arg(folder.path())
            .args(program);
        command
    };
    let tried = run(&["true"]).output();
    if !tried.as_ref().is_ok_and(|done| done.status.success()) {
        let said = tried.map_or_else(
            |error| error.to_string(),
            |done| String::from_utf8_lossy(&done.stderr).trim().to_owned(),
        );
        match volume {
            Volume::Ext4(_) | Volume::Exfat(_) => println!("skipped: {name}: {said}"),
            _ => println!("skipped: {name}: no user namespaces here"),
        }
        return;
    }
    let module = module.split_once("::").map_or(module, |(_, rest)| rest);
    let exe = std::env::current_exe().unwrap();
    let mut command = run(&[]);
    command
        .arg(exe)
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"]);
    if matches!(volume, Volume::Ext4(_)) {
        command.env(FEW, "1");
    }
    let status = command.status().unwrap();
    assert!(status.success(), "the same test as an ordinary user");
}

/// Which of so many instants a loop tries: each with `SANDTRAY_EVERY_INSTANT`, as `cargo xtask test` sets it;
/// else the first, the last and every fifth, so that the everyday run stays short.
fn instants(count: usize) -> impl Iterator<Item = usize> {
    let every = std::env::var_os("SANDTRAY_EVERY_INSTANT").is_some();
    let step = if std::env::var_os(FEW).is_some() {
        17
    } else {
        5
    };
    (0..count).filter(move |at| every || at % step == 0 || at + 1 == count)
}

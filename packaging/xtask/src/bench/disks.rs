//! Looking into a guest's disk beside mounting it: `disk du` and `mount` with `du`, `disk info` and `mount`
//! with `df`, and `debugfs`, which needs no mount either.
//!
//! The disk is that of #91680: 1,634 session homes with 100,000 files in a filesystem of 10 GB. Cold means
//! that the system has forgotten what it had read: of the disk, and of the programs themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::peers::{self, Contestant};
use super::table::{self, Row};
use super::trees::{self, Tree};
use super::turns;
use crate::command::{cannot, found, output, run};

/// Where root tells the kernel to forget.
const FORGET: &str = "/proc/sys/vm/drop_caches";
/// `disk info` takes about as long as starting a program: one run of it would be below what is measured.
const TIMES: u32 = 10;

/// A disk with all it was made from, removed at the end.
struct Disk {
    folder: Tree,
    /// What `debugfs` is told: to list every folder.
    list: PathBuf,
}

impl Disk {
    fn make(size: u32, at: &Path) -> Result<Self, String> {
        let mut folder = Tree::empty("disk", at)?;
        let homes = trees::make("homes", size, folder.path())?;
        folder.described.clone_from(&homes.described);
        let disk = Self {
            list: folder.path().join("list"),
            folder,
        };
        let mkfs = found("mkfs.ext4")
            .ok_or("the bench of disks needs mkfs.ext4; on Debian: apt-get install e2fsprogs")?;
        println!("(making a filesystem of it)");
        run(Command::new(mkfs)
            .args(["-q", "-F", "-L", "sessions", "-d"])
            .arg(homes.path())
            .arg(disk.image())
            .arg("10G"))?;
        let mut lines = String::new();
        list(homes.path(), "", &mut lines)?;
        fs::write(&disk.list, lines).map_err(|cause| cannot("write", &disk.list, &cause))?;
        let mount = disk.mount();
        fs::create_dir(&mount).map_err(|cause| cannot("create", &mount, &cause))?;
        Ok(disk)
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("sessiondata.img")
    }

    fn mount(&self) -> PathBuf {
        self.folder.path().join("mount")
    }
}

/// Every folder as `debugfs` has to be asked for it.
fn list(folder: &Path, inside: &str, lines: &mut String) -> Result<(), String> {
    lines.push_str(&format!("ls -l \"{inside}/\"\n"));
    let entries = fs::read_dir(folder).map_err(|cause| cannot("read", folder, &cause))?;
    for entry in entries {
        let entry = entry.map_err(|cause| cannot("read", folder, &cause))?;
        if entry.path().is_dir() {
            let name = entry.file_name();
            list(
                &entry.path(),
                &format!("{inside}/{}", name.to_string_lossy()),
                lines,
            )?;
        }
    }
    Ok(())
}

/// Compares everything on one disk, warm and, as root, cold.
pub(super) fn bench(
    time: &Path,
    program: &Path,
    size: u32,
    rounds: usize,
    at: &Path,
) -> Result<(), String> {
    let disk = Disk::make(size, at)?;
    let may_mount = output(disk.mounted("true").arg(disk.image())).map(drop);
    if let Err(problem) = &may_mount {
        println!("skipped: bench: nothing can be mounted here: {problem}");
    }
    let is_root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    for cold in [false, true] {
        if cold && !is_root {
            println!("skipped: bench: cold: only root can make the system forget");
            break;
        }
        for (what, truth, all) in [
            ("what fills it", "mount, du", disk.sums(program)),
            ("how full it is", "mount, df", disk.numbers(program)),
        ] {
            let present: Vec<Contestant> = all
                .into_iter()
                .filter(|one| may_mount.is_ok() || one.name != truth)
                .collect();
            println!(
                "\n{}: {what}, {}, medians of {rounds} rounds in turn",
                disk.folder.described,
                if cold { "cold" } else { "warm" },
            );
            let before = || if cold { forget() } else { Ok(()) };
            let rows = turns(time, &present, &disk.image(), rounds, before)?;
            table::print(&rows, truth);
            conclude(&rows, truth);
        }
    }
    println!("(removing the disk)");
    Ok(())
}

impl Disk {
    /// A shell in a mount namespace of its own with the disk mounted, which the last argument names.
    fn mounted(&self, script: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-ec"])
            .arg(format!(
                "mount -t ext4 -o ro,loop \"$2\" \"$1\"; {script}; umount \"$1\""
            ))
            .arg("sh")
            .arg(self.mount());
        command
    }

    fn sums(&self, program: &Path) -> Vec<Contestant> {
        let mut debugfs = Command::new("debugfs");
        debugfs.arg("-f").arg(&self.list);
        vec![
            contestant(
                "disk du",
                Command::new(program).args(["disk", "du", "--json"]),
                peers::json_sum,
            ),
            contestant(
                "mount, du",
                &mut self.mounted("du --block-size=1 --max-depth=1 \"$1\""),
                peers::lines_sum,
            ),
            // It has no sums; this is what a program would have to add up.
            contestant("debugfs, ls -l", &mut debugfs, peers::no_total),
        ]
    }

    fn numbers(&self, program: &Path) -> Vec<Contestant> {
        let mut info = Command::new("sh");
        info.args(["-ec", &repeated("\"$1\" disk info --json \"$2\""), "sh"])
            .arg(program);
        let mut debugfs = Command::new("sh");
        debugfs.args(["-ec", &repeated("debugfs -R stats \"$1\""), "sh"]);
        let mut df = Command::new("unshare");
        df.args(["--mount", "sh", "-ec"])
            .arg(repeated(
                "mount -t ext4 -o ro,loop \"$2\" \"$1\"; df --block-size=1 --output=used \"$1\"; umount \"$1\"",
            ))
            .arg("sh")
            .arg(self.mount());
        vec![
            contestant("disk info", &mut info, peers::json_used),
            contestant("mount, df", &mut df, peers::last_line),
            contestant("debugfs, stats", &mut debugfs, peers::no_total),
        ]
    }
}

fn repeated(script: &str) -> String {
    format!("n=0; while [ $n -lt {TIMES} ]; do {script}; n=$((n+1)); done")
}

fn contestant(name: &str, command: &mut Command, total: fn(&str) -> Option<u64>) -> Contestant {
    let name_of = command.get_program().to_owned();
    Contestant {
        name: name.to_owned(),
        program: name_of
            .to_str()
            .and_then(found)
            .unwrap_or_else(|| name_of.into()),
        arguments: command.get_args().map(Into::into).collect(),
        total,
    }
}

/// Makes the system forget what it has read.
fn forget() -> Result<(), String> {
    run(&mut Command::new("sync"))?;
    fs::write(FORGET, "3").map_err(|cause| cannot("write", Path::new(FORGET), &cause))
}

/// What the goals of the reading are compared with.
fn conclude(rows: &[Row], truth: &str) {
    if let (Some(ours), Some(other)) = (rows.first(), rows.iter().find(|row| row.name == truth)) {
        println!(
            "{} takes 1/{:.1} of the time of {truth} and 1/{:.1} of its CPU, with {:.1} MB at the highest",
            ours.name,
            other.ratio(ours, table::wall),
            other.ratio(ours, table::cpu),
            ours.megabytes(),
        );
    }
}

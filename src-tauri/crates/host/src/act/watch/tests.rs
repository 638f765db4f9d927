use std::fs;
use std::path::PathBuf;
use std::process::Command;

use sandtray_core::act::watch::line::Fault;

use super::*;
use crate::locate;

const RELEASE: &str = "88251839aa00bb11cc22dd33ee44ff5566778899";

struct Bench {
    dir: tempfile::TempDir,
    machine: Machine,
    bundle: PathBuf,
    now: i64,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("machine.toml");
        fs::write(&file, "home = 'home'\nos = 'linux'\n").unwrap();
        let machine = crate::machine::load(&file).unwrap();
        let data = dir.path().join("home/.config/Claude");
        let bundle = data.join("vm_bundles/claudevm.bundle");
        fs::create_dir_all(&bundle).unwrap();
        fs::create_dir_all(data.join("logs")).unwrap();
        for name in ["rootfs.img", "vmlinuz", "initrd"] {
            fs::write(bundle.join(name), vec![1; 5000]).unwrap();
            fs::write(bundle.join(format!(".{name}.origin")), RELEASE).unwrap();
        }
        fs::write(bundle.join("sessiondata.img"), vec![1; 5000]).unwrap();
        Self {
            bundle: bundle.canonicalize().unwrap(),
            dir,
            machine,
            now: 1_800_000_000,
        }
    }

    fn located(&self) -> Bundle {
        locate::locate(&self.machine).bundles.remove(0)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.bundle.join(name)
    }

    fn log(&self, line: &str) {
        use std::io::Write;
        let path = self.dir.path().join("home/.config/Claude/logs");
        let mut file = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path.join("cowork_vm_node.log"))
            .unwrap();
        writeln!(file, "2026-03-08 06:49:51 [info] {line}").unwrap();
    }

    fn look(&mut self, watch: &mut Watch) -> Rebuild {
        self.now += 1;
        watch.look_at(Time(self.now))
    }

    fn make_sessions(&self) -> bool {
        let program = ["/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"]
            .iter()
            .map(PathBuf::from)
            .find(|path| path.exists())
            .unwrap_or_else(|| "mkfs.ext4".into());
        Command::new(program)
            .args(["-q", "-F", "-L", "sessions"])
            .arg(self.at("sessiondata.img"))
            .arg("16M")
            .status()
            .is_ok_and(|status| status.success())
    }
}

#[test]
fn a_whole_bundle_is_followed_until_it_is_ready() {
    let mut bench = Bench::new();
    bench.log("All files ready");
    bench.log("[VM:start] Startup complete");
    let bundle = bench.located();
    let parked = bench.dir.path().join("parked");
    fs::rename(&bench.bundle, &parked).unwrap();
    let mut watch = Watch::begin(&bench.machine, &bundle, Scope::Bundle);
    assert_eq!(bench.look(&mut watch), Rebuild::Waiting, "old words");

    fs::create_dir(&bench.bundle).unwrap();
    let temp = bench.at(".wvm-tmp-a1B2c3");
    fs::create_dir(&temp).unwrap();
    fs::write(temp.join("rootfs.img.zst.partial"), "").unwrap();
    assert_eq!(bench.look(&mut watch), Rebuild::Waiting);
    fs::write(temp.join("rootfs.img.zst.partial"), vec![1; 9000]).unwrap();
    assert_eq!(
        bench.look(&mut watch),
        Rebuild::Downloading { percent: None }
    );
    bench.log("[download:1] 45.0% (540.0/1200.0 MB) avg 24.10 MB/s, ETA 5s");
    assert_eq!(
        bench.look(&mut watch),
        Rebuild::Downloading { percent: Some(45) }
    );
    bench.log("[download:1] 100.0% (1200.0/1200.0 MB) avg 24.10 MB/s, ETA 0s");
    fs::remove_file(temp.join("rootfs.img.zst.partial")).unwrap();
    fs::write(temp.join("rootfs.img"), vec![1; 9000]).unwrap();
    assert_eq!(bench.look(&mut watch), Rebuild::Unpacking);
    for name in ["rootfs.img", "vmlinuz", "initrd"] {
        fs::write(bench.at(name), vec![1; 9000]).unwrap();
        fs::write(bench.at(&format!(".{name}.origin")), RELEASE).unwrap();
    }
    fs::remove_dir_all(&temp).unwrap();
    fs::write(bench.at("sessiondata.img"), vec![1; 9000]).unwrap();
    bench.log("All files ready");
    bench.log("[VM:steps] guest_vsock_connect started");
    bench.look(&mut watch);
    assert_eq!(bench.look(&mut watch), Rebuild::Booting);
    bench.log("[VM:start] Startup complete");
    bench.look(&mut watch);
    bench.now += 5;
    let last = bench.look(&mut watch);
    assert_eq!((&last, watch.last()), (&Rebuild::Ready, &Rebuild::Ready));
    assert!(watch.litter().is_empty());
}

#[test]
fn a_new_sessions_disk_is_ready_by_its_filesystem_alone() {
    let mut bench = Bench::new();
    let bundle = bench.located();
    let parked = bench.dir.path().join("parked.img");
    fs::rename(bench.at("sessiondata.img"), &parked).unwrap();
    let mut watch = Watch::begin(&bench.machine, &bundle, Scope::SessionDisk);
    bench.now += 600;
    assert_eq!(bench.look(&mut watch), Rebuild::Waiting);
    fs::File::create(bench.at("sessiondata.img"))
        .unwrap()
        .set_len(16 << 20)
        .unwrap();
    bench.now += 600;
    assert_eq!(bench.look(&mut watch), Rebuild::Waiting, "not formatted");
    if !bench.make_sessions() {
        println!(
            "skipped: a_new_sessions_disk_is_ready_by_its_filesystem_alone: no mkfs.ext4 that works"
        );
        return;
    }
    bench.look(&mut watch);
    bench.now += 5;
    bench.look(&mut watch);
    bench.now += 5;
    assert_eq!(bench.look(&mut watch), Rebuild::Ready);
}

#[test]
fn a_watch_goes_on_after_a_restart_of_ours() {
    let mut bench = Bench::new();
    let bundle = bench.located();
    fs::remove_file(bench.at("rootfs.img")).unwrap();
    let mut watch = Watch::begin(&bench.machine, &bundle, Scope::SystemDisk);
    bench.log("[deleteVMBundle] Deleting reinstall files");
    assert_eq!(bench.look(&mut watch), Rebuild::Waiting);
    let stored = serde_json::to_string(&watch.memory()).unwrap();
    assert!(stored.len() < 8192, "{}", stored.len());
    drop(watch);
    bench.log("[deleteVMBundle] Deleting reinstall files");
    let memory = serde_json::from_str(&stored).unwrap();
    let mut watch = Watch::resume(&bench.machine, &bench.bundle, memory);
    assert_eq!(
        bench.look(&mut watch),
        Rebuild::Looping {
            cause: Fault::Deletes.sentence().to_owned()
        },
        "one before, one while nobody looked"
    );
}

#[test]
fn looking_writes_nothing() {
    let mut bench = Bench::new();
    bench.log("All files ready");
    fs::create_dir(bench.at(".wvm-tmp-a1B2c3")).unwrap();
    fs::write(bench.at("rootfs.img.zst.partial"), "").unwrap();
    let bundle = bench.located();
    let list = || {
        let mut found: Vec<_> = walkdir::WalkDir::new(bench.dir.path())
            .into_iter()
            .map(|entry| {
                let entry = entry.unwrap();
                let metadata = entry.metadata().unwrap();
                (
                    entry.path().to_owned(),
                    metadata.len(),
                    metadata.modified().unwrap(),
                )
            })
            .collect();
        found.sort();
        found
    };
    let before = list();
    let mut watch = Watch::begin(&bench.machine, &bundle, Scope::Bundle);
    for _ in 0..3 {
        watch.look_at(Time(bench.now + 100));
    }
    assert_eq!(list(), before);
    bench.now += 1000;
    watch.look_at(Time(bench.now));
}

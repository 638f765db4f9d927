use std::path::PathBuf;

use super::*;
use crate::bundle::{Owner, Profile};
use crate::bytes::{Allocated, Apparent};
use crate::gauge::{GaugeId, GaugeKind, Level, UnknownReason};
use crate::inside::{DiskId, DiskSizes};
use crate::paths::token;
use crate::status::sample::{
    GB, NOW, filling, gauge, judged, parts, sessions, status, steady, unknown,
};

fn bundle(profile: Profile, path: &str, live: bool) -> Bundle {
    Bundle {
        id: token(&PathBuf::from(path)),
        path: PathBuf::from(path),
        profile,
        live,
        detour: None,
        files: Vec::new(),
    }
}

fn disk_of(bundle: &Bundle, permille: u64) -> Judged {
    let mut gauge = sessions(permille);
    gauge.id = GaugeId::new(gauge.kind, &bundle.id);
    gauge.live = bundle.live;
    steady(gauge)
}

fn volume(used: u64, available: u64) -> Judged {
    steady(gauge(GaugeKind::HostBytes, "/", used, available))
}

fn names(status: &Status) -> Vec<&str> {
    status
        .gauges
        .iter()
        .map(|gauge| gauge.name.as_str())
        .collect()
}

#[test]
fn what_matters_most_comes_first() {
    let old = bundle(Profile::Claude, "/h/Old/vm_bundles/claudevm.bundle", false);
    let parts_of = [
        disk_of(&old, 1000),
        steady(gauge(GaugeKind::HostInodes, "/", 10, 90)),
        volume(351 * GB, 143 * GB),
        steady(gauge(GaugeKind::GuestSystem, "Claude", 6 * GB, 4 * GB)),
        steady(sessions(500)),
        steady(gauge(GaugeKind::HostBytes, "/data", 100 * GB, 0)),
        steady(gauge(GaugeKind::HostBytes, "/home", 95 * GB, 3 * GB)),
        steady(unknown(
            gauge(GaugeKind::HostBytes, "/mnt", 0, 1),
            UnknownReason::TimedOut,
        )),
    ];
    let status = status(&parts_of);
    assert_eq!(
        names(&status),
        [
            "Disk /data",
            "Disk /home",
            "Disk /mnt",
            "Sessions disk",
            "System disk",
            "Disk /",
            "File count on /",
            "Sessions disk (Claude, not in use)",
        ]
    );
    assert_eq!(status.verdict, Verdict::Critical);
    assert_eq!(
        status.worst,
        Some(GaugeId::new(GaugeKind::HostBytes, "/data"))
    );
}

#[test]
fn a_bundle_not_in_use_decides_nothing() {
    let old = bundle(
        Profile::Claude,
        "/h/Claude/vm_bundles/claudevm.bundle",
        false,
    );
    let full = [disk_of(&old, 1000), volume(300 * GB, 190 * GB)];
    assert_eq!(status(&full).verdict, Verdict::Ok);

    let mut lost = disk_of(&old, 0);
    lost.gauge = unknown(lost.gauge, UnknownReason::Corrupt);
    let lost = [steady(lost.gauge), volume(300 * GB, 190 * GB)];
    assert_eq!(status(&lost).verdict, Verdict::Ok);
}

#[test]
fn a_live_disk_that_cannot_be_read_is_not_taken_for_fine() {
    let gauges = [
        steady(unknown(sessions(0), UnknownReason::Busy)),
        volume(300 * GB, 190 * GB),
    ];
    let status = status(&gauges);
    assert_eq!(status.verdict, Verdict::Unknown);
    assert_eq!(status.gauges[0].used, None);
}

#[test]
fn what_was_not_looked_at_yet_counts_only_while_nothing_else_is_known() {
    let pending = steady(unknown(sessions(0), UnknownReason::NotMeasured));
    let both = [pending.clone(), volume(300 * GB, 190 * GB)];
    assert_eq!(status(&both).verdict, Verdict::Ok);
    assert_eq!(status(&[pending]).verdict, Verdict::Unknown);
    assert_eq!(status(&[]).verdict, Verdict::Unknown);
}

#[test]
fn two_bundles_in_use_are_told_apart() {
    let bundles = [
        bundle(
            Profile::Claude,
            "/h/Claude/vm_bundles/claudevm.bundle",
            true,
        ),
        bundle(
            Profile::Claude3p,
            "/h/Claude-3p/vm_bundles/claudevm.bundle",
            true,
        ),
        bundle(
            Profile::Extra,
            "/h/office/vm_bundles/claudevm.bundle",
            false,
        ),
    ];
    let gauges: Vec<Judged> = bundles.iter().map(|bundle| disk_of(bundle, 500)).collect();
    let latch = Latch::default();
    let status = Status::assemble(&Parts {
        bundles: &bundles,
        ..parts(&gauges, &latch)
    });
    assert_eq!(
        names(&status),
        [
            "Sessions disk (Claude)",
            "Sessions disk (Claude-3p)",
            "Sessions disk (office, not in use)"
        ]
    );
    assert_eq!(
        status.gauges[0].detail,
        "/h/Claude/vm_bundles/claudevm.bundle"
    );
    assert!(status.has_sandbox());
}

#[test]
fn gaps_are_capped_and_counted() {
    let gap = Gap {
        operation: "open".into(),
        path: PathText::default(),
        cause: "denied".into(),
    };
    let gaps = vec![gap; 1000];
    let latch = Latch::default();
    let status = Status::assemble(&Parts {
        gaps: &gaps,
        ..parts(&[], &latch)
    });
    assert_eq!((status.gaps.len(), status.gap_count), (GAPS_SHOWN, 1000));
}

#[test]
fn the_systems_temp_folder_alone_is_no_sandbox_storage() {
    let root = |why| TempRoot {
        id: "0".into(),
        path: "/tmp".into(),
        why,
        owner: Owner::System,
        filesystem: String::new(),
        memory: false,
    };
    let gauges = [volume(300 * GB, 190 * GB)];
    let latch = Latch::default();
    for (why, found) in [
        (RootWhy::SystemTemp, false),
        (RootWhy::UserTemp, false),
        (RootWhy::ClaudeTemp, true),
        (RootWhy::Configured, true),
    ] {
        let roots = [root(why)];
        let status = Status::assemble(&Parts {
            temp_roots: &roots,
            ..parts(&gauges, &latch)
        });
        assert_eq!(
            status.summary == "No sandbox storage found yet",
            !found,
            "{why:?}"
        );
    }
}

#[test]
fn snoozes_are_shown_until_they_end() {
    let gauges = [judged(sessions(850), filling(3))];
    let mut latch = Latch::default();
    let before = Status::assemble(&parts(&gauges, &latch));
    latch.snooze(None, crate::settings::Snooze::Hour, &before.gauges, NOW);
    let shown = |at| {
        let status = Status::assemble(&Parts {
            at,
            ..parts(&gauges, &latch)
        });
        status.gauges[0].snoozed_until
    };
    assert_eq!(shown(NOW), Some(NOW.plus(3600)));
    assert_eq!(shown(NOW.plus(3600)), None);
}

#[test]
fn the_levels_stay_what_they_were() {
    let status = status(&[judged(sessions(880), filling(3))]);
    let Level {
        used,
        available,
        limit,
    } = sessions(880).level.unwrap();
    let gauge = &status.gauges[0];
    assert_eq!(
        (gauge.used, gauge.available, gauge.limit),
        (Some(used), Some(available), Some(limit))
    );
}

#[test]
fn a_bundle_shows_the_disks_that_are_its_own() {
    let bundles = [
        bundle(
            Profile::Claude,
            "/h/Claude/vm_bundles/claudevm.bundle",
            true,
        ),
        bundle(
            Profile::Extra,
            "/h/office/vm_bundles/claudevm.bundle",
            false,
        ),
    ];
    let disk = |bundle: &Bundle, kind, role, allocated| BundleDisk {
        disk: DiskId(GaugeId::new(kind, &bundle.id).0),
        name: "image".into(),
        role,
        sizes: DiskSizes::unread(Apparent(10 * GB), Allocated(allocated)),
    };
    let disks = [
        disk(&bundles[1], GaugeKind::GuestSessions, Role::SessionData, 1),
        disk(&bundles[0], GaugeKind::GuestSessions, Role::SessionData, 2),
        disk(&bundles[0], GaugeKind::GuestSystem, Role::System, 3),
    ];
    let latch = Latch::default();
    let status = Status::assemble(&Parts {
        bundles: &bundles,
        disks: &disks,
        ..parts(&[], &latch)
    });
    let allocated = |bundle: &BundleView| -> Vec<u64> {
        let disks = bundle.disks.iter();
        disks.map(|disk| disk.sizes.allocated.0).collect()
    };
    let shown: Vec<_> = status.bundles.iter().map(allocated).collect();
    assert_eq!(shown, [vec![2, 3], vec![1]]);
    let json = serde_json::to_value(&status.bundles[1].disks[0]).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "disk": disks[0].disk,
            "name": "image",
            "role": "session_data",
            "apparent": 10 * GB,
            "allocated": 1,
            "guest_used": null,
            "guest_size": null,
            "sentence": disks[0].sizes.sentence,
        })
    );
}

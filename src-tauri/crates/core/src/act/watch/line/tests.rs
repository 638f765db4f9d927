use super::*;

#[test]
fn known_lines_are_known_whatever_stands_before_them_and_others_are_not() {
    let download = |number, percent, part| {
        Some(Said::Downloading(Download {
            number,
            percent,
            part,
        }))
    };
    let fault = |fault, first| Some(Said::Fault { fault, first });
    let table: Vec<(&str, Option<Said>)> = vec![
        (
            "[download:1] 99.3% (2203.3/2219.1 MB) avg 24.10 MB/s, ETA 1s",
            download(1, 99, Some((2_203_300, 2_219_100))),
        ),
        (
            "[download:12] 0% (0/1.2 GB)",
            download(12, 0, Some((0, 1_200_000))),
        ),
        ("[download:2] 45.9% of something", download(2, 45, None)),
        ("[download:1] 101.0% (1/1 MB)", None),
        ("[download:1] NaN% (1/1 MB)", None),
        ("[download:1] -3% (1/1 MB)", None),
        ("[download:99999999999999] 3% (1/1 MB)", None),
        ("[download:1] 50.0% (9/0 MB)", download(1, 50, None)),
        (
            "[download:1] 50.0% (9/5 MB)",
            download(1, 50, Some((5_000, 5_000))),
        ),
        ("[download:1] Starting download from somewhere", None),
        ("[warm] [download:1] 45.0% (1/2 MB)", None),
        ("All files ready in a folder", Some(Said::FilesReady)),
        (
            "[VM:start] Startup complete, total time: 31 s",
            Some(Said::Started),
        ),
        ("[VM:start] Beginning startup", None),
        (
            "[VM:steps] download_and_sdk_prepare started",
            Some(Said::Preparing),
        ),
        (
            "[VM:steps] download_and_sdk_prepare completed (4ms)",
            Some(Said::Prepared),
        ),
        (
            "[VM:steps] guest_vsock_connect started",
            Some(Said::Booting),
        ),
        ("[VM:steps]", None),
        (
            "[Bundle:status] rootfs.img version mismatch: have=6d1538ba36ce, want=88251839aa00bb11",
            Some(Said::Mismatch {
                want: Some("88251839aa00bb11".to_owned()),
            }),
        ),
        (
            "[Bundle:status] rootfs.img version mismatch: have=none want=",
            Some(Said::Mismatch { want: None }),
        ),
        ("[Bundle:status] rootfs.img missing", None),
        (
            "[deleteVMBundle] Deleting reinstall files",
            Some(Said::Deleting),
        ),
        (
            "[deleteVMBundle] Reinstall files deleted (sessiondata.img and rootfs.img.zst preserved)",
            Some(Said::Deleted),
        ),
        (
            "[cleanupVMBundleIfUnsupported] yukonSilver not supported (status=unsupported)",
            Some(Said::Unsupported),
        ),
        ("[cleanupVMBundleIfUnsupported] supported", None),
        (
            "[VM:start] Skipping auto-reinstall (already attempted once)",
            fault(Fault::Latched, true),
        ),
        (
            "Checksum mismatch for rootfs.img.zst",
            fault(Fault::Checksum, true),
        ),
        (
            "EXDEV: cross-device link not permitted, rename '/a' -> '/b'",
            fault(Fault::CrossDevice, true),
        ),
        (
            "ENOSPC: no space left on device, write",
            fault(Fault::NoSpace, true),
        ),
        (
            "[VM:steps] download_and_sdk_prepare failed (26577ms): ENOSPC: no space left on device, write",
            fault(Fault::NoSpace, false),
        ),
        // The same words about a disk inside the guest.
        (
            "ENOSPC: no space left on device, mkdir '/sessions/brave-otter/tmp/claude-1000'",
            None,
        ),
        ("useradd: /etc/passwd.77: No space left on device", None),
        (
            "VM connection timeout after 60 seconds",
            fault(Fault::NoAnswer, true),
        ),
        (
            "failed to create session disk: CreateVirtualDisk failed: 0xc03a0014",
            fault(Fault::SessionDisk, true),
        ),
        (
            "session disk not found: C:\\somewhere\\sessiondata.vhdx",
            fault(Fault::DiskMissing, true),
        ),
        (
            "RPC error -1: failed to mount x: Plan9 share \"c\" which is not mounted",
            fault(Fault::Update, true),
        ),
        ("Error 0xC03A001A", fault(Fault::DiskRefused, true)),
        (
            "[VM:start] Startup failed: Error: VM connection timeout after 60 seconds",
            Some(Said::GaveUp(Some(Fault::NoAnswer))),
        ),
        (
            "[VM:start] Startup failed: Error: something new",
            Some(Said::GaveUp(None)),
        ),
        (
            "mounting session disk /dev/sdc at /sessions",
            Some(Said::Mounted),
        ),
        (
            "failed to open service for recovery config: Access is denied",
            None,
        ),
        ("", None),
        ("\u{0}\u{fffd}", None),
    ];
    for (line, said) in table {
        for before in [
            "",
            "2026-03-08 06:49:51 [info] ",
            "[2026-03-08T06:49:51.123Z] [error] ",
            "2026/03/08 06:49:51.000001 ",
            "time=\"2026-03-08T06:49:51+09:00\" level=info msg=\"",
            "\u{feff}",
        ] {
            assert_eq!(parse(&format!("{before}{line}")), said, "{before}{line}");
        }
    }
    // A cut may fall into a letter.
    let long = "é".repeat(5000) + "All files ready";
    assert_eq!(parse(&long), None);
}

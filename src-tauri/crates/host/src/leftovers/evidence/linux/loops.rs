//! Files behind loop devices: the kernel holds them, and no process does.

use std::path::Path;

use sandtray_core::leftover::evidence::How;

use super::hold::{Holder, Holds, id_of};
use crate::act::app::proc::backing_file;

/// Takes the files behind all loop devices. `blocks` is `/sys/block`.
pub(super) fn add(holds: &mut Holds, blocks: &Path) {
    for device in std::fs::read_dir(blocks).into_iter().flatten().flatten() {
        let name = device.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with("loop") {
            continue;
        }
        let text = std::fs::read(device.path().join("loop/backing_file")).unwrap_or_default();
        if let Some(id) = backing_file(&text).and_then(|path| id_of(&path)) {
            let name = format!("loop device {name}");
            let holder = Holder {
                pid: 0,
                name: &name,
            };
            holds.add(id, holder, How::Write);
        }
    }
}

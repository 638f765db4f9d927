//! A machine of a test's own.

use std::path::Path;

use sandtray_core::machine::{Folders, Machine, Os};

/// A machine whose home and temp folder lie in a folder of the test's.
pub(super) fn machine(root: &Path) -> Machine {
    let home = root.join("home");
    Machine {
        os: Os::Linux,
        uid: crate::machine::current().map_or(0, |machine| machine.uid),
        folders: Folders {
            config: home.join(".config"),
            local: home.join(".local/share"),
            temp: root.join("tmp"),
        },
        variables: std::collections::BTreeMap::new(),
        only_roots: Some(vec![root.join("tmp")]),
        user_data: Vec::new(),
        config_dirs: Vec::new(),
        extra_roots: Vec::new(),
        now_offset: 0,
        label: None,
        own_data: home.join(".local/share/sandtray"),
        own_config: home.join(".config/sandtray"),
        home,
    }
}

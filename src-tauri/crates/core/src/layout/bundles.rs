//! Data folders of Claude Desktop, in which `vm_bundles` may lie.

use super::Pattern;
use crate::bundle::Profile;
use crate::machine::{Machine, Os};

/// A data folder that may exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    /// Where.
    pub place: Pattern,
    /// The installation it belongs to.
    pub profile: Profile,
}

/// Every data folder that this machine's installations may use, those named by the user last.
///
/// Windows: the default installer is an MSIX package, so `%APPDATA%\Claude` often does not exist and
/// the data lies in the package's LocalCache (kwp#170, #84559); where the folder existed before, both
/// hold parts (#85209, #66778). `%LOCALAPPDATA%\Claude` is *not* a place (#84559).
#[must_use]
pub fn data_folders(machine: &Machine) -> Vec<DataFolder> {
    let config = || Pattern::exact(&machine.folders.config);
    let local = || Pattern::exact(&machine.folders.local);
    let package = || {
        local()
            .name("Packages")
            .prefix("Claude_")
            .name("LocalCache")
            .name("Roaming")
    };
    let mut found = Vec::new();
    let mut add = |profile: Profile, place: Pattern| found.push(DataFolder { place, profile });
    match machine.os {
        // Official .deb and the unofficial repack share one folder on Linux.
        Os::MacOs | Os::Linux => {
            add(Profile::Claude, config().name("Claude"));
            add(Profile::Claude3p, config().name("Claude-3p"));
        }
        Os::Windows => {
            add(Profile::Claude, package().name("Claude"));
            add(Profile::Claude3p, package().name("Claude-3p"));
            add(Profile::Claude, config().name("Claude"));
            add(Profile::Claude3p, local().name("Claude-3p"));
            add(Profile::Claude3p, config().name("Claude-3p"));
        }
    }
    // Copies made by a multi-account launcher (facts of the VM §1.1).
    let router = Pattern::exact(&machine.home).name(".claude-code-router");
    add(Profile::Extra, router.name("claude-app-user-data").any());
    for folder in &machine.user_data {
        add(Profile::Extra, Pattern::exact(folder));
    }
    found
}

//! Where the app writes what its sandbox does.

use std::path::{Path, PathBuf};

use crate::machine::{Machine, Os};

/// The logs that speak of a rebuild: the app's own, its macOS add-on's, the guest's and the Windows
/// service's. `main.log` is none of them: it quotes the others.
pub const LOGS: [&str; 4] = [
    "cowork_vm_node.log",
    "cowork_vm_swift.log",
    "coworkd.log",
    "cowork-service.log",
];

/// The folders in which the logs of one data folder may lie, whether they exist or not, each once.
///
/// Windows: a package's writes are redirected, but those to `%APPDATA%\Claude\logs` are exempt (#93152), so
/// the logs of a bundle in LocalCache may lie beside the real folder. The third-party profile has folders
/// of its own on every system.
#[must_use]
pub fn log_folders(machine: &Machine, user_data: &Path) -> Vec<PathBuf> {
    let mut found = vec![user_data.join("logs")];
    let mut add = |folder: PathBuf| {
        if !found.contains(&folder) {
            found.push(folder);
        }
    };
    let name = user_data.file_name().unwrap_or("Claude".as_ref());
    match machine.os {
        Os::Linux => {}
        Os::MacOs => add(machine.home.join("Library").join("Logs").join(name)),
        Os::Windows => {
            add(machine.folders.config.join(name).join("logs"));
            if name == "Claude-3p" {
                add(machine.folders.local.join(name).join("logs"));
            }
            if let Some(all_users) = machine.variables.get("PROGRAMDATA") {
                add(all_users.join("Claude").join("Logs"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::machine;

    fn folders(machine: &Machine, user_data: &str) -> Vec<String> {
        log_folders(machine, Path::new(user_data))
            .iter()
            .map(|folder| folder.to_string_lossy().replace('\\', "/"))
            .collect()
    }

    #[test]
    fn each_profile_of_each_system_has_its_logs() {
        let linux = machine(Os::Linux);
        assert_eq!(
            folders(&linux, "/home/ada/.config/Claude-3p"),
            ["/home/ada/.config/Claude-3p/logs"]
        );
        let macos = machine(Os::MacOs);
        assert_eq!(
            folders(&macos, "/Users/ada/Library/Application Support/Claude-3p"),
            [
                "/Users/ada/Library/Application Support/Claude-3p/logs",
                "/Users/ada/Library/Logs/Claude-3p"
            ]
        );
        let mut windows = machine(Os::Windows);
        windows
            .variables
            .insert("PROGRAMDATA".to_owned(), "C:/ProgramData".into());
        let package = "C:/Users/ada/AppData/Local/Packages/Claude_x/LocalCache/Roaming/Claude";
        assert_eq!(
            folders(&windows, package),
            [
                &format!("{package}/logs"),
                "D:/Profiles/ada/Roaming/Claude/logs",
                "C:/ProgramData/Claude/Logs"
            ]
        );
        assert_eq!(
            folders(&windows, "D:/Profiles/ada/Roaming/Claude"),
            [
                "D:/Profiles/ada/Roaming/Claude/logs",
                "C:/ProgramData/Claude/Logs"
            ],
            "each once"
        );
        assert_eq!(
            folders(&windows, "C:/Users/ada/AppData/Local/Claude-3p")[1],
            "D:/Profiles/ada/Roaming/Claude-3p/logs"
        );
    }
}

//! Where the app lies on macOS and Windows, as texts: tested everywhere.

#[cfg(any(target_os = "macos", test))]
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The names of the app's own bundles on macOS; `Contents/MacOS/Claude` in any folder of applications.
#[cfg(any(target_os = "macos", test))]
const MAC: [&str; 4] = ["Claude.app", "Contents", "MacOS", "Claude"];

/// Whether a path is the app's executable on macOS. Its children are "Claude Helper".
#[cfg(any(target_os = "macos", test))]
pub(super) fn is_mac_app(executable: &Path) -> bool {
    let mut parts = executable.iter().rev();
    MAC.iter()
        .rev()
        .all(|name| parts.next() == Some(OsStr::new(name)))
}

/// The bundle that an executable of macOS lies in: what the system can open.
#[cfg(any(target_os = "macos", test))]
pub(super) fn mac_bundle(executable: &Path) -> Option<PathBuf> {
    let inside = executable.parent()?;
    let bundle = inside.parent()?.parent()?;
    let is_bundle = inside.ends_with("Contents/MacOS")
        && bundle
            .extension()
            .is_some_and(|extension| extension == "app");
    is_bundle.then(|| bundle.to_owned())
}

/// Whether a path is the app's executable on Windows: in the package, or where the installer before it
/// put things. The command line tool is a `claude.exe` too.
#[cfg(any(windows, test))]
pub(super) fn is_windows_app(executable: &str) -> bool {
    let lower = executable.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(['\\', '/']).collect();
    let in_package = parts
        .windows(2)
        .any(|pair| matches!(pair, ["windowsapps", package] if package.starts_with("claude_")));
    let installed = parts.contains(&"anthropicclaude");
    parts.last() == Some(&"claude.exe") && (in_package || installed)
}

/// How the system starts a package that an executable lies in: `Claude_1.2.3.0_x64__pzs8sxrjxfjjc` is of
/// the family `Claude_pzs8sxrjxfjjc`. A file in a package cannot be started by its path.
#[cfg(any(windows, test))]
pub(super) fn package_start(executable: &str) -> Option<String> {
    let mut parts = executable.split(['\\', '/']);
    parts.find(|part| part.eq_ignore_ascii_case("WindowsApps"))?;
    let package = parts.next()?;
    let (name, rest) = package.split_once('_')?;
    let (_, publisher) = rest.rsplit_once('_')?;
    (!name.is_empty() && !publisher.is_empty())
        .then(|| format!("shell:AppsFolder\\{name}_{publisher}!{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_app_of_macos_is_known_wherever_it_was_put_and_its_children_are_not_it() {
        for path in [
            "/Applications/Claude.app/Contents/MacOS/Claude",
            "/Users/ada/Applications/Claude.app/Contents/MacOS/Claude",
        ] {
            assert!(is_mac_app(Path::new(path)), "{path}");
        }
        for path in [
            "/Applications/Claude.app/Contents/Frameworks/Claude Helper.app/Contents/MacOS/Claude Helper",
            "/Applications/Other.app/Contents/MacOS/Claude",
            "/usr/local/bin/Claude",
            "Claude",
        ] {
            assert!(!is_mac_app(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_the_system_opens_is_the_bundle() {
        let bundle = |path: &str| mac_bundle(Path::new(path));
        assert_eq!(
            bundle("/Applications/Claude.app/Contents/MacOS/Claude"),
            Some("/Applications/Claude.app".into())
        );
        assert_eq!(bundle("/opt/stand-in"), None);
        assert_eq!(bundle("/opt/x/Contents/MacOS/y"), None);
    }

    #[test]
    fn the_app_of_windows_is_told_from_the_command_line_tool_by_its_folder() {
        for path in [
            r"C:\Program Files\WindowsApps\Claude_1.46388.4.0_x64__pzs8sxrjxfjjc\app\claude.exe",
            r"D:\WindowsApps\Claude_1.0.0.0_arm64__pzs8sxrjxfjjc\app\Claude.exe",
            r"C:\Users\ada\AppData\Local\AnthropicClaude\app-0.14.10\claude.exe",
        ] {
            assert!(is_windows_app(path), "{path}");
        }
        for path in [
            r"C:\Users\ada\.local\bin\claude.exe",
            r"C:\Users\ada\AppData\Roaming\npm\claude.exe",
            r"C:\Program Files\WindowsApps\ClaudeFake_1.0_x64__abc\claude.exe",
            r"C:\Program Files\WindowsApps\Claude_1.0_x64__p\app\resources\cowork-svc.exe",
            r"C:\Claude_1\claude.exe",
            "",
        ] {
            assert!(!is_windows_app(path), "{path}");
        }
    }

    #[test]
    fn a_package_is_started_by_its_family() {
        assert_eq!(
            package_start(
                r"C:\Program Files\WindowsApps\Claude_1.46388.4.0_x64__pzs8sxrjxfjjc\app\claude.exe"
            )
            .as_deref(),
            Some(r"shell:AppsFolder\Claude_pzs8sxrjxfjjc!Claude")
        );
        for path in [
            r"C:\x\claude.exe",
            r"C:\WindowsApps",
            r"C:\WindowsApps\Claude\x",
            r"C:\WindowsApps\_\x",
        ] {
            assert_eq!(package_start(path), None, "{path}");
        }
    }
}

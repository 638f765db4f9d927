//! System packages: what is missing, and how it is installed here.
//!
//! On Debian and Ubuntu they are installed: as root directly, otherwise through `sudo` and only
//! after asking on a terminal. Elsewhere the exact line to type is printed; nothing is guessed.

use std::io::{IsTerminal, Write};

use crate::command::{command, found, output, run};

/// What a task needs the machine to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A C compiler and linker: everything.
    Compiler,
    /// The system's web view with its headers: the app.
    Window,
    /// Disks for the demo machine.
    Disks,
    /// A display, a session bus, a driver for the window, further disks: the suite.
    Tests,
    /// A second browser: the pictures of the window's states.
    Browser,
    /// A compiler that brings the sources of its standard library: other systems' type checks.
    Cross,
    /// A compiler of Windows resources: the app's type check for Windows.
    Resources,
    /// A panel and a window manager: the README's pictures.
    Pictures,
}

impl Need {
    fn debian(self) -> &'static [&'static str] {
        match self {
            Self::Compiler => &["gcc", "libc6-dev"],
            Self::Window => &["libwebkit2gtk-4.1-dev"],
            Self::Disks => &["e2fsprogs"],
            Self::Tests => &[
                "e2fsprogs",
                "bubblewrap",
                "zstd",
                "xvfb",
                "xauth",
                "dbus",
                "webkit2gtk-driver",
                "util-linux",
                "qemu-utils",
                "exfatprogs",
                "exfat-fuse",
            ],
            Self::Browser => &["chromium", "fonts-dejavu-core"],
            Self::Cross => &["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"],
            Self::Resources => &["llvm"],
            Self::Pictures => &[
                "xvfb",
                "xauth",
                "dbus",
                "openbox",
                "xfce4-panel",
                "xfconf",
                "imagemagick",
                "wmctrl",
                "xdotool",
                "x11-xserver-utils",
                "webkit2gtk-driver",
                "fonts-dejavu-core",
                "adwaita-icon-theme",
                "hicolor-icon-theme",
            ],
        }
    }

    /// What to type where packages are not ours to install. Not proven on these systems.
    fn elsewhere(self, system: System) -> &'static str {
        match (system, self) {
            (System::Fedora, Self::Compiler) => "sudo dnf install gcc",
            (System::Fedora, Self::Window) => "sudo dnf install webkit2gtk4.1-devel gtk3-devel",
            (System::Fedora, Self::Disks) => "sudo dnf install e2fsprogs",
            (System::Fedora, Self::Tests) => {
                "sudo dnf install e2fsprogs bubblewrap zstd qemu-img xorg-x11-server-Xvfb xauth dbus-daemon webkitgtk6.0 webkit2gtk-driver"
            }
            (System::Fedora, Self::Browser) => "sudo dnf install chromium dejavu-sans-fonts",
            (System::Arch, Self::Compiler) => "sudo pacman -S --needed base-devel",
            (System::Arch, Self::Window) => "sudo pacman -S --needed webkit2gtk-4.1 gtk3",
            (System::Arch, Self::Disks) => "sudo pacman -S --needed e2fsprogs",
            (System::Arch, Self::Tests) => {
                "sudo pacman -S --needed e2fsprogs bubblewrap zstd qemu-img xorg-server-xvfb xorg-xauth dbus"
            }
            (System::Arch, Self::Browser) => "sudo pacman -S --needed chromium ttf-dejavu",
            (System::Suse, Self::Compiler) => "sudo zypper install gcc",
            (System::Suse, Self::Window) => "sudo zypper install webkit2gtk3-devel gtk3-devel",
            (System::Suse, Self::Disks) => "sudo zypper install e2fsprogs",
            (System::MacOs, Self::Compiler | Self::Window) => "xcode-select --install",
            (System::MacOs, Self::Disks | Self::Tests) => "brew install e2fsprogs qemu",
            (System::Windows, Self::Compiler) => {
                "winget install Microsoft.VisualStudio.2022.BuildTools"
            }
            (System::Windows, Self::Window) => "winget install Microsoft.EdgeWebView2Runtime",
            (System::Fedora, Self::Resources) => "sudo dnf install llvm",
            (System::Arch, Self::Resources) => "sudo pacman -S --needed llvm",
            (System::MacOs, Self::Resources) => "brew install llvm",
            (_, Self::Cross) => "rustup target add aarch64-apple-darwin x86_64-pc-windows-msvc",
            _ => "",
        }
    }

    /// Whether the machine has it, judged by the programs and libraries themselves: for systems
    /// whose package database we do not read.
    fn there(self) -> bool {
        match self {
            Self::Compiler => cfg!(windows) || found("cc").is_some(),
            Self::Window => {
                !cfg!(target_os = "linux")
                    || output(command("pkg-config").args(["--exists", "webkit2gtk-4.1"])).is_ok()
            }
            Self::Disks => found("mke2fs").is_some(),
            Self::Tests => [
                "mke2fs",
                "bwrap",
                "xvfb-run",
                "dbus-run-session",
                "WebKitWebDriver",
            ]
            .iter()
            .all(|program| found(program).is_some()),
            Self::Browser => found("chromium").is_some(),
            Self::Cross => false,
            Self::Resources => found("llvm-rc").is_some(),
            Self::Pictures => ["xvfb-run", "openbox", "xfce4-panel", "import"]
                .iter()
                .all(|program| found(program).is_some()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Debian,
    Fedora,
    Arch,
    Suse,
    MacOs,
    Windows,
    Other,
}

fn system() -> System {
    if cfg!(target_os = "macos") {
        System::MacOs
    } else if cfg!(windows) {
        System::Windows
    } else {
        family(&std::fs::read_to_string("/etc/os-release").unwrap_or_default())
    }
}

/// The family of a Linux distribution, from its `os-release`.
fn family(os_release: &str) -> System {
    let names: Vec<&str> = os_release
        .lines()
        .filter_map(|line| {
            line.strip_prefix("ID=")
                .or_else(|| line.strip_prefix("ID_LIKE="))
        })
        .flat_map(|value| value.trim_matches('"').split(' '))
        .collect();
    for (name, system) in [
        ("debian", System::Debian),
        ("ubuntu", System::Debian),
        ("fedora", System::Fedora),
        ("rhel", System::Fedora),
        ("arch", System::Arch),
        ("suse", System::Suse),
        ("opensuse", System::Suse),
    ] {
        if names.contains(&name) {
            return system;
        }
    }
    System::Other
}

/// Makes sure that the machine has what is needed; says what to type where it cannot.
pub(crate) fn ensure(needs: &[Need]) -> Result<(), String> {
    match system() {
        System::Debian => {
            let missing = missing(needs);
            if missing.is_empty() {
                Ok(())
            } else {
                install(&missing)
            }
        }
        system => {
            let lines: Vec<String> = needs
                .iter()
                .filter(|need| !need.there())
                .map(|need| match need.elsewhere(system) {
                    "" => format!(
                        "{need:?}: no line is known for this system; on Debian it is {:?}",
                        need.debian()
                    ),
                    line => line.to_owned(),
                })
                .collect();
            if lines.is_empty() {
                Ok(())
            } else {
                Err(format!(
                    "missing on this machine; install with:\n  {}",
                    lines.join("\n  ")
                ))
            }
        }
    }
}

/// Debian packages that are not installed.
fn missing(needs: &[Need]) -> Vec<&'static str> {
    let mut wanted: Vec<&str> = needs
        .iter()
        .flat_map(|need| need.debian())
        .copied()
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted.retain(|package| {
        let state = output(command("dpkg-query").args(["-W", "-f=${db:Status-Status}\n", package]));
        // `installed` on any line: a package may be there for several architectures.
        !state.is_ok_and(|state| state.lines().any(|line| line == "installed"))
    });
    wanted
}

fn install(packages: &[&str]) -> Result<(), String> {
    let line = format!(
        "apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    );
    let root = output(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let program: &[&str] = if root {
        println!("installing {}", packages.join(" "));
        &["apt-get"]
    } else if std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && found("sudo").is_some()
        && agreed(&line)
    {
        &["sudo", "apt-get"]
    } else {
        return Err(format!(
            "missing on this machine; install with:\n  sudo {line}"
        ));
    };
    let apt = |arguments: &[&str]| {
        let mut apt = command(program[0]);
        apt.args(&program[1..])
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive");
        run(&mut apt)
    };
    // The lists may be absent or old; an update that fails (no network) does not matter where
    // the packages can be had all the same.
    let updated = apt(&["update", "-q"]);
    let mut arguments = vec!["install", "-y", "-q", "--no-install-recommends"];
    arguments.extend(packages);
    apt(&arguments).map_err(|problem| match updated {
        Ok(()) => problem,
        Err(before) => format!("{before}\n{problem}"),
    })
}

fn agreed(line: &str) -> bool {
    print!("Missing on this machine. Run this now?\n  sudo {line}\n[y/N] ");
    let mut answer = String::new();
    std::io::stdout().flush().is_ok()
        && std::io::stdin().read_line(&mut answer).is_ok()
        && answer.trim().eq_ignore_ascii_case("y")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_are_known_by_their_own_name_or_their_parents() {
        for (text, expected) in [
            ("PRETTY_NAME=\"Debian\"\nID=debian\n", System::Debian),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", System::Debian),
            (
                "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
                System::Fedora,
            ),
            ("ID=manjaro\nID_LIKE=arch\n", System::Arch),
            (
                "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n",
                System::Suse,
            ),
            ("ID=nixos\n", System::Other),
            ("", System::Other),
        ] {
            assert_eq!(family(text), expected, "{text}");
        }
    }
}

//! Types and lints for the systems that this machine is not.
//!
//! Nothing is linked and nothing runs: `cargo clippy` needs the other system's standard library and
//! no SDK. It comes from rustup where the target is installed, else from a compiler that was
//! packaged with its own sources (Debian's `rustc-web`), which builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::steps::Outcome;
use crate::command::{Log, cannot, cargo, command, output, target, workspace};
use crate::packages::{self, Need};

/// A system to check for.
pub(crate) struct Target {
    pub(crate) system: &'static str,
    triple: &'static str,
}

/// The systems of the first day. `msvc` and not `gnu`: it needs no Windows tools to check.
pub(crate) const TARGETS: &[Target] = &[
    Target {
        system: "macos",
        triple: "aarch64-apple-darwin",
    },
    Target {
        system: "windows",
        triple: "x86_64-pc-windows-msvc",
    },
];

const PACKAGED_CARGO: &str = "/usr/bin/cargo";

/// Lints core, host, the command line tool and the app for a target.
pub(crate) fn lint(log: &mut Log, target: &Target) -> Result<Outcome, String> {
    if target.system == std::env::consts::OS {
        return Ok(Outcome::done()); // the step `clippy` was for this system
    }
    let mut clippy = match toolchain(target) {
        Ok(clippy) => clippy,
        Err(reason) => {
            return Ok(Outcome::skipped(
                &format!("clippy-{}", target.system),
                reason,
            ));
        }
    };
    for package in ["sandtray-core", "sandtray-host", "sandtrayctl", "sandtray"] {
        clippy.args(["-p", package]);
    }
    clippy
        .args(["--features", "sandtray/custom-protocol"])
        .args([
            "--all-targets",
            "--target",
            target.triple,
            "--",
            "-D",
            "warnings",
        ]);
    stub_c_compiler(&mut clippy, target)?;
    log.run(&mut clippy)?;
    Ok(Outcome::checked(1))
}

/// A Cargo that can check for the target, with `clippy` as its first argument.
fn toolchain(target: &Target) -> Result<Command, String> {
    // The app's icon resource is compiled even for a check.
    if target.system == "windows" {
        packages::ensure(&[Need::Resources])?;
    }
    let folder = folder();
    let installed = output(command("rustup").args(["target", "list", "--installed"]));
    if installed.is_ok_and(|list| list.lines().any(|line| line.trim() == target.triple)) {
        let mut clippy = cargo();
        clippy.arg("clippy").env("CARGO_TARGET_DIR", folder);
        return Ok(clippy);
    }
    let ensured = packages::ensure(&[Need::Cross]);
    if !Path::new(PACKAGED_CARGO).is_file() {
        let why = ensured.err().unwrap_or_default();
        return Err(format!("no standard library for {} {why}", target.triple));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::iter::once(PathBuf::from("/usr/bin"))
        .chain(std::env::split_paths(&path))
        .collect();
    let path = std::env::join_paths(folders).map_err(|problem| problem.to_string())?;
    let mut clippy = command(PACKAGED_CARGO);
    // The packaged compiler is a stable one; building its own standard library asks for this.
    clippy
        .args(["clippy", "-Zbuild-std=std,panic_abort"])
        .env("PATH", path)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", folder)
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("RUSTC")
        .env_remove("CARGO");
    Ok(clippy)
}

/// Where the checks build: apart from the real builds, whose compiler is another one.
fn folder() -> PathBuf {
    std::env::var_os("SANDTRAY_CROSS_TARGET")
        .map_or_else(|| target().join("cross"), |folder| workspace().join(folder))
}

/// C and Objective-C in build scripts (the database, notifications) cannot be compiled for another
/// system without its SDK. For a check it need not be: empty objects do, as nothing is linked.
fn stub_c_compiler(clippy: &mut Command, target: &Target) -> Result<(), String> {
    let folder = folder().join("stubs");
    fs::create_dir_all(&folder).map_err(|cause| cannot("create", &folder, &cause))?;
    let compiler = script(&folder, "stub-cc", STUB_CC)?;
    let archiver = script(&folder, "stub-ar", STUB_AR)?;
    let underscored = target.triple.replace('-', "_");
    clippy
        .env(format!("CC_{underscored}"), compiler)
        .env(format!("AR_{underscored}"), archiver);
    Ok(())
}

fn script(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let file = folder.join(name);
    // Written only when it differs: a new time would make build scripts run again.
    if fs::read_to_string(&file).is_ok_and(|there| there == text) {
        return Ok(file);
    }
    fs::write(&file, text).map_err(|cause| cannot("write", &file, &cause))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))
            .map_err(|cause| cannot("make executable", &file, &cause))?;
    }
    Ok(file)
}

/// Writes an empty object where `-o` (or `/Fo`, `-Fo`) points.
const STUB_CC: &str = r#"#!/bin/sh
out=
previous=
for word in "$@"; do
  case $previous in -o) out=$word ;; esac
  case $word in -Fo*|/Fo*) out=${word#?Fo} ;; esac
  previous=$word
done
case " $* " in
  *" -E "*) exit 0 ;;
  *" --version "*|*" -v "*) echo "clang version 17.0.0"; exit 0 ;;
esac
[ -n "$out" ] && : > "$out"
exit 0
"#;

/// Writes an empty archive.
const STUB_AR: &str = r#"#!/bin/sh
for word in "$@"; do
  file=${word#?OUT:}
  file=${file#?out:}
  case $file in *.a|*.lib) printf '!<arch>\n' > "$file" ;; esac
done
exit 0
"#;

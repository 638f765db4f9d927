//! Rules of this repository that no compiler knows. Few, because each is a cost.
#![allow(clippy::unwrap_used, reason = "all of this is a test")]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Every file of ours below a folder whose name ends in one of `ends`, with its path from the root.
fn files(below: &str, ends: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let root = root();
    gather(&root.join(below), &mut found);
    let mut files: Vec<_> = found
        .into_iter()
        .map(|path| {
            (
                path.strip_prefix(&root)
                    .unwrap()
                    .to_string_lossy()
                    .replace('\\', "/"),
                path,
            )
        })
        .filter(|(name, _)| ends.iter().any(|end| name.ends_with(end)))
        .filter_map(|(name, path)| Some((name, fs::read_to_string(path).ok()?)))
        .collect();
    files.sort();
    files
}

fn gather(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let made = ["target", "node_modules", "dist", "dist-mock", "gen", ".git"];
        if made.iter().any(|made| name == *made) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            gather(&path, into);
        } else {
            into.push(path);
        }
    }
}

/// The code of a file without its comments' words: a rule must not forbid to explain itself.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn core_names_no_files_clock_environment_or_processes() {
    for (name, text) in files("src-tauri/crates/core/src", &[".rs"]) {
        for word in [
            "std::fs",
            "std::env",
            "std::process",
            "SystemTime",
            "Instant::now",
            "std::net",
            "std::thread",
        ] {
            assert!(
                !code(&text).any(|line| line.contains(word)),
                "{name} names {word}: core only decides"
            );
        }
    }
}

#[test]
fn only_the_shell_names_tauri() {
    for (name, text) in files(".", &[".rs", "Cargo.toml"]) {
        let shell = name.starts_with("src-tauri/src/")
            || name.starts_with("src-tauri/examples/")
            || ["src-tauri/Cargo.toml", "src-tauri/build.rs"].contains(&name.as_str());
        let named = code(&text).any(|line| {
            [
                "tauri::",
                "tauri_plugin",
                "use tauri",
                "tauri =",
                "tauri-plugin",
            ]
            .iter()
            .any(|word| line.contains(word))
        });
        let ours = name == "tests/tests/house_rules.rs";
        assert!(shell || ours || !named, "{name} names Tauri");
    }
}

#[test]
fn one_file_of_the_window_knows_the_backend() {
    for (name, text) in files("ui", &[".ts", ".svelte", ".mjs", ".js"]) {
        let knows = code(&text).any(|line| {
            let line = line.trim_start();
            let imports = ["import", "export", "} from"]
                .iter()
                .any(|start| line.starts_with(start))
                || line.contains("import(");
            imports && line.contains("'@tauri-apps")
        });
        assert!(
            name == "ui/src/ipc.ts" || !knows,
            "{name} imports @tauri-apps; ask ui/src/ipc.ts"
        );
    }
}

#[test]
fn no_file_is_longer_than_500_lines() {
    for (name, text) in files(".", &[".rs", ".ts", ".svelte", ".css", ".mjs"]) {
        let lines = text.lines().count();
        assert!(lines <= 500, "{name} has {lines} lines: split it");
    }
}

#[test]
fn names_say_what_a_thing_is() {
    for (name, _) in files(".", &[".rs", ".ts", ".svelte"]) {
        for word in [
            "manager", "service", "helper", "util", "handler", "common", "misc",
        ] {
            let parts = name.split(['/', '.', '_', '-']);
            let mut parts = parts.map(|part| part.trim_end_matches('s').to_lowercase());
            assert!(
                parts.all(|part| part != word),
                "{name}: {word} says nothing"
            );
        }
    }
}

#[test]
fn lock_files_name_no_hosts_but_the_public_registry() {
    let root = root();
    let npm = fs::read_to_string(root.join("ui/package-lock.json")).unwrap_or_default();
    assert!(
        !npm.contains("\"resolved\""),
        "ui/package-lock.json: omit-lockfile-registry-resolved is lost"
    );
    let cargo = fs::read_to_string(root.join("Cargo.lock")).unwrap();
    for line in cargo.lines().filter(|line| line.starts_with("source = ")) {
        assert_eq!(
            line,
            "source = \"registry+https://github.com/rust-lang/crates.io-index\""
        );
    }
}

#[test]
fn nothing_names_a_folder_of_the_machine_it_was_written_on() {
    let home = std::env::var("HOME").unwrap_or_default();
    for (name, text) in files(
        ".",
        &[
            ".rs", ".ts", ".svelte", ".md", ".toml", ".json", ".yml", "run",
        ],
    ) {
        if name == "tests/tests/house_rules.rs" {
            continue;
        }
        let root = root().to_string_lossy().into_owned();
        for folder in [home.as_str(), root.as_str(), "/root/.", "/home/runner"] {
            let shared = ["", "/", "/root", "/tmp", "/nonexistent"].contains(&folder);
            assert!(shared || !text.contains(folder), "{name} names {folder}");
        }
    }
}

#[test]
fn the_readme_tells_both_commands() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for command in [
        "cargo xtask run",
        "cargo xtask test",
        "cargo xtask run --demo",
        "sandtrayctl",
    ] {
        assert!(
            readme.contains(command),
            "README.md does not tell {command}"
        );
    }
    let pieces = readme.split(['(', ')', '"', ' ', '\n']);
    for path in pieces.filter(|piece| piece.starts_with("assets/") || piece.starts_with("LICENSE"))
    {
        assert!(
            root().join(path).exists(),
            "README.md points at {path}, which is not there"
        );
    }
}

#[test]
fn what_this_system_cannot_build_is_still_reached_by_a_mod_line() {
    // A per-system file that no `mod` names is dead text, and no compiler says so.
    for (name, _) in files(
        "src-tauri",
        &["linux.rs", "macos.rs", "windows.rs", "unix.rs", "other.rs"],
    ) {
        let path = root().join(&name);
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = path.parent().unwrap();
        let above = folder.with_extension("rs");
        let named = [
            folder.join("mod.rs"),
            above,
            folder.join("lib.rs"),
            folder.join("main.rs"),
        ]
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .any(|text| {
            let own = format!("mod {stem};");
            // Where every file of a folder is called the same inside: `#[path = "linux.rs"] mod system;`.
            let renamed = format!("#[path = \"{stem}.rs\"]");
            let inside = folder.file_name().unwrap().to_string_lossy();
            let renamed_above = format!("#[path = \"{inside}/{stem}.rs\"]");
            text.lines().map(str::trim).any(|line| {
                line == renamed
                    || line == renamed_above
                    || line
                        .trim_start_matches("pub(crate) ")
                        .trim_start_matches("pub ")
                        == own
            })
        });
        assert!(named, "{name} is reached by no mod line");
    }
}

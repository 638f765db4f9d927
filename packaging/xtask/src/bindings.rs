//! The window's types, written from the Rust types.
//!
//! Why checked in: the window builds and is reviewed without Rust. `--check` (and the suite) makes
//! them again elsewhere and compares, so that they cannot go stale.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::command::{Log, cannot, cargo, scratch, workspace};

const FOLDER: &str = "ui/src/bindings";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut log = Log::create("bindings")?;
    if arguments.iter().any(|argument| argument == "--check") {
        return fresh(&mut log).map(|count| println!("{count} types, all fresh"));
    }
    let folder = workspace().join(FOLDER);
    let old = contents(&folder)?;
    let made = make(&mut log)?;
    fs::create_dir_all(&folder).map_err(|cause| cannot("create", &folder, &cause))?;
    for name in old.keys().filter(|name| !made.contains_key(*name)) {
        let file = folder.join(name);
        fs::remove_file(&file).map_err(|cause| cannot("remove", &file, &cause))?;
    }
    for (name, text) in &made {
        let file = folder.join(name);
        fs::write(&file, text).map_err(|cause| cannot("write", &file, &cause))?;
    }
    println!("{} types in {FOLDER}", made.len());
    Ok(())
}

/// Fails where a checked-in type differs from what the Rust types give now.
pub(crate) fn fresh(log: &mut Log) -> Result<usize, String> {
    let old = contents(&workspace().join(FOLDER))?;
    let made = make(log)?;
    let stale: Vec<&str> = made
        .iter()
        .filter(|(name, text)| old.get(*name) != Some(text))
        .map(|(name, _)| name.as_str())
        .chain(
            old.keys()
                .filter(|name| !made.contains_key(*name))
                .map(String::as_str),
        )
        .collect();
    if stale.is_empty() {
        Ok(made.len())
    } else {
        Err(format!(
            "{FOLDER} is stale ({}): run `cargo xtask bindings` and commit",
            stale.join(", ")
        ))
    }
}

fn make(log: &mut Log) -> Result<BTreeMap<String, String>, String> {
    let folder = scratch()?.join("bindings");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|cause| cannot("remove", &folder, &cause))?;
    }
    log.run(
        cargo()
            .args([
                "test",
                "-p",
                "sandtray-core",
                "--features",
                "ts",
                "--lib",
                "export_bindings",
            ])
            .env("TS_RS_EXPORT_DIR", &folder),
    )?;
    let made = contents(&folder)?;
    if made.is_empty() {
        return Err(
            "no type was written: is the feature `ts` of sandtray-core still there?".to_owned(),
        );
    }
    Ok(made)
}

fn contents(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(files);
    };
    for entry in entries {
        let path = entry
            .map_err(|cause| cannot("read", folder, &cause))?
            .path();
        if path.extension().is_some_and(|extension| extension == "ts") {
            let text = fs::read_to_string(&path).map_err(|cause| cannot("read", &path, &cause))?;
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            // A checkout on Windows may hold other line ends.
            files.insert(name, text.replace("\r\n", "\n"));
        }
    }
    Ok(files)
}

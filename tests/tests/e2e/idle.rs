//! What it costs to keep the app running, beside a bare tray in the same run.
//!
//! Not a test: numbers of a machine under load fail nobody. `cargo xtask bench idle` runs it by name.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};

use crate::app::{self, Words};
use crate::desktop::Desktop;
use crate::machine;

/// How long each state is watched.
const MINUTE: Duration = Duration::from_secs(60);

/// A process and its children, at a moment.
#[derive(Clone, Debug, Default)]
struct Cost {
    processes: u32,
    /// Of all of them, in kB: memory that is nobody else's file.
    anonymous: u64,
    ticks: u64,
    /// Times that a thread gave the processor up by itself: its wake-ups.
    switches: u64,
    names: Vec<String>,
}

#[tokio::test]
#[ignore = "measures for four minutes: cargo xtask bench idle"]
async fn cost() {
    let Some(bare) = std::env::var_os("SANDTRAY_BARE") else {
        return; // part of the suite's run of ignored tests, where nobody asked for numbers
    };
    println!(
        "{:<34} {:>9} {:>11} {:>10} {:>12}",
        "", "processes", "anonymous", "CPU", "wake-ups"
    );
    let desktop = Desktop::whole().await;
    let mut child = quiet(&mut Command::new(PathBuf::from(bare)));
    desktop.item(child.id().unwrap()).await;
    report("bare tray", child.id().unwrap()).await;
    child.kill().await.unwrap();
    desktop.close().await;

    let desktop = Desktop::whole().await;
    let machine = machine(60.0);
    let mut child = app::command(&machine).arg("--hidden").spawn().unwrap();
    let words = Words::default();
    words.listen(child.stderr.take().unwrap());
    let item = desktop.item(child.id().unwrap()).await;
    crate::until("the first look", async || {
        item.tooltip().await.contains("room").then_some(())
    })
    .await;
    report("Sandtray, window never opened", child.id().unwrap()).await;

    item.choose("Open Sandtray").await;
    words.said("page loaded", 1).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    report("Sandtray, window open", child.id().unwrap()).await;
    let closed = Command::new("wmctrl")
        .args(["-c", "Sandtray"])
        .status()
        .await
        .unwrap();
    assert!(closed.success(), "wmctrl found no window");
    words.said("window closed", 1).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let after = report("Sandtray, window closed again", child.id().unwrap()).await;
    assert!(
        !after.names.iter().any(|name| name.contains("WebKitWebPr")),
        "a web process stays: {after:?}"
    );
    child.kill().await.unwrap();
    desktop.close().await;
}

fn quiet(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn report(what: &str, root: u32) -> Cost {
    let before = cost_of(root);
    tokio::time::sleep(MINUTE).await;
    let after = cost_of(root);
    // A tick is a hundredth of a second.
    let percent = (after.ticks - before.ticks) as f64 / 100.0 / MINUTE.as_secs_f64() * 100.0;
    println!(
        "{what:<34} {:>9} {:>8.1} MB {percent:>8.2} % {:>8}/min",
        after.processes,
        after.anonymous as f64 / 1000.0,
        after.switches.saturating_sub(before.switches),
    );
    after
}

/// The cost of a process and of all its descendants so far.
fn cost_of(root: u32) -> Cost {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        if let Some(parent) = field(&format!("/proc/{pid}/status"), "PPid:") {
            parents.insert(pid, u32::try_from(parent).unwrap_or(0));
        }
    }
    let mut ours = vec![root];
    let mut at = 0;
    while let Some(pid) = ours.get(at).copied() {
        ours.extend(
            parents
                .iter()
                .filter(|(_, parent)| **parent == pid)
                .map(|(child, _)| *child),
        );
        at += 1;
    }
    let mut cost = Cost::default();
    for pid in ours {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
            continue;
        };
        // The name in brackets may hold spaces; what follows it does not.
        let rest: Vec<&str> = stat.rsplit(") ").next().unwrap_or("").split(' ').collect();
        let number = |index: usize| {
            rest.get(index)
                .and_then(|field| field.parse::<u64>().ok())
                .unwrap_or(0)
        };
        cost.processes += 1;
        cost.ticks += number(11) + number(12);
        cost.anonymous += field(&format!("/proc/{pid}/status"), "RssAnon:").unwrap_or(0);
        cost.names
            .push(fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default());
        for task in fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let status = task.path().join("status");
            cost.switches +=
                field(status.to_str().unwrap(), "voluntary_ctxt_switches:").unwrap_or(0);
        }
    }
    cost
}

fn field(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

//! Leftovers in the real window: looked for, previewed, cleaned, and nothing else touched.

use std::fs;

use fantoccini::Locator;
use fantoccini::elements::Element;
use sandtray_tests::leftovers::{self, Amount};
use sandtray_tests::machine::TestMachine;

use crate::desktop::Desktop;
use crate::window::Driven;

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn leftovers_are_looked_for_previewed_and_cleaned_in_the_window() {
    let desktop = Desktop::whole().await;
    let mut machine = TestMachine::new().unwrap();
    // Two hours later than everything on it.
    machine.now_offset = 2 * 3_600;
    machine.save().unwrap();
    let uid = rustix::process::geteuid().as_raw();
    let amount = Amount {
        directories: 400,
        files: 60,
    };
    leftovers::in_temp_root(&machine.tmp(), uid, amount).unwrap();
    leftovers::in_home(&machine.home()).unwrap();
    let canary = machine.tmp().join("claude-empty-holds1");
    fs::create_dir(&canary).unwrap();
    fs::write(canary.join("work.md"), "work").unwrap();
    let empty = || {
        let names = fs::read_dir(machine.tmp()).unwrap();
        names
            .filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_string_lossy().starts_with("claude-empty-")
            })
            .count()
    };
    assert_eq!(empty(), 201);

    let driven = Driven::start(&machine).await;
    driven.page.set_window_size(1000, 700).await.unwrap();
    button(&driven, "Leftovers").await.click().await.unwrap();
    // The only button that names the act leads to the preview, and there to the act.
    let clean = button(&driven, "Clean").await;
    driven.picture("leftovers.png").await;
    clean.click().await.unwrap();
    let remove = button(&driven, "Remove").await;
    driven.picture("leftovers-preview.png").await;
    assert_eq!(empty(), 201, "a preview changes nothing");
    remove.click().await.unwrap();
    driven.shows("removed").await;
    driven.picture("leftovers-done.png").await;
    crate::until("the empty folders gone", async || {
        (empty() == 1).then_some(())
    })
    .await;
    assert_eq!(fs::read(canary.join("work.md")).unwrap(), b"work");
    assert!(machine.home().join(".claude/history.jsonl").exists());
    assert!(machine.home().join(".claude/settings.json").exists());
    driven.close().await;
    desktop.close().await;
}

/// The button whose text begins like this.
async fn button(driven: &Driven, text: &str) -> Element {
    let path = format!("//button[not(@disabled)][starts-with(normalize-space(.), '{text}')]");
    let found = driven
        .page
        .wait()
        .at_most(crate::PATIENCE)
        .for_element(Locator::XPath(&path));
    found
        .await
        .unwrap_or_else(|problem| panic!("no button {text:?}: {problem}"))
}

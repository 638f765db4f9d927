//! A reset and its undo in the real window, with the stand-in for Claude Desktop.

use fantoccini::Locator;
use sandtray_tests::stand_in::StandIn;
use sandtray_tests::{disk, skip};

use crate::desktop::Desktop;
use crate::machine;
use crate::window::Driven;

const NAME: &str = "reset::a_reset_is_read_confirmed_followed_and_undone_in_the_window";

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn a_reset_is_read_confirmed_followed_and_undone_in_the_window() {
    if rustix::process::geteuid().is_root() {
        return skip::say(NAME, "root never resets");
    }
    if let Err(reason) = disk::possible() {
        return skip::say(NAME, reason);
    }
    let desktop = Desktop::whole().await;
    let machine = sandtray_tests::machine::TestMachine::new().unwrap();
    let app = StandIn::on(&machine).running().unwrap();
    let config = machine.home().join(".config/sandtray");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), app.settings()).unwrap();
    let before = app.disks_identity().unwrap();
    let first = app.pid().unwrap();

    let driven = Driven::start(&machine).await;
    driven.page.set_window_size(1000, 700).await.unwrap();
    press(&driven, "Reset").await;
    driven.shows("What is not touched").await;
    // Both disks are small, so the whole bundle is what is recommended.
    let scope = Locator::XPath("//label[contains(., 'Session disk only')]");
    driven
        .page
        .find(scope)
        .await
        .unwrap()
        .click()
        .await
        .unwrap();
    driven.picture("reset-preview.png").await;
    press(&driven, "Quit Claude and reset the session disk").await;
    app.until_ended(first);
    let second = app.until_back(first);
    driven.find_text("button", "Undo…").await;
    driven.picture("reset-done.png").await;
    let now = app.disks_identity().unwrap();
    assert!(!now["sessiondata.img"].same_file(&before["sessiondata.img"]));
    assert!(now["rootfs.img"].same_file(&before["rootfs.img"]));
    crate::until("a notification of the end", async || {
        let told = desktop.notes();
        let ended =
            |note: &crate::desktop::Note| note.summary.starts_with("The session disk was moved");
        told.iter().any(ended).then_some(())
    })
    .await;

    press(&driven, "Undo…").await;
    driven.picture("restore-preview.png").await;
    press(&driven, "Quit Claude and put this copy back").await;
    app.until_ended(second);
    let _third = app.until_back(second);
    driven.shows("is back in place").await;
    driven.picture("restore-done.png").await;
    let now = app.disks_identity().unwrap();
    assert!(now["sessiondata.img"].same_file(&before["sessiondata.img"]));
    // What the reset built stands aside in its turn.
    press(&driven, "Activity").await;
    driven.picture("activity.png").await;
    driven.close().await;
    desktop.close().await;
}

async fn press(driven: &Driven, text: &str) {
    // Also a button that says more than its name: a count, a mark.
    let path = format!(
        "//button[not(@disabled)][normalize-space()='{text}' or starts-with(normalize-space(), '{text} ')]"
    );
    let button = driven
        .page
        .wait()
        .at_most(crate::PATIENCE)
        .for_element(Locator::XPath(&path))
        .await
        .unwrap_or_else(|problem| panic!("no button {text:?}: {problem}"));
    button.click().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn the_sessions_on_a_disk_are_listed_searched_and_opened() {
    let desktop = Desktop::whole().await;
    let machine = machine(88.0);
    let driven = Driven::start(&machine).await;
    driven.page.set_window_size(1000, 700).await.unwrap();
    press(&driven, "Inside").await;
    driven
        .find("[role=grid] [role=row][aria-rowindex='13']")
        .await;
    let inside = driven.picture("inside.png").await;
    assert!(
        inside.len() > 20_000,
        "the panel looks empty: {} bytes",
        inside.len()
    );
    let search = driven.find("input[type=search]").await;
    search.send_keys("no such session").await.unwrap();
    crate::until("an empty list", async || {
        let rows = Locator::Css("[role=row][aria-rowindex='2']");
        driven.page.find(rows).await.err().map(drop)
    })
    .await;
    driven.close().await;
    desktop.close().await;
}

//! The click-through: a notification before the trouble, and its click at the right gauge.

use std::time::Duration;

use crate::app::App;
use crate::desktop::{Desktop, Offers};
use crate::machine;
use crate::window::Driven;

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn a_click_on_the_notification_opens_the_window_at_the_gauge_it_spoke_of() {
    let desktop = Desktop::whole().await;
    let machine = machine(92.0);
    // A driven app has its window open from the start: what is tested is that the click leads there.
    let driven = Driven::start(&machine).await;
    let note = desktop.note().await;
    assert!(
        note.summary.to_lowercase().contains("sessions disk"),
        "{note:?}"
    );
    assert!(note.summary.contains("92 %"), "{note:?}");
    assert_eq!(
        note.actions.first().map(String::as_str),
        Some("default"),
        "{note:?}"
    );
    assert!(!note.body.is_empty(), "no remedy: {note:?}");

    let card = driven.find("[data-gauge^='guest_sessions:']").await;
    assert_eq!(
        card.attr("aria-pressed").await.unwrap().as_deref(),
        Some("false")
    );
    let other = driven.find("[data-gauge^='host_bytes:']").await;
    crate::until("the gauge to be looked at", async || {
        desktop.click(&note, "default").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        (card.attr("aria-pressed").await.unwrap().as_deref() == Some("true")).then_some(())
    })
    .await;
    assert_eq!(
        other.attr("aria-pressed").await.unwrap().as_deref(),
        Some("false")
    );
    driven.picture("notice-clicked.png").await;
    driven.close().await;
    desktop.close().await;
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn a_click_opens_a_window_where_there_was_none_and_a_restart_tells_nothing_twice() {
    let desktop = Desktop::whole().await;
    let machine = machine(92.0);
    let app = App::start(&machine, &[]);
    let note = desktop.note().await;
    assert_eq!(
        app.words.count("window shown"),
        0,
        "nobody asked for a window"
    );
    crate::until("the window", async || {
        desktop.click(&note, "default").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        (app.words.count("window shown") > 0).then_some(())
    })
    .await;
    app.words.said("page loaded", 1).await;
    let told = desktop.notes().len();
    app.kill().await;

    // Killed and started again: the latch was stored before, or with, the notification.
    let again = App::start(&machine, &[]);
    let item = desktop.item(again.number()).await;
    crate::until("the first look", async || {
        item.tooltip().await.contains("92 %").then_some(())
    })
    .await;
    again.words.said("tray shown", 1).await;
    let sessions =
        |note: &crate::desktop::Note| note.summary.to_lowercase().contains("sessions disk");
    assert_eq!(
        desktop
            .notes()
            .iter()
            .skip(told)
            .filter(|note| sessions(note))
            .count(),
        0
    );
    again.kill().await;
    desktop.close().await;
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn a_server_without_actions_gets_a_text_that_leads_to_the_tray() {
    let desktop = Desktop::with(Offers {
        tray: true,
        notices: true,
        actions: false,
    })
    .await;
    let machine = machine(92.0);
    let app = App::start(&machine, &[]);
    let note = desktop.note().await;
    assert!(note.actions.is_empty(), "{note:?}");
    assert!(note.body.contains("tray"), "{note:?}");
    app.kill().await;
    desktop.close().await;
}

//! The window: its chart, and settings that outlast a restart.

use fantoccini::Locator;

use crate::desktop::Desktop;
use crate::machine;
use crate::window::Driven;

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn the_window_says_it_in_a_sentence_and_charts_another_span_when_asked() {
    let desktop = Desktop::whole().await;
    let machine = machine(88.0);
    let driven = Driven::start(&machine).await;
    driven.shows("88 %").await;
    driven.find("[data-gauge^='guest_sessions:']").await;
    let overview = driven.picture("overview.png").await;
    assert!(
        overview.len() > 20_000,
        "the window looks empty: {} bytes",
        overview.len()
    );

    for span in ["The last hour", "The last 30 days"] {
        driven
            .find(&format!("input[type=radio][aria-label='{span}']"))
            .await;
        // The radio itself is out of sight; a person presses its label.
        let label = format!("//label[@title='{span}']");
        driven
            .page
            .find(Locator::XPath(&label))
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        let chosen = format!("input[type=radio][aria-label='{span}']:checked");
        driven.find(&chosen).await;
        driven
            .find(&format!("[aria-label^='{span}'], [aria-label*='{span}.']"))
            .await;
    }
    driven.picture("overview-30-days.png").await;
    driven.close().await;
    desktop.close().await;
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn a_saved_threshold_is_still_there_after_a_restart() {
    let desktop = Desktop::whole().await;
    let machine = machine(20.0);
    let driven = Driven::start(&machine).await;
    driven
        .find_text("button", "Settings")
        .await
        .click()
        .await
        .unwrap();
    let field = driven.find("#sessions_low_percent").await;
    assert_eq!(field.prop("value").await.unwrap().as_deref(), Some("80"));
    field.clear().await.unwrap();
    field.send_keys("77").await.unwrap();
    driven
        .find_text("button", "Save changes")
        .await
        .click()
        .await
        .unwrap();
    driven.shows("Saved.").await;
    driven.picture("settings.png").await;
    driven.close().await;

    let stored = machine.home().join(".config/sandtray/settings.toml");
    let text = std::fs::read_to_string(&stored)
        .unwrap_or_else(|problem| panic!("{}: {problem}", stored.display()));
    assert!(text.contains("sessions_low_percent = 77"), "{text}");
    assert!(
        !text.contains("sessions_critical_percent"),
        "what does not differ is stored: {text}"
    );

    let again = Driven::start(&machine).await;
    again
        .find_text("button", "Settings")
        .await
        .click()
        .await
        .unwrap();
    let field = again.find("#sessions_low_percent").await;
    assert_eq!(field.prop("value").await.unwrap().as_deref(), Some("77"));
    again.close().await;
    desktop.close().await;
}

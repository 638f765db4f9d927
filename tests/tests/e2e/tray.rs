//! The glance: icon, tooltip, menu.

use crate::app::App;
use crate::desktop::Desktop;
use crate::{machine, until};

/// Waits until the tray speaks of a full measurement and returns its first menu line.
async fn line_with(item: &crate::desktop::Item, text: &str) -> String {
    until(&format!("a menu line with {text:?}"), async || {
        item.labels()
            .await
            .into_iter()
            .find(|label| label.contains(text))
    })
    .await
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn the_tray_alone_says_how_it_stands_and_what_fills_up() {
    let mut icons = Vec::new();
    for (percent, word) in [(20.5, "20 %"), (85.5, "85 %"), (95.5, "95 %")] {
        let desktop = Desktop::whole().await;
        let machine = machine(percent);
        let app = App::start(&machine, &[]);
        let item = desktop.item(app.number()).await;
        if percent > 50.0 {
            let line = line_with(&item, word).await;
            assert!(line.to_lowercase().contains("sessions"), "{line}");
            let tooltip = item.tooltip().await;
            assert!(tooltip.contains(word), "{tooltip}");
        } else {
            app.words.said("tray shown", 1).await;
            // The first look has happened once the tooltip no longer speaks of an unknown state.
            until("a calm tooltip", async || {
                let icon = item.pixels().await;
                (!icons.contains(&icon) && !item.tooltip().await.to_lowercase().contains("unknown"))
                    .then_some(())
            })
            .await;
        }
        let icon = item.pixels().await;
        assert_eq!(
            icon.argb.len(),
            usize::try_from(icon.width * icon.width * 4).unwrap()
        );
        assert!(
            icon.argb.chunks(4).any(|pixel| pixel[0] == 255),
            "the icon is empty"
        );
        assert!(
            !icons.contains(&icon),
            "the icon does not change with the level ({percent} %)"
        );
        icons.push(icon);
        assert_eq!(
            app.words.count("window shown"),
            0,
            "nobody asked for a window"
        );
        app.kill().await;
        desktop.close().await;
    }
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn open_and_the_left_click_open_one_window_and_quit_ends_the_app() {
    let desktop = Desktop::whole().await;
    let mut machine = machine(20.0);
    machine.label = Some("Demo".to_owned());
    machine.save().unwrap();
    let mut app = App::start(&machine, &[]);
    let item = desktop.item(app.number()).await;
    until("the label of the machine", async || {
        item.title().await.contains("Demo").then_some(())
    })
    .await;

    item.choose("Open Sandtray").await;
    app.words.said("page loaded", 1).await;
    item.activate().await;
    app.words.said("window shown", 2).await;
    assert_eq!(
        app.words.count("page loaded"),
        1,
        "a second window was opened"
    );
    assert!(app.runs());

    item.choose("Quit Sandtray").await;
    assert!(app.ended().await.success());
    desktop.close().await;
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn a_second_start_raises_the_window_of_the_first_and_ends() {
    let desktop = Desktop::whole().await;
    let machine = machine(20.0);
    let mut first = App::start(&machine, &[]);
    first.words.said("tray shown", 1).await;

    let second = App::start(&machine, &[]);
    assert!(second.ended().await.success());
    first.words.said("window shown", 1).await;
    let hidden = App::start(&machine, &["--hidden"]);
    assert!(hidden.ended().await.success());
    first.words.said("started again", 2).await;
    assert_eq!(
        first.words.count("window shown"),
        1,
        "a hidden start opened the window"
    );
    assert!(first.runs());
    first.kill().await;
    desktop.close().await;
}

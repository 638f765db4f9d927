//! Desktops that offer less: the app goes on with what there is, and says what is missing.

use crate::desktop::{Desktop, Offers};
use crate::machine;
use crate::window::Driven;

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn without_a_session_bus_the_window_opens_and_says_what_is_missing() {
    let machine = machine(88.0);
    let driven = Driven::start_with(
        &machine,
        &[("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")],
    )
    .await;
    driven.shows("88 %").await;
    driven.shows("This desktop shows no tray icons").await;
    driven.picture("no-session-bus.png").await;
    driven.close().await;
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn without_a_tray_host_the_window_opens_by_itself() {
    let desktop = Desktop::with(Offers {
        tray: false,
        notices: true,
        actions: true,
    })
    .await;
    let machine = machine(20.0);
    let app = crate::app::App::start(&machine, &[]);
    app.words.said("window shown", 1).await;
    app.words.said("page loaded", 1).await;
    app.kill().await;
    desktop.close().await;
}

#[tokio::test]
#[ignore = "needs a display and a session bus of its own: cargo xtask test --only build,desktop"]
async fn without_a_notification_server_the_window_says_so() {
    let desktop = Desktop::with(Offers {
        tray: true,
        notices: false,
        actions: false,
    })
    .await;
    let machine = machine(92.0);
    let driven = Driven::start(&machine).await;
    driven.shows("92 %").await;
    driven.shows("This desktop takes no notifications").await;
    driven.close().await;
    desktop.close().await;
}

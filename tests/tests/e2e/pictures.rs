//! The README's pictures: the real window on the demo machine, light and dark.
//!
//! Not a test of anything: `cargo xtask screenshots` runs it by name and the suite leaves it out.

use fantoccini::Locator;
use sandtray_tests::demo;

use crate::desktop::Desktop;
use crate::window::Driven;

#[tokio::test]
#[ignore = "draws the README's pictures: cargo xtask screenshots"]
async fn for_the_readme() {
    if std::env::var_os("SANDTRAY_README").is_none() {
        return; // part of the suite's run of ignored tests, where nobody asked for pictures
    }
    for (theme, gtk) in [("light", "Adwaita"), ("dark", "Adwaita:dark")] {
        let folder = tempfile::Builder::new().prefix("demo-").tempdir().unwrap();
        let machine = demo::build(folder.path()).unwrap();

        let desktop = Desktop::whole().await;
        let driven = Driven::start_with(&machine, &[("GTK_THEME", gtk)]).await;
        driven.page.set_window_size(1000, 700).await.unwrap();
        driven.shows("88 %").await;
        driven.words.said("page loaded", 1).await;
        // The first full measurement has ended when its progress is gone.
        crate::until("the first measurement", async || {
            let body = driven.find("body").await.text().await.unwrap();
            body.contains("Measured ").then_some(())
        })
        .await;
        // The span in which the reset is seen.
        let month = Locator::XPath("//label[@title='The last 30 days']");
        driven
            .page
            .find(month)
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        driven.find("[aria-label*='The last 30 days.']").await;
        driven.picture(&format!("overview-{theme}.png")).await;
        driven
            .find_text("button", "Settings")
            .await
            .click()
            .await
            .unwrap();
        driven.find("#sessions_low_percent").await;
        driven.picture(&format!("settings-{theme}.png")).await;
        driven.close().await;
        desktop.close().await;
    }
}

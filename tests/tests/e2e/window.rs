//! The window through WebDriver: what a person sees and presses.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal};
use sandtray_tests::machine::TestMachine;
use serde_json::json;
use tokio::process::{Child, Command};

use crate::PATIENCE;
use crate::app::{Words, program};

/// The app with its window open, driven from outside.
pub(crate) struct Driven {
    driver: Child,
    /// The process group of the driver, the app and its web processes.
    group: Option<Pid>,
    /// The window.
    pub(crate) page: Client,
    /// What the app says.
    pub(crate) words: Words,
}

impl Driven {
    /// Starts the app on a machine, through the system's driver for its web view.
    pub(crate) async fn start(machine: &TestMachine) -> Self {
        Self::start_with(machine, &[]).await
    }

    /// The same with further environment variables.
    ///
    /// Now and then the driver misses the app's window and waits for ever; a fresh driver with a fresh
    /// app does not, and what is tested begins only with the session.
    pub(crate) async fn start_with(machine: &TestMachine, environment: &[(&str, &str)]) -> Self {
        for _ in 0..5 {
            if let Some(driven) = Self::session(machine, environment).await {
                return driven;
            }
        }
        panic!("no session with the window");
    }

    /// One driver, one app, one session; none where the session does not come about.
    async fn session(machine: &TestMachine, environment: &[(&str, &str)]) -> Option<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut driver = Command::new("WebKitWebDriver");
        driver
            .arg(format!("--port={port}"))
            // The driver hands its environment on to the app.
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("SANDTRAY_LOG", "info")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        for (name, value) in environment {
            if value.is_empty() {
                driver.env_remove(name);
            } else {
                driver.env(name, value);
            }
        }
        let mut driver = driver.spawn().unwrap();
        let group = driver
            .id()
            .and_then(|id| Pid::from_raw(id.try_into().unwrap()));
        let words = Words::default();
        words.listen(driver.stderr.take().unwrap());
        let arguments = [
            "--machine".into(),
            machine.file().to_string_lossy().into_owned(),
        ];
        let wish = json!({
            "webkitgtk:browserOptions": { "binary": program(), "args": arguments },
        });
        let wish = wish.as_object().unwrap().clone();
        let url = format!("http://127.0.0.1:{port}");
        let connected = async {
            loop {
                let mut builder = ClientBuilder::new(HttpConnector::new());
                if let Ok(page) = builder.capabilities(wish.clone()).connect(&url).await {
                    return page;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let page = tokio::time::timeout(PATIENCE / 2, connected).await;
        let Ok(page) = page else {
            if let Some(group) = group {
                rustix::process::kill_process_group(group, Signal::KILL).ok();
            }
            driver.wait().await.unwrap();
            return None;
        };
        Some(Self {
            driver,
            group,
            page,
            words,
        })
    }

    /// Waits for an element.
    pub(crate) async fn find(&self, css: &str) -> Element {
        let wait = self
            .page
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::Css(css));
        wait.await
            .unwrap_or_else(|problem| panic!("no {css}: {problem}"))
    }

    /// Waits for an element with exactly this text.
    pub(crate) async fn find_text(&self, element: &str, text: &str) -> Element {
        let path = format!("//{element}[normalize-space()='{text}']");
        let wait = self
            .page
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::XPath(&path));
        wait.await
            .unwrap_or_else(|problem| panic!("no {element} {text:?}: {problem}"))
    }

    /// Waits until the window shows a text somewhere.
    pub(crate) async fn shows(&self, text: &str) {
        let body = self.find("body").await;
        crate::until(&format!("the text {text:?} in the window"), async || {
            body.text()
                .await
                .ok()
                .filter(|shown| shown.contains(text))
                .map(drop)
        })
        .await;
    }

    /// A picture of what is painted, in the folder that the suite names.
    pub(crate) async fn picture(&self, name: &str) -> Vec<u8> {
        // The first picture after a change lags a frame behind the text.
        let frames = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))";
        self.page.execute_async(frames, vec![]).await.unwrap();
        let picture = self.page.screenshot().await.unwrap();
        if let Some(folder) = std::env::var_os("SANDTRAY_PICTURES") {
            fs::create_dir_all(&folder).unwrap();
            fs::write(std::path::Path::new(&folder).join(name), &picture).unwrap();
        }
        picture
    }

    /// Ends the session, which ends the app.
    pub(crate) async fn close(mut self) {
        let page = self.page.clone();
        // The app may be gone already: a test may have quit it.
        page.close().await.ok();
        self.end();
        self.driver.wait().await.unwrap();
    }

    /// Ends whatever is left of it: an app that lives on would register with the next test's tray
    /// host, and be taken for the one under test.
    fn end(&mut self) {
        if let Some(group) = self.group.take() {
            rustix::process::kill_process_group(group, Signal::KILL).ok();
        }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.end();
    }
}

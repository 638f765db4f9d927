//! Notices on the screen: shown by the system, answered by a click.
//!
//! Each waits for its click on a thread of its own, because a server may take its time and the
//! engine must not. Only a few wait at once: an older one about the same gauge is taken back, and
//! past the limit a notification is shown without waiting, so that a server that never answers
//! costs a bounded number of threads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify_rust::{Notification, NotificationHandle, NotificationResponse};
use sandtray_core::act::receipt::Receipt;
use sandtray_core::act::steps::End;
use sandtray_core::gauge::GaugeId;
use sandtray_core::leftover::view::{CleanReceipt, CleanedBy};
use sandtray_core::notice::{Notice, NoticeLevel};
use sandtray_core::settings::Snooze;
use sandtray_core::status::{Fault, FaultKind, Lead};
use sandtray_core::words;
use tauri::{AppHandle, Manager};

use crate::desktop::{Action, DEFAULT_ACTION, NoticeServer, RESET, TOMORROW};
use crate::{Shell, desktop, window};

/// Notifications that may wait for a click at once.
const WAITING: usize = 8;

/// Shows notices.
#[derive(Clone, Debug)]
pub struct Notifier {
    app: AppHandle,
    waiting: Arc<Mutex<Waiting>>,
}

/// The notifications whose click is awaited, oldest first.
#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    open: Vec<Open>,
    /// Threads that still wait, also for notifications that were taken back.
    threads: usize,
}

/// One notification on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Open {
    serial: u64,
    gauge: GaugeId,
    number: Option<u32>,
}

impl Waiting {
    /// Enters a notice; returns its serial and those that it replaces.
    fn enter(&mut self, gauge: &GaugeId) -> (u64, Vec<Open>) {
        let (replaced, kept) = self
            .open
            .drain(..)
            .partition(|open: &Open| open.gauge == *gauge);
        self.open = kept;
        self.last = self.last.wrapping_add(1);
        self.open.push(Open {
            serial: self.last,
            gauge: gauge.clone(),
            number: None,
        });
        self.threads += 1;
        (self.last, replaced)
    }

    /// Leaves; false where it was replaced meanwhile and its answer no longer counts.
    fn leave(&mut self, serial: u64) -> bool {
        self.threads = self.threads.saturating_sub(1);
        let before = self.open.len();
        self.open.retain(|open| open.serial != serial);
        self.open.len() < before
    }
}

impl Notifier {
    /// A notifier whose clicks lead into an app.
    #[must_use]
    pub fn new(app: AppHandle) -> Self {
        Self {
            app,
            waiting: Arc::default(),
        }
    }

    /// Shows a notice. Returns at once.
    pub fn tell(&self, notice: Notice) {
        let guest = notice.gauge.0.starts_with("guest_");
        let actions: &[Action] = if guest {
            &[RESET, TOMORROW]
        } else {
            &[TOMORROW]
        };
        self.lead_to(
            Lead::Gauge {
                id: notice.gauge.clone(),
            },
            notice,
            actions,
        );
    }

    /// Says how an act ended, or what became of the rebuild after it. Returns at once.
    pub fn tell_end(&self, receipt: &Receipt) {
        let level = match receipt.end {
            End::Done => NoticeLevel::Low,
            _ => NoticeLevel::Critical,
        };
        let rebuild = receipt.rebuild.as_ref().map(words::rebuild);
        let notice = Notice {
            gauge: GaugeId("act".to_owned()),
            level,
            title: receipt.outcome.clone(),
            body: rebuild.unwrap_or_default(),
        };
        self.lead_to(Lead::Activity, notice, &[]);
    }

    /// Says what a clean-up did that nobody watched. Returns at once.
    pub fn tell_cleaned(&self, receipt: &CleanReceipt) {
        if receipt.by == CleanedBy::Person {
            return; // the window shows it, or they went away and will see it there
        }
        let level = if receipt.failed.is_empty() {
            NoticeLevel::Low
        } else {
            NoticeLevel::Critical
        };
        let notice = Notice {
            gauge: GaugeId("leftovers".to_owned()),
            level,
            title: "Leftovers cleaned".to_owned(),
            body: receipt.outcome.clone(),
        };
        self.lead_to(Lead::Leftovers, notice, &[]);
    }

    fn lead_to(&self, lead: Lead, notice: Notice, actions: &'static [Action]) {
        let (serial, replaced) = self.waiting().enter(&notice.gauge);
        let notifier = self.clone();
        let tell = move || {
            let numbers = replaced.iter().filter_map(|open| open.number);
            numbers.for_each(desktop::withdraw);
            let answer = notifier.show(serial, &notice, actions);
            let counts = notifier.waiting().leave(serial);
            if let (Some(answer), true) = (answer, counts) {
                notifier.follow(&answer, lead);
            }
        };
        let thread = std::thread::Builder::new().name("notice".into());
        if let Err(error) = thread.spawn(tell) {
            self.waiting().leave(serial);
            self.report(Some(format!("cannot show a notification: {error}")));
        }
    }

    /// Shows it and waits for the answer, unless too many wait.
    fn show(
        &self,
        serial: u64,
        notice: &Notice,
        actions: &[Action],
    ) -> Option<NotificationResponse> {
        let sent = desktop::notice_server().and_then(|server| {
            let mut banner = banner(notice, server);
            let shown = server.actions.then_some(actions);
            desktop::dress(
                &mut banner,
                notice.level,
                shown,
                &desktop::identity(&self.app),
            );
            let handle = banner.show().map_err(|error| error.to_string())?;
            Ok((handle, server.actions))
        });
        match sent {
            Ok((handle, clickable)) => {
                tracing::info!("notification sent: {}", notice.gauge);
                self.report(None);
                self.number(serial, &handle);
                let waits = clickable && self.waiting().threads <= WAITING;
                waits.then(|| answer(handle)).flatten()
            }
            Err(cause) => {
                tracing::warn!("no notification: {cause}");
                self.report(Some(format!("cannot show notifications: {cause}")));
                None
            }
        }
    }

    fn follow(&self, answer: &NotificationResponse, lead: Lead) {
        match answer {
            NotificationResponse::Default => window::open(&self.app, Some(lead)),
            NotificationResponse::Action(action) if action == DEFAULT_ACTION => {
                window::open(&self.app, Some(lead));
            }
            NotificationResponse::Action(action) if action == RESET.0 => {
                window::open(&self.app, Some(Lead::Reset));
            }
            NotificationResponse::Action(action) if action == TOMORROW.0 => {
                let engine = &self.app.state::<Shell>().engine;
                if let Lead::Gauge { id } = lead {
                    engine.snooze(Some(id), Snooze::Day);
                }
            }
            _ => {}
        }
    }

    fn number(&self, serial: u64, handle: &NotificationHandle) {
        let number = desktop::number(handle);
        let mut waiting = self.waiting();
        let mine = waiting.open.iter_mut().find(|open| open.serial == serial);
        if let Some(open) = mine {
            open.number = number;
        }
    }

    /// Tells the engine whether notifications work.
    fn report(&self, fault: Option<String>) {
        let present = fault.is_some();
        let text = fault.unwrap_or_default();
        let kind = FaultKind::NoNotifications;
        // A notice can come before the app is complete; the next one reports again.
        if let Some(shell) = self.app.try_state::<Shell>() {
            shell.engine.set_fault(Fault { kind, text }, present);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text of a notice for a server.
fn banner(notice: &Notice, server: NoticeServer) -> Notification {
    let mut body = notice.body.clone();
    if !server.actions {
        // Nothing to click, so the text leads the way.
        body.push_str(" Open Sandtray from the tray to see it.");
    }
    if server.markup {
        body = body.replace('&', "&amp;").replace('<', "&lt;");
    }
    let mut banner = Notification::new();
    banner
        .appname("Sandtray")
        .summary(&notice.title)
        .body(&body);
    banner
}

/// Waits until the notification is answered or gone.
fn answer(handle: NotificationHandle) -> Option<NotificationResponse> {
    let mut answer = None;
    let waited = handle.wait_for_response(|response: &NotificationResponse| {
        answer = Some(response.clone());
    });
    if let Err(error) = waited {
        tracing::warn!("cannot wait for a click: {error}");
    }
    answer
}

#[cfg(test)]
mod tests {
    use sandtray_core::notice::NoticeLevel;

    use super::*;

    fn notice(body: &str) -> Notice {
        Notice {
            gauge: GaugeId("guest_sessions:1".into()),
            level: NoticeLevel::Low,
            title: "Sessions disk 88 % full".into(),
            body: body.into(),
        }
    }

    #[test]
    fn a_newer_notice_about_the_same_gauge_replaces_the_older_one() {
        let mut waiting = Waiting::default();
        let (sessions, volume) = (GaugeId("a".into()), GaugeId("b".into()));
        let (first, replaced) = waiting.enter(&sessions);
        assert!(replaced.is_empty());
        let (other, _) = waiting.enter(&volume);
        let (second, replaced) = waiting.enter(&sessions);
        assert_eq!(replaced[0].serial, first);
        assert!(!waiting.leave(first), "its click no longer counts");
        assert!(waiting.leave(second));
        assert!(waiting.leave(other));
        assert_eq!(waiting.threads, 0);
    }

    #[test]
    fn threads_of_servers_that_never_answer_are_counted_past_their_replacement() {
        let mut waiting = Waiting::default();
        for _ in 0..20 {
            waiting.enter(&GaugeId("a".into()));
        }
        assert_eq!(waiting.open.len(), 1);
        assert_eq!(waiting.threads, 20);
    }

    #[test]
    fn a_server_without_actions_gets_a_text_that_leads_the_way() {
        let plain = NoticeServer {
            actions: false,
            markup: false,
        };
        let body = banner(&notice("Reset it."), plain).body;
        assert_eq!(body, "Reset it. Open Sandtray from the tray to see it.");
    }

    #[test]
    fn a_server_that_reads_markup_gets_it_escaped() {
        let server = NoticeServer {
            actions: true,
            markup: true,
        };
        let body = banner(&notice("R&D <b>"), server).body;
        assert_eq!(body, "R&amp;D &lt;b>");
    }
}

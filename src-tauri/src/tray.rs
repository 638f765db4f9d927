//! The tray: what it says as plain values, and the one that is on the screen.
//!
//! What it says is built from a [`Status`] alone ([`View`]), compared with what is shown, and drawn
//! only where it differs: most snapshots change nothing, and each redraw is a round over the bus.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandtray_core::gauge::GaugeId;
use sandtray_core::settings::Snooze;
use sandtray_core::status::{Fault, FaultKind, Lead, Status, worst};
use sandtray_core::words;
use tauri::image::Image;
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Wry};

use crate::icon::{Face, Panel, ring};
use crate::tray::entries::{Act, Entry, entries};
use crate::tray::menu::Menu;
use crate::{Shell, desktop, window};

pub mod entries;
mod menu;

/// All that the tray says.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// What the icon shows.
    pub face: Face,
    /// The name of the app, with the label of a machine that is not the real one.
    pub title: String,
    /// What the pointer reads.
    pub tooltip: String,
    /// The menu.
    pub entries: Vec<Entry>,
}

impl View {
    /// What the tray says of a snapshot.
    #[must_use]
    pub fn of(status: &Status) -> Self {
        let named = |id: &GaugeId| status.gauges.iter().find(|gauge| gauge.id == *id);
        let speaks_of = status
            .worst
            .as_ref()
            .and_then(named)
            .or_else(|| worst(&status.gauges));
        Self {
            face: Face::new(status.verdict, speaks_of.and_then(|gauge| gauge.percent)),
            title: window::title(status.label.as_deref()),
            tooltip: words::tooltip(status),
            entries: entries(status),
        }
    }
}

/// The tray of the app: what it should say, and the icon once a host shows it.
#[derive(Default)]
pub struct Tray {
    /// Written by the engine's thread, read by the main thread; held for a copy only.
    view: Mutex<Option<View>>,
    /// Touched by the main thread alone: drawing takes rounds over the bus.
    shown: Mutex<Option<Shown>>,
}

/// The icon on the screen and what it says now.
struct Shown {
    icon: TrayIcon,
    menu: Menu,
    view: View,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows a snapshot. Returns at once; the main thread draws, and only what differs.
pub fn show(app: &AppHandle, status: &Arc<Status>) {
    let view = View::of(status);
    let tray = app.state::<Tray>();
    if lock(&tray.view).replace(view.clone()) == Some(view) {
        return;
    }
    on_main(app, |app| {
        let tray = app.state::<Tray>();
        let wanted = lock(&tray.view).clone();
        if let (Some(shown), Some(view)) = (lock(&tray.shown).as_mut(), wanted)
            && let Err(error) = shown.turn_to(view)
        {
            tracing::warn!("cannot draw the tray: {error}");
        }
    });
}

/// Puts the icon into the tray as soon as something shows trays, and reports a fault while nothing
/// does. Without a tray the window opens, so that the app can be reached; a start at login stays
/// quiet as long as a second start can still find this one.
pub fn watch_host(app: &AppHandle, hidden: bool) {
    let app = app.clone();
    let mut starting = true;
    desktop::watch_tray_host(move |host| {
        match host {
            desktop::TrayHost::Present => on_main(&app, |app| {
                let built = build(app);
                report(app, built.err().map(|error| error.to_string()));
            }),
            desktop::TrayHost::Absent { cause, bus } => {
                tracing::info!("no tray: {cause}");
                report(&app, Some(cause));
                if starting && (!hidden || !bus) {
                    window::open(&app, None);
                }
            }
        }
        starting = false;
    });
}

fn report(app: &AppHandle, cause: Option<String>) {
    let present = cause.is_some();
    let text = format!(
        "cannot show the icon in a tray: {}",
        cause.unwrap_or_default()
    );
    let kind = FaultKind::NoTray;
    app.state::<Shell>()
        .engine
        .set_fault(Fault { kind, text }, present);
}

fn build(app: &AppHandle) -> tauri::Result<()> {
    let tray = app.state::<Tray>();
    let mut shown = lock(&tray.shown);
    if shown.is_some() {
        return Ok(());
    }
    let view = lock(&tray.view)
        .clone()
        .unwrap_or_else(|| View::of(&app.state::<Shell>().engine.status()));
    let menu = Menu::build(app, &view.entries)?;
    let mut builder = TrayIconBuilder::with_id("sandtray")
        .icon(image(view.face))
        .icon_as_template(desktop::panel() == Panel::Template)
        .menu(menu.native())
        .show_menu_on_left_click(false)
        .tooltip(&view.tooltip)
        .on_menu_event(|app, event| {
            if let Some(act) = Act::from_token(event.id().as_ref()) {
                perform(app, act);
            }
        })
        .on_tray_icon_event(|tray, event| click(tray.app_handle(), &event));
    if desktop::TRAY_HAS_TITLE {
        builder = builder.title(&view.title);
    }
    let icon = builder.build(app)?;
    tracing::info!("tray shown");
    *shown = Some(Shown { icon, menu, view });
    Ok(())
}

impl Shown {
    fn turn_to(&mut self, view: View) -> tauri::Result<()> {
        if self.view.face != view.face {
            self.icon.set_icon(Some(image(view.face)))?;
            // Some systems forget it with each icon.
            self.icon
                .set_icon_as_template(desktop::panel() == Panel::Template)?;
        }
        if self.view.tooltip != view.tooltip {
            self.icon.set_tooltip(Some(&view.tooltip))?;
        }
        if self.view.title != view.title && desktop::TRAY_HAS_TITLE {
            self.icon.set_title(Some(&view.title))?;
        }
        self.menu.turn_to(&view.entries)?;
        self.view = view;
        Ok(())
    }
}

fn image(face: Face) -> Image<'static> {
    let edge = desktop::ICON_EDGE;
    Image::new_owned(ring(edge, face, desktop::panel()), edge, edge)
}

fn click(app: &AppHandle, event: &TrayIconEvent) {
    if let TrayIconEvent::Click {
        button,
        button_state: MouseButtonState::Up,
        ..
    } = event
    {
        match button {
            MouseButton::Left => perform(app, Act::Open),
            MouseButton::Middle => perform(app, Act::Measure),
            MouseButton::Right => {}
        }
    }
}

fn perform(app: &AppHandle, act: Act) {
    tracing::info!("tray: {}", act.token());
    let engine = &app.state::<Shell>().engine;
    match act {
        Act::Open => window::open(app, None),
        Act::Reset => window::open(app, Some(Lead::Reset)),
        Act::Clean => window::open(app, Some(Lead::Leftovers)),
        Act::Measure => engine.measure_now(),
        Act::SnoozeHour => engine.snooze(None, Snooze::Hour),
        Act::SnoozeDay => engine.snooze(None, Snooze::Day),
        Act::SnoozeOff => engine.snooze(None, Snooze::Off),
        Act::Quit => app.exit(0),
    }
}

fn on_main(app: &AppHandle<Wry>, act: impl FnOnce(&AppHandle) + Send + 'static) {
    let handle = app.clone();
    if let Err(error) = app.run_on_main_thread(move || act(&handle)) {
        // Only while the app ends.
        tracing::debug!("the main thread is gone: {error}");
    }
}

//! The native menu, built once from the entries and then only changed where they differ.

use tauri::menu::{IsMenuItem, MenuItem, PredefinedMenuItem, Submenu};
use tauri::{AppHandle, Wry};

use crate::tray::entries::Entry;

/// The native menu and its changeable items, in the order of the entries.
pub(super) struct Menu {
    native: tauri::menu::Menu<Wry>,
    items: Vec<Item>,
}

/// A native item with what it says now.
struct Item {
    native: MenuItem<Wry>,
    text: String,
    enabled: bool,
}

impl Menu {
    pub(super) fn build(app: &AppHandle, entries: &[Entry]) -> tauri::Result<Self> {
        let mut items = Vec::new();
        let native = tauri::menu::Menu::new(app)?;
        for entry in entries {
            native.append(native_of(app, entry, &mut items)?.as_ref())?;
        }
        Ok(Self { native, items })
    }

    pub(super) fn native(&self) -> &tauri::menu::Menu<Wry> {
        &self.native
    }

    /// Changes the items that differ; entries always come in the shape they were built from.
    pub(super) fn turn_to(&mut self, entries: &[Entry]) -> tauri::Result<()> {
        let mut wanted = Vec::new();
        flatten(entries, &mut wanted);
        for (item, (text, enabled)) in self.items.iter_mut().zip(wanted) {
            if item.text != text {
                item.native.set_text(&text)?;
                item.text = text;
            }
            if item.enabled != enabled {
                item.native.set_enabled(enabled)?;
                item.enabled = enabled;
            }
        }
        Ok(())
    }
}

fn native_of(
    app: &AppHandle,
    entry: &Entry,
    items: &mut Vec<Item>,
) -> tauri::Result<Box<dyn IsMenuItem<Wry>>> {
    let id = match entry {
        Entry::Act { act, .. } => act.token().to_owned(),
        _ => format!("line-{}", items.len()),
    };
    let mut said = Vec::new();
    flatten(std::slice::from_ref(entry), &mut said);
    Ok(match (entry, said.pop()) {
        (Entry::Group { text, entries }, _) => {
            let group = Submenu::new(app, text, true)?;
            for entry in entries {
                group.append(native_of(app, entry, items)?.as_ref())?;
            }
            Box::new(group)
        }
        (_, Some((text, enabled))) => {
            let native = MenuItem::with_id(app, id, &text, enabled, None::<&str>)?;
            items.push(Item {
                native: native.clone(),
                text,
                enabled,
            });
            Box::new(native)
        }
        (_, None) => Box::new(PredefinedMenuItem::separator(app)?),
    })
}

/// Text and state of each changeable item, in order.
fn flatten(entries: &[Entry], into: &mut Vec<(String, bool)>) {
    for entry in entries {
        match entry {
            // "&" marks a shortcut in native menus; a volume may carry one in its name.
            Entry::Line(text) => into.push((text.replace('&', "&&"), false)),
            Entry::Act { text, enabled, .. } => into.push((text.clone(), *enabled)),
            Entry::Group { entries, .. } => flatten(entries, into),
            Entry::Rule => {}
        }
    }
}

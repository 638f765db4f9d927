//! A Tauri app that shows a tray icon and does nothing else: what `cargo xtask bench idle` measures
//! Sandtray beside. Same crates, same icon size, same flags; no engine, no window.

use tauri::image::Image;
use tauri::menu::{Menu, MenuItem};
use tauri::tray::TrayIconBuilder;

fn main() -> tauri::Result<()> {
    let app = tauri::Builder::default()
        .setup(|app| {
            let quit = MenuItem::with_id(app, "quit", "Quit", true, None::<&str>)?;
            let menu = Menu::with_items(app, &[&quit])?;
            TrayIconBuilder::with_id("bare")
                .icon(Image::new_owned(vec![255; 44 * 44 * 4], 44, 44))
                .tooltip("Bare")
                .menu(&menu)
                .on_menu_event(|app, _| app.exit(0))
                .build(app)?;
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|_, event| {
        if let tauri::RunEvent::ExitRequested {
            code: None, api, ..
        } = event
        {
            api.prevent_exit();
        }
    });
    Ok(())
}

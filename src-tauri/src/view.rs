//! The settings as the window shows them.

use std::path::Path;

use sandtray_core::paths::token;
use sandtray_core::settings::{Folder, FolderKind, Settings, SettingsView, Thresholds};

/// Shapes the settings for the window: folders get an id, because the window never sends a path.
#[must_use]
pub fn settings(settings: &Settings, file: &Path) -> SettingsView {
    let lists = [
        (FolderKind::Root, &settings.extra_roots),
        (FolderKind::UserData, &settings.extra_user_data),
        (FolderKind::ConfigDir, &settings.extra_config_dirs),
    ];
    let folder = |kind, path: &String| Folder {
        id: token(Path::new(path)),
        kind,
        path: path.clone(),
    };
    SettingsView {
        thresholds: settings.thresholds,
        default_thresholds: Thresholds::default(),
        notifications: settings.notifications,
        autostart: settings.autostart,
        daily_notices: settings.daily_notices,
        folders: lists
            .into_iter()
            .flat_map(|(kind, paths)| paths.iter().map(move |path| folder(kind, path)))
            .collect(),
        file: file.display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_all_three_lists_get_an_id_and_keep_their_kind() {
        let given = Settings {
            extra_roots: vec!["/scratch".into(), "/more".into()],
            extra_config_dirs: vec!["/home/me/.claude-work".into()],
            ..Settings::default()
        };
        let view = settings(&given, Path::new("/home/me/.config/sandtray/settings.toml"));
        let kinds: Vec<_> = view.folders.iter().map(|folder| folder.kind).collect();
        assert_eq!(
            kinds,
            [FolderKind::Root, FolderKind::Root, FolderKind::ConfigDir]
        );
        assert_eq!(view.folders[0].id, token(Path::new("/scratch")));
        assert_ne!(view.folders[0].id, view.folders[1].id);
    }
}

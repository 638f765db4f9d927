pub struct SettingsFile;

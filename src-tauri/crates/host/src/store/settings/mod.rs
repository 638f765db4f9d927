//! stub until the settings land
use sandtray_core::{settings::Settings, status::Fault};
use std::path::Path;
#[allow(missing_docs)]
pub struct SettingsFile(std::path::PathBuf);
#[allow(missing_docs)]
impl SettingsFile {
    pub fn load(dir: &Path) -> (Self, Settings, Vec<Fault>) {
        let p = dir.join("settings.json");
        let s = std::fs::read(&p)
            .ok()
            .and_then(|t| serde_json::from_slice(&t).ok())
            .unwrap_or_default();
        (Self(p), s, vec![])
    }
    pub fn path(&self) -> &Path {
        &self.0
    }
    pub fn save(&self, s: &Settings) -> Result<(), crate::error::Failure> {
        std::fs::create_dir_all(self.0.parent().unwrap()).unwrap();
        std::fs::write(&self.0, serde_json::to_vec(s).unwrap()).unwrap();
        Ok(())
    }
}

//! Checks the configuration, the capability and the permission file, and embeds them.

fn main() {
    tauri_build::build();
}

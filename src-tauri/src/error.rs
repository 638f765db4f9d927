//! What the window and the terminal are told when something fails.

use sandtray_host::error::Failure;
use serde::Serialize;

/// A failure on its way to a surface: text alone, because nothing there branches on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{text}")]
pub struct Failed {
    /// Operation, path, cause, and what to do.
    pub text: String,
}

impl Failed {
    /// A failure that the shell itself words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self::new(failure.to_string())
    }
}

impl From<tauri::Error> for Failed {
    fn from(error: tauri::Error) -> Self {
        Self::new(format!("cannot start the desktop shell: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_crosses_to_the_window_as_its_text() {
        let failed = Failed::new("cannot store the settings");
        assert_eq!(
            serde_json::to_string(&failed).unwrap(),
            r#"{"text":"cannot store the settings"}"#
        );
    }
}

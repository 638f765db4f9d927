//! Which image a bundle uses for what, and how full it is.

use std::path::Path;

use sandtray_core::bundle::Role;
use sandtray_core::gauge::{GaugeKind, Level, UnknownReason};
use sandtray_core::machine::Os;
use sandtray_core::time::Time;

/// The name of the image that a bundle uses for a role: after a move from one kind of machine to
/// another both may lie there (deb#855), and only the one of this system is live.
pub(crate) fn image<'a>(
    os: Os,
    names: impl IntoIterator<Item = &'a str>,
    role: Role,
) -> Option<&'a str> {
    let preferred = if os == Os::Windows { ".vhdx" } else { ".img" };
    let mut names = names.into_iter().filter(|name| Role::of(name) == role);
    let first = names.next()?;
    if first.ends_with(preferred) {
        return Some(first);
    }
    Some(
        names
            .find(|name| name.ends_with(preferred))
            .unwrap_or(first),
    )
}

/// The level of the filesystem that `kind` speaks of, and when the guest last said so.
pub(crate) fn level(
    image: &Path,
    kind: GaugeKind,
) -> Result<(Level, Option<Time>), (UnknownReason, String)> {
    let read = super::read(image)
        .map_err(|failure| (super::reason(&failure), failure.cause.to_string()))?;
    let chosen = match kind {
        GaugeKind::GuestSessions => read.sessions_disk(),
        _ => read.system_disk(),
    };
    let Some(chosen) = chosen else {
        let cause = "it holds no filesystem that looks like the guest's".to_owned();
        return Err((UnknownReason::Unsupported, cause));
    };
    // A disk that was shut down properly is now as it was then; one that is mounted lags.
    let as_of = chosen
        .numbers
        .filter(|numbers| !numbers.clean)
        .and_then(|numbers| numbers.as_of);
    let cause = || {
        chosen
            .problem
            .as_ref()
            .map_or_else(String::new, |problem| problem.text.clone())
    };
    chosen
        .level()
        .map(|level| (level, as_of))
        .map_err(|reason| (reason, cause()))
}

//! Which image a bundle uses for what, and how full it is.

use std::path::Path;

use sandtray_core::bundle::Role;
use sandtray_core::disk::{Disk, Image, Numbers};
use sandtray_core::gauge::{GaugeKind, UnknownReason};
use sandtray_core::machine::Os;

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

/// Reads the filesystem that `kind` speaks of and hands it over with its image and its numbers.
pub(crate) fn look<T>(
    image: &Path,
    kind: GaugeKind,
    take: impl FnOnce(&Image, &Disk, &Numbers) -> T,
) -> Result<T, (UnknownReason, String)> {
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
    match (&chosen.numbers, &chosen.problem) {
        (Some(numbers), _) => Ok(take(&read, chosen, numbers)),
        (None, Some(problem)) => Err((problem.reason, problem.text.clone())),
        (None, None) => Err((UnknownReason::Unsupported, String::new())),
    }
}

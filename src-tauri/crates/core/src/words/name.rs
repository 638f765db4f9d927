//! What a person calls a gauge, a meter, a bundle.

use crate::bundle::Profile;
use crate::gauge::{GaugeKind, MeterKind};

/// The longest a path gets in a name.
const PATH_CHARS: usize = 32;

/// How the name of a gauge of inodes begins.
pub(super) const FILE_COUNT: &str = "File count on ";

/// The name of a gauge: `Sessions disk`, `Disk /`, `Memory /tmp`, `File count on /`,
/// `File count on the sessions disk`.
#[must_use]
pub fn gauge_name(kind: GaugeKind, thing: &str, memory: bool) -> String {
    match kind {
        GaugeKind::GuestSessions => "Sessions disk".to_owned(),
        GaugeKind::GuestSystem => "System disk".to_owned(),
        GaugeKind::HostBytes => place(thing, memory),
        GaugeKind::HostInodes => format!("{FILE_COUNT}{}", mount_point(thing)),
        GaugeKind::GuestSessionsInodes => format!("{FILE_COUNT}the sessions disk"),
        GaugeKind::GuestSystemInodes => format!("{FILE_COUNT}the system disk"),
    }
}

/// What a volume is called: `Disk /home`, `Memory /tmp`, `Disk C:`.
pub(super) fn place(thing: &str, memory: bool) -> String {
    let kind = if memory { "Memory" } else { "Disk" };
    format!("{kind} {}", mount_point(thing))
}

/// A mount point as people know it.
fn mount_point(thing: &str) -> String {
    // Where a Mac keeps what users write; nobody knows it by this name.
    if thing == "/System/Volumes/Data" {
        return "/".to_owned();
    }
    let trimmed = thing.trim_end_matches('\\');
    middle(if trimmed.is_empty() { thing } else { trimmed }, PATH_CHARS)
}

/// The name of a meter: `Claude bundle`, `Temp folder /tmp`, `Entries in /tmp`. `thing` is the path
/// it belongs to.
#[must_use]
pub fn meter_name(kind: MeterKind, thing: &str) -> String {
    match kind {
        MeterKind::BundleAllocated => format!("{} bundle", folder_above(thing)),
        MeterKind::RootAllocated => format!("Temp folder {}", middle(thing, PATH_CHARS)),
        MeterKind::RootEntries => format!("Entries in {}", middle(thing, PATH_CHARS)),
    }
}

/// What a bundle is called: `Claude`, `Claude-3p`, or the folder of a further installation.
#[must_use]
pub fn bundle_name(profile: &Profile, path: &str) -> String {
    match profile {
        Profile::Claude => "Claude".to_owned(),
        Profile::Claude3p => "Claude-3p".to_owned(),
        Profile::Extra => folder_above(path),
    }
}

/// The data folder of `<data folder>/vm_bundles/claudevm.bundle`.
fn folder_above(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let (bundle, bundles, folder) = (parts.next(), parts.next(), parts.next());
    let known = bundle == Some("claudevm.bundle") && bundles == Some("vm_bundles");
    match folder {
        Some(folder) if known => middle(folder, PATH_CHARS),
        _ => middle(path, PATH_CHARS),
    }
}

/// Cuts a text in the middle to at most `max` characters: `/private/var/f…/T/claude-501`.
///
/// Characters that would break or reorder a line (newlines, controls, direction marks: names on
/// disks hold anything) become U+FFFD.
#[must_use]
pub fn middle(text: &str, max: usize) -> String {
    let breaks = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}')
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    let chars: Vec<char> = text
        .chars()
        .map(|c| if breaks(c) { '\u{fffd}' } else { c })
        .collect();
    if chars.len() <= max {
        return chars.into_iter().collect();
    }
    let kept = max.saturating_sub(1);
    // The end of a path says more than its beginning.
    let (head, tail) = (kept / 2, kept.saturating_sub(kept / 2));
    let from = chars.len().saturating_sub(tail);
    let ends = chars.iter().take(head).chain(['…'].iter().take(max));
    ends.chain(chars.iter().skip(from)).collect()
}

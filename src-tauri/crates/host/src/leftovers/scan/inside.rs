//! Where a base lies in its filesystem, as mount tables name it.

use std::path::Path;

use sandtray_core::leftover::evidence::Inside;

use super::folder::Look;

/// Our own mount table.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    #[cfg(target_os = "linux")]
    mounts: Vec<(u64, Inside, Vec<u8>)>,
}

#[cfg(target_os = "linux")]
impl Mounts {
    pub(super) fn read() -> Self {
        let text = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n');
        Self {
            mounts: lines.filter_map(line).collect(),
        }
    }

    /// The place of a folder by its canonical path and the mount that a look saw.
    pub(super) fn place(&self, path: &Path, look: &Look) -> Option<Inside> {
        use std::os::unix::ffi::OsStrExt;
        let found = self.mounts.iter().find(|(id, ..)| *id == look.mount);
        let (_, root, point) = found?;
        let below = path
            .strip_prefix(std::ffi::OsStr::from_bytes(point))
            .ok()?
            .as_os_str();
        Some(below_place(root, below.as_bytes()))
    }
}

#[cfg(not(target_os = "linux"))]
impl Mounts {
    pub(super) fn read() -> Self {
        Self {}
    }

    pub(super) const fn place(&self, _path: &Path, _look: &Look) -> Option<Inside> {
        None
    }
}

/// The place of something below another place.
pub(super) fn below_place(place: &Inside, below: &[u8]) -> Inside {
    let mut path = place.path.clone();
    if !below.is_empty() {
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(below);
    }
    Inside {
        device: place.device,
        path,
    }
}

#[cfg(target_os = "linux")]
fn line(line: &[u8]) -> Option<(u64, Inside, Vec<u8>)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let number = |field: &[u8]| str::from_utf8(field).ok()?.parse::<u64>().ok();
    let id = number(fields.next()?)?;
    let device = str::from_utf8(fields.nth(1)?).ok()?;
    let (major, minor) = device.split_once(':')?;
    let device = (major.parse().ok()?, minor.parse().ok()?);
    let path = unescape(fields.next()?);
    let point = unescape(fields.next()?);
    Some((id, Inside { device, path }, point))
}

/// Space, tab, newline and backslash stand as three octal digits.
#[cfg(target_os = "linux")]
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..3).filter(|_| *first == b'\\');
        let code = digits
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() {
            tail.get(3..).unwrap_or_default()
        } else {
            tail
        };
    }
    bytes
}

//! Contents small enough to live in the inode itself: the first 60 bytes where block numbers would be,
//! the rest in the attribute `system.data` behind the inode's fields.

use super::inode::{Inode, extra_size};
use crate::disk::source::{le16, le32};
use crate::error::Cause;

const MAGIC: u32 = 0xea02_0000;
const ENTRY: usize = 16;
const SYSTEM: u8 = 7;
const NAME: &[u8] = b"data";

/// The contents of an inline inode, at most as long as the inode itself.
///
/// # Errors
/// Corrupt where the attribute leads out of the inode.
pub(super) fn contents(inode: &Inode, bytes: &[u8]) -> Result<Vec<u8>, Cause> {
    let mut contents = inode.map.to_vec();
    contents.extend(attribute(bytes)?.unwrap_or_default());
    Ok(contents)
}

/// Finds the value of `system.data` among the attributes in the inode.
pub(super) fn attribute(bytes: &[u8]) -> Result<Option<&[u8]>, Cause> {
    let start = extra_size(bytes)?.saturating_add(128);
    let Some(area) = bytes.get(start..).filter(|area| area.len() >= 4) else {
        return Ok(None);
    };
    if le32(area, 0)? != MAGIC {
        return Ok(None);
    }
    let entries = area.get(4..).unwrap_or_default();
    let mut at = 0_usize;
    while entries.len() >= at.saturating_add(ENTRY) && le32(entries, at)? != 0 {
        let entry = entries.get(at..).unwrap_or_default();
        let length = usize::from(entry.first().copied().unwrap_or_default());
        let end = ENTRY.saturating_add(length);
        if entry.get(1) == Some(&SYSTEM) && entry.get(ENTRY..end) == Some(NAME) {
            let offset = usize::from(le16(entry, 2)?);
            let size = usize::try_from(le32(entry, 8)?).unwrap_or(usize::MAX);
            let value = entries
                .get(offset..)
                .and_then(|rest| rest.get(..size))
                .ok_or_else(|| {
                    Cause::Corrupt("ext4: inline contents lead out of their inode".to_owned())
                })?;
            return Ok(Some(value));
        }
        at = at.saturating_add(end.next_multiple_of(4));
    }
    Ok(None)
}

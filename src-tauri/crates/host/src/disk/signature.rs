//! Names what is recognised but not read: other image formats, other filesystems.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use sandtray_core::disk::Filesystem;

use super::source::{has, le16};

/// The name of an image format that is not read (yet), by its first bytes.
pub(super) fn container(head: &[u8]) -> Option<&'static str> {
    [
        (&b"conectix"[..], "a VHD image"),
        (b"QFI\xfb", "a qcow2 image"),
        (b"KDMV", "a VMDK image"),
        (b"# Disk DescriptorFile", "a VMDK image"),
        (b"\x28\xb5\x2f\xfd", "a file packed with zstd"),
    ]
    .into_iter()
    .find_map(|(signature, name)| has(head, 0, signature).then_some(name))
}

/// A filesystem other than ext, with what its boot sector says of itself.
pub(super) struct Recognised {
    pub(super) filesystem: Filesystem,
    pub(super) label: Option<String>,
    pub(super) uuid: Option<String>,
}

/// Recognises a filesystem by the first bytes of its partition.
pub(super) fn recognise(head: &[u8]) -> Recognised {
    if let Some(fat) = vfat(head) {
        return fat;
    }
    let filesystem = [
        (3, &b"EXFAT   "[..], Filesystem::Exfat),
        (3, b"NTFS    ", Filesystem::Ntfs),
        (0, b"XFSB", Filesystem::Xfs),
        (0, b"hsqs", Filesystem::Squashfs),
        (4086, b"SWAPSPACE2", Filesystem::Swap),
    ]
    .into_iter()
    .find_map(|(at, signature, name)| has(head, at, signature).then_some(name))
    .unwrap_or(Filesystem::Unknown);
    Recognised {
        filesystem,
        label: None,
        uuid: None,
    }
}

/// FAT has no magic of its own: a boot signature, a believable geometry and its name in one of two places.
fn vfat(head: &[u8]) -> Option<Recognised> {
    let sector = le16(head, 11).ok()?;
    let cluster = *head.get(13)?;
    let believable = has(head, 510, &[0x55, 0xaa])
        && matches!(head.first(), Some(0xeb | 0xe9))
        && (512..=4096).contains(&sector)
        && sector.is_power_of_two()
        && cluster.is_power_of_two();
    let (id_at, label_at) = if !believable {
        return None;
    } else if has(head, 54, b"FAT1") {
        (39, 43)
    } else if has(head, 82, b"FAT32") {
        (67, 71)
    } else {
        return None;
    };
    let id = head.get(id_at..)?.first_chunk::<4>()?;
    let label = text(head.get(label_at..)?.first_chunk::<11>()?);
    Some(Recognised {
        filesystem: Filesystem::Vfat,
        label: label.filter(|label| label != "NO NAME"),
        uuid: Some(format!(
            "{:02X}{:02X}-{:02X}{:02X}",
            id[3], id[2], id[1], id[0]
        )),
    })
}

/// A label as text: up to the first zero, trimmed, control characters replaced. It is printed on
/// terminals, and whoever made the disk chose its bytes.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text: String = String::from_utf8_lossy(bytes)
        .trim_end()
        .chars()
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect();
    (!text.is_empty()).then_some(text)
}

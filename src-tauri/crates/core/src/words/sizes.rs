//! The three sizes of a disk image: why they differ, and what can be given back.
//!
//! `ls` says 10 GB, `du` 5.6 GB, the guest 86 %, and all three are true. What blocks were taken once stay
//! taken (#65577): the guest deletes files in its own books alone. What that leaves on the host, allocated
//! minus used inside, is given back by compacting the image or by a new disk, and by nothing else. It is
//! always "up to": tables and journal of the guest's filesystem take room that it counts as nobody's use,
//! and where they may be all of it nothing is promised.

use crate::bytes::{Allocated, Apparent, Bytes, ratio_part};

/// A difference smaller than this part of the whole explains nothing.
const WORTH: f64 = 0.1;

/// What the guest's filesystem says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestSizes {
    /// In use.
    pub used: Bytes,
    /// What it can hold.
    pub size: Bytes,
    /// What it keeps for itself, in neither of the two.
    pub overhead: Bytes,
}

/// Why the sizes of an image differ and which of it can be given back. `enlarged` is what the disk could
/// hold where the filesystem on it ends long before ([`crate::disk::Image::enlarged`]).
#[must_use]
pub fn sizes(
    apparent: Apparent,
    allocated: Allocated,
    guest: Option<GuestSizes>,
    enlarged: Option<Bytes>,
) -> String {
    let takes = if is_less(allocated.0, apparent.0) {
        "Empty parts of the file take no room on this computer."
    } else {
        "The file takes all of its length on this computer."
    };
    let mut text = format!("{takes} {}", given_back(allocated, guest));
    if let (Some(enlarged), Some(GuestSizes { size, .. })) = (enlarged, guest) {
        text.push_str(&format!(
            " The disk was made {enlarged} large, but the filesystem on it still holds {size}: resizing the disk does not help."
        ));
    }
    text
}

fn given_back(allocated: Allocated, guest: Option<GuestSizes>) -> String {
    let Some(GuestSizes { used, overhead, .. }) = guest else {
        return "How much of it is used inside is not known now, and so is what could be given back."
            .to_owned();
    };
    if is_less(used.0, allocated.0) {
        let slack = allocated.bytes().saturating_sub(used);
        if slack <= overhead {
            return "What it takes beyond what is used inside, the filesystem needs for itself: there is nothing to give back."
                .to_owned();
        }
        format!(
            "Up to {slack} of what it takes is not used inside any more: deleting files in the sandbox gives this computer nothing back by itself, only compacting the disk or a reset does."
        )
    } else if is_less(allocated.0, used.0) {
        "More counts as used inside than it takes here, because parts that hold nothing but zeros take no room: there is nothing to give back."
            .to_owned()
    } else {
        "Nearly all it takes is used inside, and deleting files there gives this computer nothing back by itself."
            .to_owned()
    }
}

/// Whether `small` is less by a part that is worth a word.
fn is_less(small: u64, large: u64) -> bool {
    ratio_part(small) < ratio_part(large) * (1.0 - WORTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    fn of(apparent: u64, allocated: u64, used: Option<u64>, enlarged: Option<u64>) -> String {
        sizes(
            Apparent(apparent),
            Allocated(allocated),
            used.map(|used| GuestSizes {
                used: Bytes(used),
                size: Bytes(9_800_000_000),
                overhead: Bytes(230_000_000),
            }),
            enlarged.map(Bytes),
        )
    }

    #[test]
    fn a_system_disk_that_grew_and_never_shrank() {
        // #65577: rootfs at 10 GB, and the host never got space back.
        insta::assert_snapshot!(of(10_737_418_240, 10 * GB, Some(43 * GB / 10), None), @"The file takes all of its length on this computer. Up to 5.70 GB of what it takes is not used inside any more: deleting files in the sandbox gives this computer nothing back by itself, only compacting the disk or a reset does.");
    }

    #[test]
    fn a_disk_with_holes() {
        insta::assert_snapshot!(of(10_737_418_240, 56 * GB / 10, Some(82 * GB / 10), None), @"Empty parts of the file take no room on this computer. More counts as used inside than it takes here, because parts that hold nothing but zeros take no room: there is nothing to give back.");
        insta::assert_snapshot!(of(10_737_418_240, 56 * GB / 10, Some(53 * GB / 10), None), @"Empty parts of the file take no room on this computer. Nearly all it takes is used inside, and deleting files there gives this computer nothing back by itself.");
    }

    #[test]
    fn a_fresh_sessions_disk_has_nothing_to_give_back() {
        // #37860: 1.3 MB used of 9.8G; such a disk takes 36 MB on the host.
        insta::assert_snapshot!(of(10_737_418_240, 36_000_000, Some(1_300_000), None), @"Empty parts of the file take no room on this computer. What it takes beyond what is used inside, the filesystem needs for itself: there is nothing to give back.");
    }

    #[test]
    fn a_disk_that_cannot_be_read_now() {
        insta::assert_snapshot!(of(10_737_418_240, 13 * GB / 10, None, None), @"Empty parts of the file take no room on this computer. How much of it is used inside is not known now, and so is what could be given back.");
    }

    #[test]
    fn an_enlarged_disk_whose_filesystem_stayed_what_it_was() {
        // #44622: Resize-VHD to 30 GB changed nothing.
        let text = of(
            96 * GB / 10,
            96 * GB / 10,
            Some(93 * GB / 10),
            Some(32_212_254_720),
        );
        assert!(
            text.ends_with("The disk was made 32.2 GB large, but the filesystem on it still holds 9.80 GB: resizing the disk does not help."),
            "{text}"
        );
    }
}

//! Which symbolic links stay inside what is copied.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

/// Whether a link in a folder `depth` levels below what is copied can be proved to stay inside.
///
/// Going up is allowed at the beginning only: there the way leads through folders that we made. After a
/// name that may itself be a link, `..` leads wherever that link does. Names after it are folders of
/// ours or links of which the same was proved.
pub(super) fn stays_inside(target: &[u8], depth: usize) -> bool {
    if target.is_empty() || target.contains(&0) || target.starts_with(b"/") {
        return false;
    }
    let mut left = Some(depth);
    let mut named = false;
    for part in target.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if named => return false,
            b".." => left = left.and_then(|left| left.checked_sub(1)),
            _ => named = true,
        }
    }
    left.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_go_up_no_further_than_the_copy_stay_inside() {
        for (target, depth) in [
            ("a", 0),
            ("a/b", 0),
            (".", 0),
            ("./a//b/", 0),
            ("..", 1),
            ("../../a", 2),
        ] {
            assert!(stays_inside(target.as_bytes(), depth), "{target}");
        }
    }

    #[test]
    fn links_that_leave_or_may_leave_do_not() {
        for (target, depth) in [
            ("", 3),
            ("/", 3),
            ("/etc/passwd", 3),
            ("..", 0),
            ("../../..", 2),
            // `a` may be a link to the top, and then this leaves.
            ("a/../../x", 5),
            ("a/..", 5),
            ("./../x", 0),
            ("a\0b", 0),
        ] {
            assert!(!stays_inside(target.as_bytes(), depth), "{target:?}");
        }
    }
}

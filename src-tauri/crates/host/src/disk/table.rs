//! What both partition tables give: numbered ranges that lie on the disk and do not overlap.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use crate::error::Cause;

/// One entry of a partition table, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// Its number in the table, from 1.
    pub(super) index: u32,
    pub(super) start: u64,
    pub(super) length: u64,
}

/// Checks that every partition lies on a disk of `length` bytes and that no two overlap.
///
/// # Errors
/// Corrupt, naming the partition.
pub(super) fn check(partitions: &[Partition], length: u64) -> Result<(), Cause> {
    let mut sorted = partitions.to_vec();
    sorted.sort_by_key(|partition| partition.start);
    let mut taken = 0;
    for partition in sorted {
        let index = partition.index;
        let end = partition
            .start
            .checked_add(partition.length)
            .filter(|end| *end <= length)
            .ok_or_else(|| {
                Cause::Corrupt(format!(
                    "partition {index} ends beyond the disk's {length} bytes"
                ))
            })?;
        if partition.start < taken {
            return Err(Cause::Corrupt(format!(
                "partition {index} overlaps the one before it"
            )));
        }
        taken = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(index: u32, start: u64, length: u64) -> Partition {
        Partition {
            index,
            start,
            length,
        }
    }

    #[test]
    fn order_in_the_table_says_nothing_about_order_on_the_disk() {
        let table = [
            partition(1, 600, 400),
            partition(14, 100, 100),
            partition(15, 200, 400),
        ];
        assert!(check(&table, 1000).is_ok());
    }

    #[test]
    fn overlaps_and_ranges_beyond_the_end_are_corrupt() {
        for table in [
            [partition(1, 100, 101), partition(2, 200, 100)],
            [partition(1, 100, 100), partition(2, 900, 101)],
            [partition(1, 100, 100), partition(2, u64::MAX, 2)],
        ] {
            assert!(matches!(check(&table, 1000), Err(Cause::Corrupt(_))));
        }
    }
}

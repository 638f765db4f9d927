//! The superblock: who the filesystem is, how it is laid out, and whether that can be believed.
//!
//! Limits are the kernel's own (`ext4_fill_super`): what it would refuse to mount is corrupt here, what it
//! would not know is unsupported. Offsets are those of `struct ext4_super_block`.

use std::num::NonZeroU64;

use sandtray_core::disk::Filesystem;
use sandtray_core::time::Time;

use super::feature::{compat, incompat, ro_compat};
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::signature::text;
use crate::disk::source::{le16, le32};
use crate::error::Cause;

/// Where the superblock begins, and how long it is.
pub(super) const AT: usize = 1024;
pub(super) const SIZE: usize = 1024;

const MAGIC: u16 = 0xef53;
const CHECKSUM_AT: usize = 0x3fc;
const VALID: u16 = 1;
const ERRORS: u16 = 2;
/// 128 TB of ordinary groups; more are a claim, not a guest's disk.
const MOST_GROUPS: u64 = 1 << 20;

/// Whether the first bytes of a partition carry a superblock's magic number.
pub(in crate::disk) fn is_ext(head: &[u8]) -> bool {
    le16(head, AT + 0x38).is_ok_and(|magic| magic == MAGIC)
}

/// Who the filesystem says it is; readable even where the rest is not.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::disk) struct Identity {
    pub(in crate::disk) filesystem: Filesystem,
    pub(in crate::disk) label: Option<String>,
    pub(in crate::disk) uuid: Option<String>,
}

impl Identity {
    /// Reads it out of the 1024 bytes of a superblock.
    pub(in crate::disk) fn parse(bytes: &[u8]) -> Result<Self, Cause> {
        let plain = incompat::FILETYPE | incompat::RECOVER | incompat::META_BG;
        let filesystem = if le32(bytes, 0x60)? & !plain != 0
            || le32(bytes, 0x64)? & !(ro_compat::SPARSE_SUPER | ro_compat::LARGE_FILE) != 0
        {
            Filesystem::Ext4
        } else if le32(bytes, 0x5c)? & compat::HAS_JOURNAL != 0 {
            Filesystem::Ext3
        } else {
            Filesystem::Ext2
        };
        Ok(Self {
            filesystem,
            label: bytes.get(0x78..0x88).and_then(text),
            uuid: bytes.get(0x68..).and_then(|rest| uuid(rest.first_chunk()?)),
        })
    }
}

fn uuid(bytes: &[u8; 16]) -> Option<String> {
    let hex = |part: &[u8]| {
        part.iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let (a, rest) = bytes.split_at(4);
    let (b, rest) = rest.split_at(2);
    let (c, rest) = rest.split_at(2);
    let (d, e) = rest.split_at(2);
    bytes
        .iter()
        .any(|byte| *byte != 0)
        .then(|| [a, b, c, d, e].map(hex).join("-"))
}

/// The layout of a filesystem, checked: no divisor is zero and no product of two counts overflows.
#[derive(Debug)]
pub(super) struct Superblock {
    pub(super) compat: u32,
    pub(super) incompat: u32,
    pub(super) ro_compat: u32,
    pub(super) uuid: [u8; 16],
    /// Bytes in a block, a power of two up to 64 KiB.
    pub(super) block_size: NonZeroU64,
    /// Blocks in a cluster, a power of two; 1 without bigalloc.
    pub(super) cluster_ratio: NonZeroU64,
    pub(super) blocks: u64,
    pub(super) reserved: u64,
    pub(super) first_data_block: u64,
    pub(super) blocks_per_group: NonZeroU64,
    pub(super) groups: u64,
    pub(super) inodes: u64,
    pub(super) inodes_per_group: NonZeroU64,
    pub(super) inode_size: NonZeroU64,
    /// Blocks of one group's inode table.
    pub(super) table_blocks: u64,
    /// Bytes in a group descriptor: 32, or 64 and more with 64bit.
    pub(super) descriptor_size: NonZeroU64,
    pub(super) reserved_gdt_blocks: u64,
    pub(super) first_meta_bg: u64,
    pub(super) backup_groups: [u64; 2],
    /// What mke2fs counted as overhead; believed only with bigalloc, as the kernel does.
    pub(super) overhead_clusters: u64,
    /// Inode number of the internal journal, 0 where there is none.
    pub(super) journal_inode: u64,
    /// What metadata checksums start from.
    pub(super) seed: u32,
    pub(super) clean: bool,
    pub(super) written: Option<Time>,
}

impl Superblock {
    /// Reads and checks the 1024 bytes of a superblock on a disk of `length` bytes.
    ///
    /// # Errors
    /// Corrupt or unsupported, naming the field.
    pub(super) fn parse(bytes: &[u8], length: u64) -> Result<Self, Cause> {
        let word = |at| le32(bytes, at).map(u64::from);
        let half = |at| le16(bytes, at).map(u64::from);
        let (compat, incompat, ro_compat) =
            (le32(bytes, 0x5c)?, le32(bytes, 0x60)?, le32(bytes, 0x64)?);
        let uuid = *bytes
            .get(0x68..)
            .and_then(|rest| rest.first_chunk())
            .ok_or_else(|| corrupt("it ends early"))?;
        check_sum(bytes, ro_compat)?;
        super::feature::check(incompat)?;

        let wide = |low: u64, high: u64| {
            if incompat & incompat::BITS_64 == 0 {
                low
            } else {
                low | high << 32
            }
        };
        let blocks = wide(word(0x04)?, word(0x150)?);
        let reserved = wide(word(0x08)?, word(0x154)?);
        let log_block = le32(bytes, 0x18)?;
        let block_size = power("block size", 1024, log_block, 6)?;
        let bigalloc = ro_compat & ro_compat::BIGALLOC != 0;
        let cluster_ratio = match le32(bytes, 0x1c)?.checked_sub(log_block) {
            Some(ratio) if bigalloc => power("cluster size", 1, ratio, 20)?,
            // Before bigalloc the field meant fragments and was the same as the block size, or nonsense.
            _ if !bigalloc => NonZeroU64::MIN,
            _ => return Err(corrupt("its cluster size is below its block size")),
        };
        let bits = block_size.get().saturating_mul(8);
        let blocks_per_group = nonzero("blocks per group", word(0x20)?)?;
        let clusters_per_group = blocks_per_group.get() / cluster_ratio;
        if clusters_per_group > bits
            || clusters_per_group == 0
            || blocks_per_group.get() % cluster_ratio != 0
        {
            return Err(corrupt(&format!("{blocks_per_group} blocks per group")));
        }
        let first_data_block = word(0x14)?;
        let expected_first = u64::from(block_size.get() == 1024 && !bigalloc);
        if first_data_block >= blocks || (!bigalloc && first_data_block != expected_first) {
            return Err(corrupt(&format!(
                "its first data block is {first_data_block}"
            )));
        }
        if blocks
            .checked_mul(block_size.get())
            .is_none_or(|bytes| bytes > length)
        {
            return Err(corrupt(&format!(
                "it claims {blocks} blocks of {block_size} bytes on a disk of {length} bytes"
            )));
        }
        if reserved > blocks {
            return Err(corrupt(&format!(
                "it reserves {reserved} of {blocks} blocks"
            )));
        }
        let groups = blocks
            .saturating_sub(first_data_block)
            .div_ceil(blocks_per_group.get());
        if groups > MOST_GROUPS {
            return Err(Cause::Unsupported(format!("{groups} block groups")));
        }

        let inode_size = match word(0x4c)? {
            0 => 128,
            _ => half(0x58)?,
        };
        if inode_size < 128 || inode_size > block_size.get() || !inode_size.is_power_of_two() {
            return Err(corrupt(&format!("inodes of {inode_size} bytes")));
        }
        let inode_size = nonzero("inode size", inode_size)?;
        let inodes_per_block = block_size.get() / inode_size;
        let inodes_per_group = nonzero("inodes per group", word(0x28)?)?;
        let inodes = word(0x00)?;
        if inodes_per_group.get() < inodes_per_block
            || inodes_per_group.get() > bits
            || groups.checked_mul(inodes_per_group.get()) != Some(inodes)
        {
            return Err(corrupt(&format!(
                "{inodes} inodes, {inodes_per_group} in each of {groups} groups"
            )));
        }

        let descriptor_size = if incompat & incompat::BITS_64 == 0 {
            32
        } else {
            half(0xfe)?
        };
        if !(32..=1024).contains(&descriptor_size)
            || !descriptor_size.is_power_of_two()
            || (incompat & incompat::BITS_64 != 0 && descriptor_size < 64)
        {
            return Err(corrupt(&format!(
                "group descriptors of {descriptor_size} bytes"
            )));
        }
        let reserved_gdt_blocks = half(0xce)?;
        if reserved_gdt_blocks > block_size.get() / 4 {
            return Err(corrupt(&format!(
                "{reserved_gdt_blocks} blocks reserved for descriptors"
            )));
        }
        let journal_inode = if compat & compat::HAS_JOURNAL == 0 {
            0
        } else {
            word(0xe0)?
        };
        if journal_inode > inodes {
            return Err(corrupt(&format!("its journal is inode {journal_inode}")));
        }
        let seed = if incompat & incompat::CSUM_SEED == 0 {
            crc32c(u32::MAX, &[&uuid])
        } else {
            le32(bytes, 0x270)?
        };
        let state = le16(bytes, 0x3a)?;
        let written = word(0x30)? | u64::from(bytes.get(0x274).copied().unwrap_or_default()) << 32;
        Ok(Self {
            compat,
            incompat,
            ro_compat,
            uuid,
            block_size,
            cluster_ratio,
            blocks,
            reserved,
            first_data_block,
            blocks_per_group,
            groups,
            inodes,
            inodes_per_group,
            inode_size,
            table_blocks: inodes_per_group.get() / nonzero("inodes per block", inodes_per_block)?,
            descriptor_size: nonzero("descriptor size", descriptor_size)?,
            reserved_gdt_blocks,
            first_meta_bg: word(0x104)?,
            backup_groups: [word(0x24c)?, word(0x250)?],
            overhead_clusters: word(0x248)?,
            journal_inode,
            seed,
            clean: state & (VALID | ERRORS) == VALID && incompat & incompat::RECOVER == 0,
            written: i64::try_from(written)
                .ok()
                .filter(|seconds| *seconds != 0)
                .map(Time),
        })
    }

    pub(super) const fn has_ro_compat(&self, feature: u32) -> bool {
        self.ro_compat & feature != 0
    }

    pub(super) const fn has_incompat(&self, feature: u32) -> bool {
        self.incompat & feature != 0
    }

    pub(super) const fn has_compat(&self, feature: u32) -> bool {
        self.compat & feature != 0
    }
}

fn check_sum(bytes: &[u8], ro_compat: u32) -> Result<(), Cause> {
    if ro_compat & ro_compat::METADATA_CSUM == 0 {
        return Ok(());
    }
    let kind = bytes.get(0x175).copied().unwrap_or_default();
    if kind != 1 {
        return Err(Cause::Unsupported(format!("ext4 checksums of kind {kind}")));
    }
    let covered = bytes.get(..CHECKSUM_AT).unwrap_or_default();
    if agrees(crc32c(u32::MAX, &[covered]), le32(bytes, CHECKSUM_AT)?) {
        Ok(())
    } else {
        Err(corrupt("its checksum does not match"))
    }
}

fn power(what: &str, base: u64, exponent: u32, most: u32) -> Result<NonZeroU64, Cause> {
    base.checked_shl(exponent)
        .filter(|_| exponent <= most)
        .and_then(NonZeroU64::new)
        .ok_or_else(|| corrupt(&format!("its {what} is 2^{exponent} times {base}")))
}

fn nonzero(what: &str, value: u64) -> Result<NonZeroU64, Cause> {
    NonZeroU64::new(value).ok_or_else(|| corrupt(&format!("its {what} is 0")))
}

fn corrupt(text: &str) -> Cause {
    Cause::Corrupt(format!("ext4 superblock: {text}"))
}

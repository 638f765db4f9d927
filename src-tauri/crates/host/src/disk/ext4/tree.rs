//! A filesystem as files and folders: inodes by number, names, contents.
//!
//! Why not the crate `ext4-view`: it opens one path after the other, each by its own reads, and ends at
//! the first contradiction. Adding up a whole disk has to read every inode table once from end to end,
//! rescue has to go on behind what is broken, and both have to lie over any [`ReadAt`] (a VHDX, a
//! journal's overlay), with `bigalloc` and `meta_bg`. What is left of it would be a second reader of
//! the same structures; the kernel and `debugfs` are the better oracles.

use std::num::{NonZeroU32, NonZeroU64};

use super::directory::{self, Name};
use super::inline;
use super::inode::{Inode, Kind, flag};
use super::runs::{Run, Runs};
use super::superblock::{AT, SIZE, Superblock};
use super::tables::{self, Table, Tables};
use crate::disk::source::{ReadAt, fetch, le16, le32};
use crate::error::Cause;

/// The inode of the root directory.
pub(crate) const ROOT: u32 = 2;
const MAGIC: u16 = 0xef53;
/// The first inode that is anybody's, in filesystems too old to say.
const FIRST: u32 = 11;
/// Inodes read at once: what is checked next is still in the cache.
const CHUNK: u64 = 256 << 10;
/// A longer target is none that Linux would follow.
const LONGEST_TARGET: u64 = 4096;

/// A filesystem of the ext family.
pub(crate) struct Ext4<'a> {
    source: &'a dyn ReadAt,
    superblock: Superblock,
    tables: Tables,
    first_inode: u32,
    /// Inodes of the filesystem's own beyond the reserved ones.
    hidden: [u32; 2],
    /// The superblock was broken and this is what its copy says.
    pub(crate) copied: Option<Cause>,
}

/// What [`Ext4::each_inode`] found.
pub(crate) enum Found {
    /// An inode in use.
    Inode(Inode),
    /// One that cannot be believed, or a whole group's worth of them.
    Damaged(Cause),
}

impl<'a> Ext4<'a> {
    /// Reads superblock and descriptors; where the superblock is broken, one of its copies.
    ///
    /// # Errors
    /// Corrupt, unsupported, or what reading says.
    pub(in crate::disk) fn open(source: &'a dyn ReadAt) -> Result<Self, Cause> {
        let at = u64::try_from(AT).unwrap_or(u64::MAX);
        Self::open_at(source, at).or_else(|cause| {
            if !matches!(cause, Cause::Corrupt(_)) {
                return Err(cause);
            }
            // Where group 1 begins with blocks of 1, 2 and 4 KiB in groups of the usual size.
            for block in [8193 << 10, 16384 << 11, 32768 << 12] {
                if let Ok(mut copy) = Self::open_at(source, block) {
                    copy.copied = Some(cause);
                    return Ok(copy);
                }
            }
            Err(cause)
        })
    }

    fn open_at(source: &'a dyn ReadAt, at: u64) -> Result<Self, Cause> {
        let size = u64::try_from(SIZE).unwrap_or(u64::MAX);
        let bytes = fetch(source, at, size, "ext4 superblock")?;
        if le16(&bytes, 0x38)? != MAGIC {
            return Err(Cause::Corrupt("it has no ext4 superblock".to_owned()));
        }
        let superblock = Superblock::parse(&bytes, source.length())?;
        let first_inode = match le32(&bytes, 0x4c)? {
            0 => FIRST,
            _ => le32(&bytes, 0x54)?.max(FIRST),
        };
        Ok(Self {
            source,
            tables: Tables::read(source, &superblock)?,
            superblock,
            first_inode,
            hidden: [le32(&bytes, 0x280)?, le32(&bytes, 0x26c)?],
            copied: None,
        })
    }

    pub(crate) const fn block_size(&self) -> u64 {
        self.superblock.block_size.get()
    }

    /// Blocks of the whole filesystem: nothing in it can have more.
    pub(crate) const fn blocks(&self) -> u64 {
        self.superblock.blocks
    }

    /// Inodes in each group, which number them in turn.
    pub(crate) const fn inodes_per_group(&self) -> NonZeroU64 {
        self.superblock.inodes_per_group
    }

    /// Unmounted properly: what is read now will not change by itself.
    pub(crate) const fn is_clean(&self) -> bool {
        self.superblock.clean
    }

    /// Whether an inode can have a name: not one of the filesystem's own.
    pub(crate) fn is_ordinary(&self, number: u32) -> bool {
        number >= self.first_inode && !self.hidden.contains(&number)
    }

    /// Reads an inode, whether in use or not.
    ///
    /// # Errors
    /// Corrupt where there is no such inode, where its table is lost or its checksum does not match.
    pub(crate) fn inode(&self, number: u32) -> Result<Inode, Cause> {
        self.raw_inode(number).map(|(inode, _)| inode)
    }

    fn raw_inode(&self, number: u32) -> Result<(Inode, Vec<u8>), Cause> {
        let missing = || Cause::Corrupt(format!("ext4: there is no inode {number}"));
        let wanted = NonZeroU32::new(number).ok_or_else(missing)?;
        let index = u64::from(number.saturating_sub(1));
        let (group, slot) = (
            index / self.superblock.inodes_per_group,
            index % self.superblock.inodes_per_group,
        );
        let table = usize::try_from(group)
            .ok()
            .and_then(|group| self.tables.groups.get(group))
            .ok_or_else(missing)?
            .as_ref()
            .ok_or_else(|| Cause::Corrupt(format!("ext4: the table of inode {number} is lost")))?;
        let size = self.superblock.inode_size.get();
        let at = self
            .place(table.start)
            .saturating_add(slot.saturating_mul(size));
        let bytes = fetch(self.source, at, size, "inodes")?;
        let inode = Inode::parse(&self.superblock, wanted, &bytes)?;
        Ok((inode, bytes))
    }

    fn place(&self, block: u64) -> u64 {
        block.saturating_mul(self.block_size())
    }

    /// Hands out every inode in use that can have a name, in ascending order, reading each group's table from end to end.
    /// `each` says whether to go on.
    pub(crate) fn each_inode(&self, mut each: impl FnMut(Found) -> bool) {
        for cause in &self.tables.lost {
            each(Found::Damaged(Cause::Corrupt(cause.to_string())));
        }
        let mut buffer = Vec::new();
        let mut first = 0_u64;
        for table in self.tables.groups.iter().flatten() {
            // All the bitmaps: a few blocks that lie apart from the tables.
            if table.slots > 0 {
                self.announce(table.bitmap, 1);
            }
        }
        for table in &self.tables.groups {
            if let Some(table) = table
                && !self.group(first, table, &mut buffer, &mut each)
            {
                return;
            }
            first = first.saturating_add(self.superblock.inodes_per_group.get());
        }
    }

    /// The inodes of one group, the first of which is number `first` + 1.
    fn group(
        &self,
        first: u64,
        table: &Table,
        buffer: &mut Vec<u8>,
        each: &mut impl FnMut(Found) -> bool,
    ) -> bool {
        if table.slots == 0 {
            return true;
        }
        let used = match tables::bitmap(self.source, &self.superblock, table) {
            Ok(bits) => Some(bits),
            // Without it every inode that has links is taken to be in use.
            Err(cause) if each(Found::Damaged(Cause::Corrupt(cause.to_string()))) => None,
            Err(_) => return false,
        };
        let size = self.superblock.inode_size.get();
        let slots = used
            .as_deref()
            .map_or(table.slots, |bits| last(bits).min(table.slots));
        let per_chunk = CHUNK / self.superblock.inode_size;
        let mut slot = 0_u64;
        while slot < slots {
            let count = per_chunk.min(slots.saturating_sub(slot));
            let at = self
                .place(table.start)
                .saturating_add(slot.saturating_mul(size));
            buffer.resize(usize::try_from(count.saturating_mul(size)).unwrap_or(0), 0);
            if let Err(error) = self.source.read_at(buffer, at) {
                if !each(Found::Damaged(error.into())) {
                    return false;
                }
            } else {
                let stride = usize::try_from(size).unwrap_or(usize::MAX);
                for (index, bytes) in (slot..).zip(buffer.chunks_exact(stride)) {
                    let taken = match &used {
                        Some(bits) => is_set(bits, index),
                        None => has_links(bytes),
                    };
                    let number = u32::try_from(first.saturating_add(index).saturating_add(1));
                    let number = number.ok().and_then(NonZeroU32::new);
                    let visible = |number: &NonZeroU32| {
                        taken && (number.get() == ROOT || self.is_ordinary(number.get()))
                    };
                    let Some(number) = number.filter(visible) else {
                        continue;
                    };
                    let found = match Inode::parse(&self.superblock, number, bytes) {
                        Ok(inode) => Found::Inode(inode),
                        Err(cause) => Found::Damaged(cause),
                    };
                    if !each(found) {
                        return false;
                    }
                }
            }
            slot = slot.saturating_add(count);
        }
        true
    }

    /// Where the blocks of a file lie; nothing for inline contents and for what has none.
    pub(crate) fn runs(&self, inode: &Inode) -> Runs<'_> {
        Runs::new(self.source, &self.superblock, inode)
    }

    /// Reads blocks of the disk into `buffer`, which is as long as they are.
    ///
    /// # Errors
    /// What reading says.
    pub(crate) fn read_blocks(&self, buffer: &mut [u8], block: u64) -> Result<(), Cause> {
        self.source.read_at(buffer, self.place(block))?;
        Ok(())
    }

    /// Says that blocks will be read soon.
    pub(crate) fn announce(&self, block: u64, count: u64) {
        self.source.announce(self.place(block), self.place(count));
    }

    /// The contents of an inline file, exactly as long as it says.
    ///
    /// # Errors
    /// Corrupt where they are not all there.
    pub(crate) fn inline(&self, inode: &Inode) -> Result<Vec<u8>, Cause> {
        let (inode, bytes) = self.raw_inode(inode.number)?;
        let mut contents = inline::contents(&inode, &bytes)?;
        let size = usize::try_from(inode.size).unwrap_or(usize::MAX);
        if size > contents.len() {
            return Err(Cause::Corrupt(
                "ext4: inline contents are shorter than their size".to_owned(),
            ));
        }
        contents.truncate(size);
        Ok(contents)
    }

    /// Where a symbolic link points, as the bytes it was made with.
    ///
    /// # Errors
    /// Unsupported where it is encrypted; corrupt where its target is too long or not there.
    pub(crate) fn target(&self, inode: &Inode) -> Result<Vec<u8>, Cause> {
        if inode.has(flag::ENCRYPTED) {
            return Err(Cause::Unsupported("an encrypted link".to_owned()));
        }
        if inode.size > LONGEST_TARGET {
            return Err(Cause::Corrupt(format!(
                "ext4: a link of {} bytes",
                inode.size
            )));
        }
        let size = usize::try_from(inode.size).unwrap_or(usize::MAX);
        if inode.has(flag::INLINE) {
            return self.inline(inode);
        }
        if inode.is_fast_link() {
            return Ok(inode.map.get(..size).unwrap_or_default().to_vec());
        }
        let mut target = Vec::new();
        for run in self.runs(inode) {
            let run = run?;
            let (Some(physical), true) = (run.physical, target.len() < size) else {
                break;
            };
            let wanted = LONGEST_TARGET.min(run.length.saturating_mul(self.block_size()));
            target.extend(fetch(self.source, self.place(physical), wanted, "link")?);
        }
        if target.len() < size {
            return Err(Cause::Corrupt("ext4: a link without a target".to_owned()));
        }
        target.truncate(size);
        Ok(target)
    }

    /// The blocks of a directory that hold names, at most as many as its size says. What is broken
    /// about them goes to `damaged`.
    pub(crate) fn directory_runs(
        &self,
        inode: &Inode,
        damaged: &mut impl FnMut(Cause),
    ) -> Vec<Run> {
        let end = inode.size.div_ceil(self.block_size()).min(self.blocks());
        let mut runs = Vec::new();
        let mut covered = 0_u64;
        for run in self.runs(inode) {
            match run {
                Ok(run) if run.logical >= end => break,
                Ok(run) => {
                    let length = run.length.min(end.saturating_sub(run.logical));
                    covered = covered.saturating_add(length);
                    if run.physical.is_some() {
                        runs.push(Run { length, ..run });
                    } else {
                        damaged(Cause::Corrupt("ext4: a directory with a hole".to_owned()));
                    }
                }
                Err(cause) => damaged(cause),
            }
        }
        if covered < end {
            damaged(Cause::Corrupt("ext4: a directory with a hole".to_owned()));
        }
        runs
    }

    /// Reads the names in one block of a directory; `logical` is its place in it.
    ///
    /// # Errors
    /// See [`directory::names`].
    pub(crate) fn names<'b>(
        &self,
        seed: u32,
        index: bool,
        block: &'b [u8],
        each: &mut impl FnMut(Name<'b>),
    ) -> Result<(), Cause> {
        directory::names(&self.superblock, seed, index, block, each)
    }

    /// Reads a directory whole, name by name. What is broken goes to `damaged`, and the rest comes out.
    pub(crate) fn read_directory(
        &self,
        inode: &Inode,
        each: &mut impl FnMut(Name<'_>),
        damaged: &mut impl FnMut(Cause),
    ) {
        if inode.kind() != Kind::Dir {
            return damaged(Cause::Corrupt("ext4: it is no directory".to_owned()));
        }
        if inode.has(flag::INLINE) {
            let read = self.raw_inode(inode.number).and_then(|(inode, bytes)| {
                // The first four bytes are the parent's number.
                directory::walk(inode.map.get(4..).unwrap_or_default(), each)?;
                directory::walk(inline::attribute(&bytes)?.unwrap_or_default(), each)
            });
            if let Err(cause) = read {
                damaged(cause);
            }
            return;
        }
        let size = self.block_size();
        let mut block = vec![0; usize::try_from(size).unwrap_or(0)];
        for run in self.directory_runs(inode, damaged) {
            for step in 0..run.length {
                let index = inode.has(flag::INDEX) && run.logical.saturating_add(step) == 0;
                let read = self
                    .read_blocks(&mut block, run.physical.unwrap_or(0).saturating_add(step))
                    .and_then(|()| self.names(inode.seed, index, &block, each));
                if let Err(cause) = read {
                    damaged(cause);
                }
            }
        }
    }
}

/// One more than the last bit that is set.
fn last(bits: &[u8]) -> u64 {
    let last = bits.iter().rposition(|byte| *byte != 0);
    let whole = last.and_then(|at| u64::try_from(at).ok());
    let top = last.and_then(|at| bits.get(at)).map_or(0, |byte| {
        8_u64.saturating_sub(u64::from(byte.leading_zeros()))
    });
    whole.map_or(0, |at| at.saturating_mul(8).saturating_add(top))
}

fn is_set(bits: &[u8], index: u64) -> bool {
    let byte = usize::try_from(index / 8).ok().and_then(|at| bits.get(at));
    byte.is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}

fn has_links(inode: &[u8]) -> bool {
    inode.get(0x1a..0x1c).is_some_and(|links| links != [0, 0])
}

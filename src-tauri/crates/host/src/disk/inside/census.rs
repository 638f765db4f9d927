//! Every inode and every name of a filesystem, in two passes in the disk's own order.
//!
//! What is kept is 56 bytes for an inode, 12 more for a directory and no name but those of one folder's
//! children: 100,000 files fit into 8 MB. Nothing is kept that is not backed by bytes of the image, and
//! the passes end where the filesystem's own size does, so that a small image cannot claim much.

use crate::disk::ext4::{Ext4, Found, Inode, Kind, ROOT, flag};
use crate::error::Cause;

use super::{Options, child_name};

/// No inode: of a parent that is not known.
pub(super) const NONE: u32 = u32::MAX;
/// More are a claim, not a guest's disk: a 10 GB disk has 655,360.
const MOST_RECORDS: usize = 1 << 23;
/// Blocks of directories read at once, and how far apart they may lie for that.
const CHUNK: u64 = 256 << 10;
const BRIDGE: u64 = 4;
/// How far ahead the system is told what will be read.
const AHEAD: u64 = 4 << 20;
/// How often somebody is told and asked.
const BEAT: u64 = 1024;

/// One inode in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) number: u32,
    /// The folder that the first of its names is in.
    pub(super) parent: u32,
    pub(super) links: u16,
    pub(super) mode: u16,
    /// Names in it, where it is a folder.
    pub(super) names: u32,
    pub(super) sectors: u64,
    pub(super) size: u64,
    pub(super) modified: i64,
    /// When it was made, or changed where that is earlier or all that is known.
    pub(super) first: i64,
    pub(super) uid: u32,
}

impl Record {
    pub(super) const fn is_dir(&self) -> bool {
        matches!(Kind::of(self.mode), Kind::Dir)
    }
}

/// Something damaged: the inode it is about, if any, and the cause.
pub(super) type Damage = (Option<u32>, Cause);

/// The whole of it. Parents and children are indices of `records`.
pub(super) struct Census<'a> {
    ext4: &'a Ext4<'a>,
    options: &'a Options,
    /// In ascending order of number.
    pub(super) records: Vec<Record>,
    /// Where each group's records begin.
    starts: Vec<u32>,
    /// Further names of inodes with several: the child, then the folder.
    pub(super) more_names: Vec<(u32, u32)>,
    /// The children of the folder asked about.
    pub(super) children: Vec<(Vec<u8>, u32)>,
    folders: Vec<Folder>,
    pieces: Vec<Piece>,
    inline: Vec<u32>,
    pub(super) damage: Vec<Damage>,
    pub(super) damaged: u64,
    pub(super) cancelled: bool,
}

/// A directory: its record, and what its blocks' checksums start from.
struct Folder {
    record: u32,
    seed: u32,
    hashed: bool,
}

/// Blocks of a directory that lie together.
struct Piece {
    physical: u64,
    logical: u32,
    length: u32,
    folder: u32,
}

impl<'a> Census<'a> {
    /// Takes it, with the names of `target`'s children.
    ///
    /// # Errors
    /// Unsupported where there are absurdly many inodes.
    pub(super) fn take(
        ext4: &'a Ext4<'a>,
        target: &Inode,
        options: &'a Options,
    ) -> Result<Self, Cause> {
        let mut census = Self {
            ext4,
            options,
            records: Vec::new(),
            starts: Vec::new(),
            more_names: Vec::new(),
            children: Vec::new(),
            folders: Vec::new(),
            pieces: Vec::new(),
            inline: Vec::new(),
            damage: Vec::new(),
            damaged: 0,
            cancelled: false,
        };
        if let Some(cause) = &ext4.copied {
            census.broken(None, Cause::Corrupt(cause.to_string()));
        }
        census.inodes()?;
        census.names(target);
        Ok(census)
    }

    fn broken(&mut self, inode: Option<u32>, cause: Cause) {
        self.damaged = self.damaged.saturating_add(1);
        if self.damage.len() < super::MOST_GAPS {
            self.damage.push((inode, cause));
        }
    }

    /// Tells how far it is; false where it has to stop.
    fn beat(&mut self, count: u64) -> bool {
        self.options.progress.add(count);
        self.cancelled |= self.options.cancel.is_cancelled();
        !self.cancelled
    }

    fn inodes(&mut self) -> Result<(), Cause> {
        let ext4 = self.ext4;
        let mut seen = 0_u64;
        let mut blocks = 0_u64;
        ext4.each_inode(|found| {
            match found {
                Found::Inode(inode) => self.add(&inode, &mut blocks),
                Found::Damaged(cause) => self.broken(None, cause),
            }
            seen = seen.saturating_add(1);
            let go_on = !seen.is_multiple_of(BEAT) || self.beat(BEAT);
            go_on && self.records.len() < MOST_RECORDS
        });
        self.beat(seen % BEAT);
        if self.records.len() >= MOST_RECORDS {
            return Err(Cause::Unsupported(format!("{MOST_RECORDS} files and more")));
        }
        Ok(())
    }

    fn add(&mut self, inode: &Inode, blocks: &mut u64) {
        if inode.has(flag::ATTRIBUTE) {
            return;
        }
        let record = index(self.records.len());
        let group = u64::from(inode.number.saturating_sub(1)) / self.ext4.inodes_per_group();
        while self.starts.len() <= usize::try_from(group).unwrap_or(0) {
            self.starts.push(record);
        }
        self.records.push(Record {
            number: inode.number,
            parent: NONE,
            links: inode.links,
            mode: inode.mode,
            names: 0,
            sectors: inode.sectors,
            size: inode.size,
            modified: inode.modified,
            first: inode
                .born
                .map_or(inode.modified, |born| born.min(inode.modified)),
            uid: inode.uid,
        });
        if inode.kind() == Kind::Odd {
            let cause = Cause::Corrupt("ext4: an inode in use that is nothing".to_owned());
            self.broken(Some(inode.number), cause);
        }
        if inode.kind() != Kind::Dir || inode.links == 0 {
            return;
        }
        if inode.has(flag::INLINE) {
            self.inline.push(record);
            return;
        }
        let mut damage = Vec::new();
        let runs = self
            .ext4
            .directory_runs(inode, &mut |cause| damage.push(cause));
        for cause in damage {
            self.broken(Some(inode.number), cause);
        }
        let folder = index(self.folders.len());
        self.folders.push(Folder {
            record,
            seed: inode.seed,
            hashed: inode.has(flag::INDEX),
        });
        for run in runs {
            *blocks = blocks.saturating_add(run.length);
            // Folders that share their blocks could be read for ever.
            if *blocks > self.ext4.blocks() {
                let cause = Cause::Corrupt("ext4: folders share their blocks".to_owned());
                return self.broken(Some(inode.number), cause);
            }
            self.pieces.push(Piece {
                physical: run.physical.unwrap_or(0),
                logical: u32::try_from(run.logical).unwrap_or(u32::MAX),
                length: u32::try_from(run.length).unwrap_or(u32::MAX),
                folder,
            });
        }
    }

    /// The index of inode `number`: most tables are dense, so the guess is right most of the time.
    pub(super) fn find(&self, number: u32) -> Option<u32> {
        let per_group = self.ext4.inodes_per_group();
        let zero = u64::from(number.checked_sub(1)?);
        let group = usize::try_from(zero / per_group).ok()?;
        let slot = usize::try_from(zero % per_group).ok()?;
        let start = *self.starts.get(group)?;
        let end = self
            .starts
            .get(group.saturating_add(1))
            .map_or(self.records.len(), |end| usize::try_from(*end).unwrap_or(0));
        let from = usize::try_from(start).ok()?;
        let records = self.records.get(from..end)?;
        let at = if records
            .get(slot)
            .is_some_and(|record| record.number == number)
        {
            slot
        } else {
            let below = slot.min(records.len());
            records
                .get(..below)?
                .binary_search_by_key(&number, |record| record.number)
                .ok()?
        };
        Some(start.saturating_add(index(at)))
    }

    fn names(&mut self, target: &Inode) {
        let wanted = self.find(target.number).unwrap_or(NONE);
        let ext4 = self.ext4;
        self.inline_names(target, wanted);
        let mut pieces = std::mem::take(&mut self.pieces);
        let folders = std::mem::take(&mut self.folders);
        pieces.sort_unstable_by_key(|piece| piece.physical);
        let size = ext4.block_size();
        let most = CHUNK / ext4_size(ext4);
        let mut buffer = Vec::new();
        let mut rest = pieces.as_slice();
        let mut told = rest;
        let mut ahead = 0_u64;
        let mut read = 0_u64;
        while let Some((start, end, count)) = together(rest, most) {
            while ahead < AHEAD / ext4_size(ext4)
                && let Some((start, end, count)) = together(told, most)
            {
                let length = end.saturating_sub(start);
                ext4.announce(start, length);
                ahead = ahead.saturating_add(length);
                told = told.get(count..).unwrap_or_default();
            }
            ahead = ahead.saturating_sub(end.saturating_sub(start));
            let (now, later) = rest.split_at(count);
            rest = later;
            let mut from = start;
            while from < end {
                let until = end.min(from.saturating_add(most));
                let length = until.saturating_sub(from).saturating_mul(size);
                buffer.resize(usize::try_from(length).unwrap_or(0), 0);
                let result = ext4.read_blocks(&mut buffer, from);
                let failed = result.err().map(|cause| cause.to_string());
                for piece in now {
                    let Some(folder) = usize::try_from(piece.folder)
                        .ok()
                        .and_then(|at| folders.get(at))
                    else {
                        continue;
                    };
                    let chunk = Chunk {
                        bytes: &buffer,
                        from,
                        until,
                        failed: failed.as_deref(),
                    };
                    self.piece(piece, folder, &chunk, target, wanted);
                }
                read = read.saturating_add(until.saturating_sub(from));
                if !self.beat(0) {
                    return;
                }
                from = until;
            }
        }
    }

    /// The names in that part of a piece which lies in a chunk.
    fn piece(
        &mut self,
        piece: &Piece,
        folder: &Folder,
        chunk: &Chunk<'_>,
        target: &Inode,
        wanted: u32,
    ) {
        let ext4 = self.ext4;
        let size = usize::try_from(ext4.block_size()).unwrap_or(usize::MAX);
        let first = piece.physical.max(chunk.from);
        let last = piece
            .physical
            .saturating_add(u64::from(piece.length))
            .min(chunk.until);
        for block in first..last {
            let logical =
                u64::from(piece.logical).saturating_add(block.saturating_sub(piece.physical));
            let hashed = folder.hashed && logical == 0;
            let at = usize::try_from(block.saturating_sub(chunk.from))
                .unwrap_or(usize::MAX)
                .saturating_mul(size);
            let bytes = chunk.bytes.get(at..).and_then(|rest| rest.get(..size));
            let result = match (chunk.failed, bytes) {
                (None, Some(bytes)) => ext4.names(folder.seed, hashed, bytes, &mut |name| {
                    self.edge(folder.record, name.inode, name.name, target, wanted);
                }),
                (Some(text), _) => Err(Cause::Corrupt(text.to_owned())),
                (None, None) => Ok(()),
            };
            if let Err(cause) = result {
                let number = self.record(folder.record).map(|record| record.number);
                self.broken(number, cause);
            }
        }
    }

    fn inline_names(&mut self, target: &Inode, wanted: u32) {
        let ext4 = self.ext4;
        for record in std::mem::take(&mut self.inline) {
            let Some(number) = self.record(record).map(|record| record.number) else {
                continue;
            };
            let mut damage = Vec::new();
            match ext4.inode(number) {
                Ok(inode) => ext4.read_directory(
                    &inode,
                    &mut |name| self.edge(record, name.inode, name.name, target, wanted),
                    &mut |cause| damage.push(cause),
                ),
                Err(cause) => damage.push(cause),
            }
            for cause in damage {
                self.broken(Some(number), cause);
            }
        }
    }

    pub(super) fn record(&self, at: u32) -> Option<&Record> {
        self.records.get(usize::try_from(at).ok()?)
    }

    fn record_mut(&mut self, at: u32) -> Option<&mut Record> {
        self.records.get_mut(usize::try_from(at).ok()?)
    }

    /// One name: `folder` has a child `number`.
    fn edge(&mut self, folder: u32, number: u32, name: &[u8], target: &Inode, wanted: u32) {
        let Some(child) = self.find(number) else {
            let cause = Cause::Corrupt(format!(
                "ext4: the name {:?} leads to no file",
                String::from_utf8_lossy(name)
            ));
            let parent = self.record(folder).map(|record| record.number);
            return self.broken(parent, cause);
        };
        if let Some(record) = self.record_mut(folder) {
            record.names = record.names.saturating_add(1);
        }
        if folder == wanted {
            self.children
                .push((child_name(target, name).into_owned(), child));
        }
        let Some(record) = self.record_mut(child) else {
            return;
        };
        if record.parent == NONE && record.number != ROOT {
            record.parent = folder;
        } else if record.is_dir() {
            // A folder has one name; a second one is the beginning of a cycle.
            let number = record.number;
            let cause = Cause::Corrupt("ext4: a folder with two names".to_owned());
            self.broken(Some(number), cause);
        } else {
            self.more_names.push((child, folder));
        }
    }
}

/// As many pieces as lie close together, to be read at once: first block, last, and how many they are. A long
/// one stands alone and is read in parts.
fn together(pieces: &[Piece], most: u64) -> Option<(u64, u64, usize)> {
    let (first, others) = pieces.split_first()?;
    let start = first.physical;
    let mut end = start.saturating_add(u64::from(first.length));
    let mut count = 1_usize;
    for piece in others {
        let until = piece
            .physical
            .saturating_add(u64::from(piece.length))
            .max(end);
        if piece.physical > end.saturating_add(BRIDGE) || until.saturating_sub(start) > most {
            break;
        }
        end = until;
        count = count.saturating_add(1);
    }
    Some((start, end, count))
}

/// Blocks read at once.
struct Chunk<'a> {
    bytes: &'a [u8],
    from: u64,
    until: u64,
    failed: Option<&'a str>,
}

fn ext4_size(ext4: &Ext4<'_>) -> std::num::NonZeroU64 {
    std::num::NonZeroU64::new(ext4.block_size()).unwrap_or(std::num::NonZeroU64::MIN)
}

/// An index; the caps keep it far below the end.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

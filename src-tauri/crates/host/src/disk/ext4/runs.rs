//! Where a file's blocks lie: one walk over extents and over the older block numbers.
//!
//! A broken part is an error in the sequence, and the sequence goes on behind it: what else can be
//! read still comes out. No part is visited twice by way of a cycle, because every level must be one
//! lower than the one above it and blocks must ascend; a tree with more blocks than its inode accounts
//! for is cut.

use super::inode::{Inode, flag, has_sums};
use super::superblock::Superblock;
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{ReadAt, fetch, le16, le32};
use crate::error::Cause;

const MAGIC: u16 = 0xf30a;
const HEADER: usize = 12;
const ENTRY: usize = 12;
/// The kernel's own limit.
const DEEPEST: u16 = 5;
/// Longer extents are allocated but were never written.
const LONGEST: u16 = 0x8000;
const DIRECT: u64 = 12;

/// Blocks that follow one another in the file and on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first block in the file.
    pub(crate) logical: u64,
    /// The first block on the disk; none where nothing was ever written, which reads as zeros.
    pub(crate) physical: Option<u64>,
    pub(crate) length: u64,
}

/// The runs of a file in ascending order. Holes are what lies between them.
pub(crate) struct Runs<'a> {
    source: &'a dyn ReadAt,
    superblock: &'a Superblock,
    seed: u32,
    stack: Vec<Node>,
    /// Nothing below this block of the file is accepted any more.
    next: u64,
    /// How many more blocks the tree may have.
    nodes: u64,
    /// What was found and is still to be handed out: a run that may grow, then what ended it.
    pending: Option<Run>,
    failed: Option<Cause>,
}

/// A block of the tree that is being read.
struct Node {
    bytes: Vec<u8>,
    at: usize,
    end: usize,
    kind: NodeKind,
}

#[derive(Clone, Copy)]
enum NodeKind {
    /// With how many levels below it.
    Extents(u16),
    /// Of block numbers, with how many levels below it and the block of the file it begins with.
    Numbers(u32, u64),
}

impl<'a> Runs<'a> {
    pub(super) fn new(source: &'a dyn ReadAt, superblock: &'a Superblock, inode: &Inode) -> Self {
        // `i_blocks` counts the blocks of the tree too.
        let own = inode.sectors.saturating_mul(512) / superblock.block_size;
        let mut runs = Self {
            source,
            superblock,
            seed: inode.seed,
            stack: Vec::new(),
            next: 0,
            nodes: own.min(superblock.blocks),
            pending: None,
            failed: None,
        };
        if inode.has(flag::EXTENTS) {
            match extents(inode.map.to_vec(), None) {
                Ok(node) => runs.stack.push(node),
                Err(cause) => runs.failed = Some(cause),
            }
        } else {
            // The last three numbers are of whole trees; the stack's top comes first.
            let per_block = superblock.block_size.get() / 4;
            let mut first = DIRECT;
            let mut span = 1_u64;
            let mut trees = Vec::new();
            for (level, at) in [(1, 48), (2, 52), (3, 56)] {
                trees.push(Node {
                    bytes: inode.map.to_vec(),
                    at,
                    end: at.saturating_add(4),
                    kind: NodeKind::Numbers(level, first),
                });
                span = span.saturating_mul(per_block);
                first = first.saturating_add(span);
            }
            trees.reverse();
            trees.push(Node {
                bytes: inode.map.to_vec(),
                at: 0,
                end: 48,
                kind: NodeKind::Numbers(0, 0),
            });
            runs.stack = trees;
        }
        runs
    }

    /// The next run, not yet joined with those that continue it.
    fn step(&mut self) -> Option<Result<Run, Cause>> {
        loop {
            let node = self.stack.last_mut()?;
            if node.at >= node.end {
                self.stack.pop();
                continue;
            }
            let found = match node.kind {
                NodeKind::Extents(0) => self.extent(),
                NodeKind::Extents(below) => self.index(below),
                NodeKind::Numbers(0, first) => self.number(first),
                NodeKind::Numbers(level, first) => self.tree(level, first),
            };
            match found {
                Ok(None) => {}
                Ok(Some(run)) => return Some(Ok(run)),
                Err(cause) => return Some(Err(cause)),
            }
        }
    }

    /// Takes `length` bytes of the top node.
    fn take(&mut self, length: usize) -> Option<(usize, &[u8])> {
        let node = self.stack.last_mut()?;
        let at = node.at;
        node.at = at.saturating_add(length);
        let bytes = node.bytes.get(at..node.at)?;
        Some((at, bytes))
    }

    fn extent(&mut self) -> Result<Option<Run>, Cause> {
        let Some((_, bytes)) = self.take(ENTRY) else {
            return Ok(None);
        };
        let logical = u64::from(le32(bytes, 0)?);
        let length = le16(bytes, 4)?;
        let start = u64::from(le32(bytes, 8)?) | u64::from(le16(bytes, 6)?) << 32;
        let (length, written) = if length > LONGEST {
            (length.saturating_sub(LONGEST), false)
        } else {
            (length, true)
        };
        let run = Run {
            logical,
            physical: written.then_some(start),
            length: u64::from(length),
        };
        self.accept(run, start).map(Some)
    }

    fn index(&mut self, below: u16) -> Result<Option<Run>, Cause> {
        let Some((_, bytes)) = self.take(ENTRY) else {
            return Ok(None);
        };
        let block = u64::from(le32(bytes, 4)?) | u64::from(le16(bytes, 8)?) << 32;
        let bytes = self.block(block, "extents")?;
        let node = extents(bytes, Some(below.saturating_sub(1)))?;
        self.check_sum(&node.bytes)?;
        self.stack.push(node);
        Ok(None)
    }

    fn number(&mut self, first: u64) -> Result<Option<Run>, Cause> {
        let Some((at, bytes)) = self.take(4) else {
            return Ok(None);
        };
        let block = u64::from(le32(bytes, 0)?);
        if block == 0 {
            return Ok(None);
        }
        let index = u64::try_from(at / 4).unwrap_or(u64::MAX);
        let run = Run {
            logical: first.saturating_add(index),
            physical: Some(block),
            length: 1,
        };
        self.accept(run, block).map(Some)
    }

    fn tree(&mut self, level: u32, first: u64) -> Result<Option<Run>, Cause> {
        let root = self.stack.last().is_some_and(|node| node.bytes.len() == 60);
        let Some((at, bytes)) = self.take(4) else {
            return Ok(None);
        };
        let block = u64::from(le32(bytes, 0)?);
        if block == 0 {
            return Ok(None);
        }
        let bytes = self.block(block, "block numbers")?;
        let per_block = self.superblock.block_size.get() / 4;
        let below = level.saturating_sub(1);
        let index = if root {
            0
        } else {
            u64::try_from(at / 4).unwrap_or(u64::MAX)
        };
        let begin = first.saturating_add(index.saturating_mul(per_block.saturating_pow(level)));
        self.stack.push(Node {
            end: bytes.len(),
            bytes,
            at: 0,
            kind: NodeKind::Numbers(below, begin),
        });
        Ok(None)
    }

    /// Accepts a run that lies on the disk and behind all that came before.
    fn accept(&mut self, run: Run, start: u64) -> Result<Run, Cause> {
        let superblock = self.superblock;
        let end = start.checked_add(run.length);
        if start < superblock.first_data_block.max(1)
            || end.is_none_or(|end| end > superblock.blocks)
        {
            return Err(corrupt("a run of blocks lies beyond the filesystem"));
        }
        if run.length == 0 || run.logical < self.next {
            return Err(corrupt("runs of blocks overlap"));
        }
        self.next = run.logical.saturating_add(run.length);
        Ok(run)
    }

    fn block(&mut self, block: u64, what: &str) -> Result<Vec<u8>, Cause> {
        let Some(left) = self.nodes.checked_sub(1) else {
            self.stack.clear();
            return Err(corrupt("a tree of blocks is larger than its inode says"));
        };
        self.nodes = left;
        if block < self.superblock.first_data_block.max(1) || block >= self.superblock.blocks {
            return Err(corrupt("a tree of blocks points beyond the filesystem"));
        }
        let size = self.superblock.block_size.get();
        fetch(self.source, block.saturating_mul(size), size, what)
    }

    /// The checksum follows the last entry there is room for.
    fn check_sum(&self, bytes: &[u8]) -> Result<(), Cause> {
        if !has_sums(self.superblock) {
            return Ok(());
        }
        let room = usize::from(le16(bytes, 4)?);
        let at = HEADER.saturating_add(room.saturating_mul(ENTRY));
        let covered = bytes.get(..at).unwrap_or_default();
        if agrees(crc32c(self.seed, &[covered]), le32(bytes, at)?) {
            Ok(())
        } else {
            Err(corrupt("a block of extents does not match its checksum"))
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Result<Run, Cause>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.pending.is_none()
                && let Some(cause) = self.failed.take()
            {
                return Some(Err(cause));
            }
            match (self.step(), self.pending) {
                (Some(Ok(run)), None) => self.pending = Some(run),
                (Some(Ok(run)), Some(held)) => match joined(held, run) {
                    Some(longer) => self.pending = Some(longer),
                    None => return self.pending.replace(run).map(Ok),
                },
                (Some(Err(cause)), None) => return Some(Err(cause)),
                (Some(Err(cause)), Some(_)) => {
                    self.failed = Some(cause);
                    return self.pending.take().map(Ok);
                }
                (None, _) => return self.pending.take().map(Ok),
            }
        }
    }
}

/// One run where the second continues the first.
fn joined(one: Run, two: Run) -> Option<Run> {
    let follows = one.logical.saturating_add(one.length) == two.logical;
    let on_disk = match (one.physical, two.physical) {
        (Some(first), Some(second)) => first.saturating_add(one.length) == second,
        (None, None) => true,
        _ => false,
    };
    (follows && on_disk).then(|| Run {
        length: one.length.saturating_add(two.length),
        ..one
    })
}

/// Checks the header of a block of extents; `depth` is what it must say.
fn extents(bytes: Vec<u8>, depth: Option<u16>) -> Result<Node, Cause> {
    let (entries, says) = (le16(&bytes, 2)?, le16(&bytes, 6)?);
    if le16(&bytes, 0)? != MAGIC {
        return Err(corrupt("what should hold extents does not"));
    }
    if says > DEEPEST || depth.is_some_and(|depth| depth != says) {
        return Err(corrupt("a tree of extents has the wrong depth"));
    }
    let end = HEADER.saturating_add(usize::from(entries).saturating_mul(ENTRY));
    if end > bytes.len() || entries > le16(&bytes, 4)? {
        return Err(corrupt("a block claims more extents than it can hold"));
    }
    Ok(Node {
        bytes,
        at: HEADER,
        end,
        kind: NodeKind::Extents(says),
    })
}

fn corrupt(text: &str) -> Cause {
    Cause::Corrupt(format!("ext4: {text}"))
}

//! The census by the children of one folder.

use std::ops::Add;
use std::path::Path;

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::inside::{Entry, Orphans, Usage, join};
use sandtray_core::time::Time;

use super::census::{Census, Damage, NONE, Record};
use super::{Options, absolute, child_name, gap, kind, resolve};
use crate::disk::ext4::{Ext4, Inode, Kind, ROOT, flag};
use crate::error::{Cause, Failure};

/// Not below the folder asked about.
const OUTSIDE: u32 = u32::MAX;
/// Not known yet.
const UNKNOWN: u32 = u32::MAX - 1;
/// On the way up from another one: a second visit is a cycle.
const VISITED: u32 = u32::MAX - 2;
/// Deeper than any tree of folders that Linux could make on such a disk.
const DEEPEST: usize = 1 << 20;

/// Adds up one folder of an open filesystem.
pub(crate) fn usage(
    ext4: &Ext4<'_>,
    image: &Path,
    path: &[u8],
    options: &Options,
) -> Result<Usage, Failure> {
    let path = absolute(path);
    let target = resolve(ext4, image, &path)?;
    let broken = |cause| crate::disk::failure(image, cause);
    if target.kind() != Kind::Dir {
        return Err(broken(Cause::Io(std::io::ErrorKind::NotADirectory.into()))
            .hint("Name a folder of the disk; `disk ls` shows a file."));
    }
    let mut census = Census::take(ext4, &target, options).map_err(broken)?;
    let tops = Tops::of(&mut census, &target);
    let mut usage = Usage {
        path,
        cancelled: census.cancelled,
        damaged: census.damaged,
        complete: census.damaged == 0 && !census.cancelled,
        ..Usage::default()
    };
    add_up(&mut usage, &census, &tops, &target);
    let damage = std::mem::take(&mut census.damage);
    usage.gaps = damage
        .iter()
        .map(|damage| gap(&damaged_path(ext4, &census, damage), &damage.1))
        .collect();
    Ok(usage)
}

/// Which child each inode is below.
struct Tops {
    /// By record: index of the child, or one of the three values above.
    of: Vec<u32>,
}

impl Tops {
    fn of(census: &mut Census<'_>, target: &Inode) -> Self {
        let mut children = std::mem::take(&mut census.children);
        children.sort_unstable();
        let mut of = vec![UNKNOWN; census.records.len()];
        let mut set = |at: u32, value: u32| {
            if let Some(slot) = usize::try_from(at).ok().and_then(|at| of.get_mut(at)) {
                // The first of several names of one inode has it.
                if *slot == UNKNOWN {
                    *slot = value;
                }
            }
        };
        if let Some(at) = census.find(target.number) {
            set(at, OUTSIDE);
        }
        if let Some(at) = census.find(ROOT) {
            set(at, OUTSIDE);
        }
        for (child, (_, record)) in (0..).zip(&children) {
            // Folders only: files may have another name below an earlier child.
            if census.record(*record).is_some_and(Record::is_dir) {
                set(*record, child);
            }
        }
        census.children = children;
        let mut tops = Self { of };
        let mut way = Vec::new();
        for at in 0..census.records.len() {
            let at = u32::try_from(at).unwrap_or(NONE);
            if census.record(at).is_some_and(Record::is_dir) {
                tops.climb(census, at, &mut way);
            }
        }
        tops
    }

    fn get(&self, at: u32) -> u32 {
        let slot = usize::try_from(at).ok().and_then(|at| self.of.get(at));
        slot.copied().unwrap_or(OUTSIDE)
    }

    fn set(&mut self, at: u32, value: u32) {
        if let Some(slot) = usize::try_from(at).ok().and_then(|at| self.of.get_mut(at)) {
            *slot = value;
        }
    }

    /// Finds the child above a folder, for itself and for all on the way.
    fn climb(&mut self, census: &Census<'_>, from: u32, way: &mut Vec<u32>) {
        way.clear();
        let mut at = from;
        let mut top = self.get(at);
        while top == UNKNOWN && way.len() < DEEPEST {
            self.set(at, VISITED);
            way.push(at);
            at = census.record(at).map_or(NONE, |record| record.parent);
            top = if at == NONE { OUTSIDE } else { self.get(at) };
        }
        let top = if top == VISITED || top == UNKNOWN {
            OUTSIDE
        } else {
            top
        };
        for step in way.drain(..) {
            self.set(step, top);
        }
    }
}

/// Sums of one child.
#[derive(Clone, Copy)]
struct Sum {
    sectors: u64,
    size: u64,
    names: u64,
    last: i64,
}

impl Sum {
    const fn add(&mut self, record: &Record) {
        self.sectors = self.sectors.saturating_add(record.sectors);
        self.size = self.size.saturating_add(record.size);
        if record.modified > self.last {
            self.last = record.modified;
        }
    }
}

fn add_up(usage: &mut Usage, census: &Census<'_>, tops: &Tops, target: &Inode) {
    let mut sums = vec![
        Sum {
            sectors: 0,
            size: 0,
            names: 0,
            last: i64::MIN
        };
        census.children.len()
    ];
    // Files directly in the folder: their child is themselves. By record, the first name first.
    let mut direct: Vec<(u32, u32)> = (0..)
        .zip(&census.children)
        .map(|(child, (_, record))| (*record, child))
        .collect();
    direct.sort_unstable();
    let mut more_names = census.more_names.clone();
    more_names.sort_unstable();
    let wanted = census.find(target.number).unwrap_or(NONE);
    let below = |folder: u32, record: u32| {
        if folder == wanted {
            let at = direct.partition_point(|(other, _)| *other < record);
            direct
                .get(at)
                .filter(|(other, _)| *other == record)
                .map_or(OUTSIDE, |(_, child)| *child)
        } else if folder == NONE {
            OUTSIDE
        } else {
            tops.get(folder)
        }
    };
    for (at, record) in (0_u32..).zip(&census.records) {
        let top = if record.number == target.number {
            OUTSIDE
        } else if record.is_dir() {
            tops.get(at)
        } else {
            let first = below(record.parent, at);
            if record.links > 1 {
                let from = more_names.partition_point(|(child, _)| *child < at);
                more_names
                    .get(from..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|(child, _)| *child == at)
                    .map(|(_, folder)| below(*folder, at))
                    .fold(first, u32::min)
            } else {
                first
            }
        };
        if let Some(sum) = usize::try_from(top).ok().and_then(|top| sums.get_mut(top)) {
            sum.add(record);
            if record.is_dir() {
                sum.names = sum.names.saturating_add(u64::from(record.names));
            }
        }
        nameless(usage, record);
    }
    usage.allocated = Allocated(target.sectors.saturating_mul(512));
    usage.apparent = Apparent(target.size);
    for ((name, record), sum) in census.children.iter().zip(sums) {
        let Some(record) = census.record(*record) else {
            continue;
        };
        let allocated = Allocated(sum.sectors.saturating_mul(512));
        usage.allocated = usage.allocated.add(allocated);
        usage.apparent = usage.apparent.add(Apparent(sum.size));
        usage.entries.push(Entry {
            name: name.clone(),
            encrypted: target.has(flag::ENCRYPTED),
            kind: kind(Kind::of(record.mode)),
            allocated,
            apparent: Apparent(sum.size),
            entries: sum.names,
            inode: record.number,
            uid: record.uid,
            mtime: Time(record.modified),
            first_change: Time(record.first),
            last_change: Time(sum.last.max(record.modified)),
        });
    }
    usage.entries.sort_by(|a, b| {
        b.allocated
            .cmp(&a.allocated)
            .then_with(|| a.name.cmp(&b.name))
    });
}

/// Counts an inode that no folder names.
fn nameless(usage: &mut Usage, record: &Record) {
    let count = |orphans: &mut Orphans| {
        orphans.count = orphans.count.saturating_add(1);
        orphans.allocated = orphans
            .allocated
            .add(Allocated(record.sectors.saturating_mul(512)));
    };
    if record.links == 0 {
        count(&mut usage.orphans);
    } else if record.parent == NONE && record.number != ROOT {
        count(&mut usage.unreached);
    }
}

/// The path of what is damaged, as far as it can be told: its folders' names are read again, which is
/// dear and rare.
fn damaged_path(ext4: &Ext4<'_>, census: &Census<'_>, (number, _): &Damage) -> Vec<u8> {
    let Some(number) = number else {
        return b"/".to_vec();
    };
    let mut names = Vec::new();
    let mut at = census.find(*number);
    while let Some(record) = at.and_then(|at| census.record(at)) {
        if record.number == ROOT {
            break;
        }
        let parent = census.record(record.parent);
        let name = parent.and_then(|parent| name_in(ext4, parent.number, record.number));
        let (Some(name), true) = (name, names.len() < 64) else {
            return format!("inode {number}").into_bytes();
        };
        names.push(name);
        at = Some(record.parent);
    }
    let mut path = b"/".to_vec();
    for name in names.iter().rev() {
        path = join(&path, name);
    }
    path
}

fn name_in(ext4: &Ext4<'_>, folder: u32, number: u32) -> Option<Vec<u8>> {
    let folder = ext4.inode(folder).ok()?;
    let mut found = None;
    ext4.read_directory(
        &folder,
        &mut |name| {
            if name.inode == number {
                found = Some(child_name(&folder, name.name).into_owned());
            }
        },
        &mut |_| {},
    );
    found
}

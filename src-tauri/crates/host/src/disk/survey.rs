//! One look at a whole image, and how looks at a disk in use are made to agree.

use sandtray_core::bytes::Bytes;
use sandtray_core::disk::{Disk, Filesystem, Format, Problem};
use sandtray_core::gauge::UnknownReason;

use super::container::Container;
use super::ext4::{self, Mark};
use super::mbr::{self, Mbr};
use super::source::{ReadAt, Window, fetch};
use super::table::{self, Partition};
use super::{gpt, reason, signature};
use crate::error::Cause;

/// The first bytes of a disk: boot sector, superblock, and the GPT header with sectors of either size.
const HEAD: u64 = 8192;
/// Looks at a disk that changes. A guest commits every five seconds and a look takes a millisecond, so the
/// second one nearly always agrees.
const MOST_LOOKS: u32 = 5;

/// What a look found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) format: Format,
    /// Of the disk that the guest sees.
    pub(super) virtual_size: Bytes,
    pub(super) disks: Vec<Disk>,
    /// The state that each disk's journal was in.
    marks: Vec<Option<Mark>>,
}

impl Found {
    /// Whether anything on it may be changing: what was unmounted properly is not.
    fn is_live(&self) -> bool {
        self.disks
            .iter()
            .filter_map(|disk| disk.numbers.as_ref())
            .any(|numbers| !numbers.clean)
    }

    /// Marks every number that the look before, if there was one, does not confirm.
    fn distrust(&mut self, before: Option<&Self>) {
        for (index, (disk, mark)) in self.disks.iter_mut().zip(&self.marks).enumerate() {
            let earlier = before.and_then(|before| {
                let disk = before.disks.get(index)?;
                before.marks.get(index).map(|mark| (disk, mark))
            });
            if earlier == Some((&*disk, mark)) {
                continue;
            }
            if let Some(numbers) = &mut disk.numbers {
                numbers.stale = true;
                disk.problem.get_or_insert(Problem {
                    reason: UnknownReason::Busy,
                    text: "it changed whenever it was looked at".to_owned(),
                });
            }
        }
    }
}

/// Looks until two looks in a row agree; once is enough where nothing is in use.
///
/// A disk that is being written may look torn for a moment, so one that contradicts itself is looked at once
/// more before it is said to.
pub(super) fn settled<T>(
    mut look: impl FnMut() -> Result<(Found, T), Cause>,
) -> Result<(Found, T), Cause> {
    let (mut found, mut rest) = match look() {
        Err(Cause::Corrupt(_)) => look()?,
        other => other?,
    };
    let mut before = None;
    for _ in 1..MOST_LOOKS {
        if !found.is_live() {
            return Ok((found, rest));
        }
        let (again, with) = match look() {
            Err(Cause::Corrupt(_)) => continue,
            other => other?,
        };
        if again == found {
            return Ok((found, rest));
        }
        before = Some(std::mem::replace(&mut found, again));
        rest = with;
    }
    found.distrust(before.as_ref());
    Ok((found, rest))
}

/// Looks at an image file of any format.
///
/// # Errors
/// As [`read`](super::read).
pub(super) fn look(file: &dyn ReadAt) -> Result<Found, Cause> {
    if file.length() == 0 {
        return Err(Cause::Corrupt("it is empty".to_owned()));
    }
    let container = Container::open(file)?;
    let disk = container.over(file);
    let (disks, marks) = disks(&disk)?.into_iter().unzip();
    Ok(Found {
        format: container.format(),
        virtual_size: Bytes(disk.length()),
        disks,
        marks,
    })
}

/// The partitions of a virtual disk, or the whole of it where it has no table.
///
/// # Errors
/// Corrupt where there is a table and it cannot be true, or what reading says.
pub(super) fn partitions(source: &dyn ReadAt) -> Result<Vec<Partition>, Cause> {
    let head = head(source)?;
    let whole = Partition {
        index: 0,
        start: 0,
        length: source.length(),
    };
    let mbr = mbr::parse(&head)?;
    let gpt = match &mbr {
        // A table of its own beside the leftovers of a GPT: the kernel believes the table, so do we.
        Mbr::Table(_) => Ok(None),
        Mbr::Absent => gpt::parse(source, &head, false),
        Mbr::Protective => gpt::parse(source, &head, true),
    };
    match gpt {
        Ok(Some(partitions)) => return Ok(partitions),
        Err(cause) if !ext4::is_ext(&head) => return Err(cause),
        Ok(None) | Err(_) => {}
    }
    match mbr {
        Mbr::Table(partitions) if !is_filesystem(&head) => {
            table::check(&partitions, source.length())?;
            Ok(partitions)
        }
        _ => Ok(vec![whole]),
    }
}

/// Whether a filesystem takes the whole disk, its boot sector looking like a table or not.
fn is_filesystem(head: &[u8]) -> bool {
    ext4::is_ext(head) || signature::recognise(head).filesystem != Filesystem::Unknown
}

/// Finds the filesystems of a virtual disk: by table and magic numbers, never by name or order.
///
/// A broken filesystem does not hide the others; where every one of the ext family is broken, the first
/// failure is the answer.
fn disks(source: &dyn ReadAt) -> Result<Vec<(Disk, Option<Mark>)>, Cause> {
    let mut disks = Vec::new();
    let mut first = None;
    let mut readable = false;
    for partition in partitions(source)? {
        let window = Window::new(source, partition.start, partition.length);
        let (disk, mark, cause) = filesystem(&window, partition, &head(&window)?);
        readable |= disk.numbers.is_some();
        first = first.or(cause);
        disks.push((disk, mark));
    }
    match (first, &*disks) {
        (Some(cause), _) if !readable => Err(cause),
        (_, [(disk, _)]) if disk.index == 0 && disk.filesystem == Filesystem::Unknown => Err(
            Cause::Corrupt("it has no partition table and no filesystem that is known".to_owned()),
        ),
        _ => Ok(disks),
    }
}

/// Looks into one partition by its first bytes: what it is, the state of its journal, and the cause where it
/// should have numbers and has none.
fn filesystem(
    source: &dyn ReadAt,
    partition: Partition,
    head: &[u8],
) -> (Disk, Option<Mark>, Option<Cause>) {
    let mut disk = Disk {
        index: partition.index,
        start: Bytes(partition.start),
        length: Bytes(partition.length),
        filesystem: Filesystem::Unknown,
        label: None,
        uuid: None,
        numbers: None,
        problem: None,
    };
    if !ext4::is_ext(head) {
        let other = signature::recognise(head);
        disk.filesystem = other.filesystem;
        disk.label = other.label;
        disk.uuid = other.uuid;
        return (disk, None, None);
    }
    disk.filesystem = Filesystem::Ext4;
    let read = ext4::superblock(head).and_then(|superblock| {
        let identity = ext4::Identity::parse(superblock)?;
        disk.filesystem = identity.filesystem;
        disk.label = identity.label;
        disk.uuid = identity.uuid;
        let journal = ext4::recover(source, superblock)?;
        Ok((ext4::numbers(source, &journal)?, journal))
    });
    match read {
        Ok((numbers, journal)) => {
            disk.numbers = Some(numbers);
            disk.problem = journal.lag.map(|text| Problem {
                reason: UnknownReason::Unsupported,
                text: format!("the numbers may be behind: {text}"),
            });
            (disk, journal.mark, None)
        }
        Err(cause) => {
            disk.problem = Some(Problem {
                reason: reason::of(&cause),
                text: cause.to_string(),
            });
            (disk, None, Some(cause))
        }
    }
}

/// The first bytes of a disk or partition.
pub(super) fn head(source: &dyn ReadAt) -> Result<Vec<u8>, Cause> {
    fetch(source, 0, source.length().min(HEAD), "first sectors")
}

//! What a disk image holds: the filesystems inside it and how full they are, as the guest's own
//! `statfs` would say.
//!
//! [`Image`] is what host reads, [`ImageView`] the contract of `disk info --json`. Disks are told apart
//! by partition table and label, never by order or device name: the guest's root is partition 1 but
//! not the first on the disk, and `nvme0n1` is the system disk on one Mac and the sessions disk on
//! the next (#59856, #37860).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bytes::{Allocated, Apparent, Bytes, ratio_part};
use crate::gauge::{Level, UnknownReason};
use crate::paths::PathText;
use crate::time::Time;

/// The contract's number.
pub const DISK_SCHEMA: u32 = 1;

/// Label of the filesystem that the guest mounts at `/sessions` (#66997).
pub const SESSIONS_LABEL: &str = "sessions";

/// Label of the guest's root filesystem, an Ubuntu cloud image.
pub const SYSTEM_LABEL: &str = "cloudimg-rootfs";

/// The part of a filesystem by which its disk must be larger to count as enlarged.
const ENLARGED: f64 = 0.1;

/// How an image stores the bytes of its virtual disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Byte for byte, usually with holes.
    Raw,
    /// Hyper-V's format, dynamic or fixed: what the guest's disks are on Windows.
    Vhdx,
}

/// What lies in a partition, or on a disk without a partition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filesystem {
    /// The ext family without a journal and without anything ext4 added.
    Ext2,
    /// The ext family with a journal and without anything ext4 added.
    Ext3,
    /// What both guest disks use.
    Ext4,
    /// FAT of any width: the EFI system partition.
    Vfat,
    /// The tool disk, in some releases.
    Exfat,
    /// Windows' own.
    Ntfs,
    /// XFS.
    Xfs,
    /// Swap space.
    Swap,
    /// A read-only packed filesystem.
    Squashfs,
    /// Nothing that is recognised; a BIOS boot partition for one.
    Unknown,
}

impl Filesystem {
    /// Whether its numbers can be read.
    #[must_use]
    pub const fn is_ext(self) -> bool {
        matches!(self, Self::Ext2 | Self::Ext3 | Self::Ext4)
    }
}

/// How full a filesystem is, equal to `statfs` of a read-only mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// All blocks, the filesystem's own overhead with them: where it ends on its disk.
    pub whole: Bytes,
    /// Blocks minus the filesystem's own overhead, as `df` prints it.
    pub size: Bytes,
    /// `size` minus what is free.
    pub used: Bytes,
    /// Kept for the guest's root (5 % by default). Part of what is free, not of `used`.
    pub reserved: Bytes,
    /// What an ordinary user of the guest can still write: free minus `reserved` minus the kernel's own
    /// reserve of min(2 %, 4096 clusters); 0 while about half a gigabyte is still free (#59856, #61074).
    pub available: Bytes,
    /// Inodes in all.
    pub inodes: u64,
    /// Inodes not in use.
    pub inodes_free: u64,
    /// Unmounted properly and without recorded errors. A mounted or crashed disk is not clean.
    pub clean: bool,
    /// The moment the numbers are of: the last commit in the journal, else when the superblock was last
    /// written; none where neither says.
    pub as_of: Option<Time>,
    /// They may be behind what the guest sees, or be of no single moment: the journal could not be read,
    /// or the disk changed whenever it was looked at. [`Disk::problem`] says why.
    pub stale: bool,
}

impl Numbers {
    /// The bytes as a gauge's level.
    #[must_use]
    pub const fn level(&self) -> Level {
        Level {
            used: self.used.0,
            available: self.available.0,
            limit: self.size.0,
        }
    }

    /// The inodes as a gauge's level. None are kept for anybody.
    #[must_use]
    pub const fn inodes_level(&self) -> Level {
        Level {
            used: self.inodes.saturating_sub(self.inodes_free),
            available: self.inodes_free,
            limit: self.inodes,
        }
    }
}

/// Why a filesystem that was recognised has no numbers, or has stale ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// For the gauge.
    pub reason: UnknownReason,
    /// For a person.
    pub text: String,
}

/// One filesystem or partition of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Its number in the partition table, from 1; 0 where it takes the whole disk.
    pub index: u32,
    /// Where it begins on the virtual disk.
    pub start: Bytes,
    /// How long its partition is; its filesystem may be shorter (#44622).
    pub length: Bytes,
    /// What it is.
    pub filesystem: Filesystem,
    /// Its own label, control characters replaced; none where it has none or where it is not known.
    pub label: Option<String>,
    /// Its own id, hyphenated.
    pub uuid: Option<String>,
    /// How full it is; none where it is not of the ext family or is broken.
    pub numbers: Option<Numbers>,
    /// Why there are no numbers though there should be, or why they are stale.
    pub problem: Option<Problem>,
}

impl Disk {
    /// Its level, or why there is none.
    ///
    /// # Errors
    /// The reason of its problem, or [`UnknownReason::Unsupported`] for a filesystem we do not read.
    pub fn level(&self) -> Result<Level, UnknownReason> {
        match (&self.numbers, &self.problem) {
            (Some(numbers), _) => Ok(numbers.level()),
            (None, Some(problem)) => Err(problem.reason),
            (None, None) => Err(UnknownReason::Unsupported),
        }
    }
}

/// A disk image, read from the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The path it was read by.
    pub path: PathBuf,
    /// That path is a symbolic link: read, but never moved through.
    pub linked: bool,
    /// How it stores its bytes.
    pub format: Format,
    /// Length of the file.
    pub apparent: Apparent,
    /// Blocks that the file takes on the host.
    pub allocated: Allocated,
    /// The size of the disk that the guest sees.
    pub virtual_size: Bytes,
    /// What is on it, in the order of the partition table's numbers.
    pub disks: Vec<Disk>,
}

impl Image {
    /// The `/sessions` filesystem: by label, else the only one of an image without a partition table.
    #[must_use]
    pub fn sessions_disk(&self) -> Option<&Disk> {
        self.labelled(SESSIONS_LABEL)
            .or_else(|| match &*self.disks {
                [disk] if disk.index == 0 && disk.filesystem.is_ext() => Some(disk),
                _ => None,
            })
    }

    /// The guest's root filesystem: by label, else the largest of the ext family.
    ///
    /// Largest by partition, so that a broken root is never replaced by a readable `/boot`.
    #[must_use]
    pub fn system_disk(&self) -> Option<&Disk> {
        self.labelled(SYSTEM_LABEL).or_else(|| {
            self.disks
                .iter()
                .filter(|disk| disk.filesystem.is_ext())
                .max_by_key(|disk| disk.length)
        })
    }

    /// The virtual size, where `disk` does not reach far into what there is: it, or the image around it, was
    /// made larger and the filesystem stayed what it was (#44622).
    #[must_use]
    pub fn enlarged(&self, disk: &Disk) -> Option<Bytes> {
        let whole = disk.numbers.as_ref()?.whole;
        let parts: Bytes = self.disks.iter().map(|disk| disk.length).sum();
        let outside = self.virtual_size.saturating_sub(parts);
        let beyond = disk.length.saturating_sub(whole);
        let unused: Bytes = [outside, beyond].into_iter().sum();
        // Tables, alignment and a last group that was too small to be one take next to nothing.
        let is_much = ratio_part(unused.0) > ratio_part(whole.0) * ENLARGED;
        is_much.then_some(self.virtual_size)
    }

    fn labelled(&self, label: &str) -> Option<&Disk> {
        self.disks
            .iter()
            .find(|disk| disk.filesystem.is_ext() && disk.label.as_deref() == Some(label))
    }
}

/// A filesystem or partition as surfaces show it; bytes, and `null` where unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskView {
    /// Number in the partition table, 0 for the whole disk.
    pub index: u32,
    /// Its own label.
    pub label: Option<String>,
    /// Its own id.
    pub uuid: Option<String>,
    /// What it is.
    pub filesystem: Filesystem,
    /// As `df` prints it.
    pub size: Option<Bytes>,
    /// `size` minus what is free.
    pub used: Option<Bytes>,
    /// Kept for the guest's root.
    pub reserved: Option<Bytes>,
    /// What an ordinary user of the guest can still write.
    pub available: Option<Bytes>,
    /// Inodes in all.
    pub inodes: Option<u64>,
    /// Inodes not in use.
    pub inodes_free: Option<u64>,
    /// Unmounted properly.
    pub clean: Option<bool>,
    /// The moment the numbers are of, seconds since 1970: the journal's last commit, else when the
    /// superblock was last written.
    pub as_of: Option<Time>,
    /// The numbers may be behind what the guest sees.
    pub stale: Option<bool>,
    /// Why there are no numbers though there should be, or why they are stale.
    pub problem: Option<String>,
}

impl From<&Disk> for DiskView {
    fn from(disk: &Disk) -> Self {
        let numbers = disk.numbers.as_ref();
        Self {
            index: disk.index,
            label: disk.label.clone(),
            uuid: disk.uuid.clone(),
            filesystem: disk.filesystem,
            size: numbers.map(|numbers| numbers.size),
            used: numbers.map(|numbers| numbers.used),
            reserved: numbers.map(|numbers| numbers.reserved),
            available: numbers.map(|numbers| numbers.available),
            inodes: numbers.map(|numbers| numbers.inodes),
            inodes_free: numbers.map(|numbers| numbers.inodes_free),
            clean: numbers.map(|numbers| numbers.clean),
            as_of: numbers.and_then(|numbers| numbers.as_of),
            stale: numbers.map(|numbers| numbers.stale),
            problem: disk.problem.as_ref().map(|problem| problem.text.clone()),
        }
    }
}

/// The contract of `disk info --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageView {
    /// [`DISK_SCHEMA`].
    pub schema: u32,
    /// The path it was read by.
    #[serde(flatten)]
    pub path: PathText,
    /// That path is a symbolic link.
    pub linked: bool,
    /// How it stores its bytes.
    pub format: Format,
    /// Length of the file.
    pub apparent: Apparent,
    /// Blocks that the file takes on the host.
    pub allocated: Allocated,
    /// The size of the disk that the guest sees.
    pub virtual_size: Bytes,
    /// What is on it.
    pub disks: Vec<DiskView>,
}

impl From<&Image> for ImageView {
    fn from(image: &Image) -> Self {
        Self {
            schema: DISK_SCHEMA,
            path: PathText::new(&image.path),
            linked: image.linked,
            format: image.format,
            apparent: image.apparent,
            allocated: image.allocated,
            virtual_size: image.virtual_size,
            disks: image.disks.iter().map(DiskView::from).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(index: u32, filesystem: Filesystem, label: Option<&str>, length: u64) -> Disk {
        Disk {
            index,
            start: Bytes(0),
            length: Bytes(length),
            filesystem,
            label: label.map(str::to_owned),
            uuid: None,
            numbers: None,
            problem: None,
        }
    }

    fn image(disks: Vec<Disk>) -> Image {
        Image {
            path: PathBuf::from("/vm/rootfs.img"),
            linked: false,
            format: Format::Raw,
            apparent: Apparent(8192),
            allocated: Allocated(4096),
            virtual_size: Bytes(8192),
            disks,
        }
    }

    #[test]
    fn the_system_disk_is_found_by_label_wherever_it_lies() {
        let image = image(vec![
            disk(1, Filesystem::Ext4, Some("BOOT"), 900),
            disk(3, Filesystem::Ext4, Some(SYSTEM_LABEL), 100),
            disk(15, Filesystem::Vfat, Some("UEFI"), 5000),
        ]);
        assert_eq!(image.system_disk().map(|disk| disk.index), Some(3));
        assert_eq!(image.sessions_disk(), None);
    }

    #[test]
    fn without_a_label_the_system_disk_is_the_largest_even_where_it_is_broken() {
        let mut broken = disk(1, Filesystem::Ext4, None, 900);
        broken.problem = Some(Problem {
            reason: UnknownReason::Corrupt,
            text: "corrupt".to_owned(),
        });
        let image = image(vec![
            broken,
            disk(2, Filesystem::Unknown, None, 5000),
            disk(16, Filesystem::Ext4, Some("BOOT"), 100),
        ]);
        let system = image.system_disk().expect("there is one");
        assert_eq!(system.index, 1);
        assert_eq!(system.level(), Err(UnknownReason::Corrupt));
    }

    #[test]
    fn the_sessions_disk_is_the_labelled_one_or_the_only_one_without_a_table() {
        let labelled = image(vec![
            disk(1, Filesystem::Ext4, None, 9),
            disk(2, Filesystem::Ext4, Some(SESSIONS_LABEL), 1),
        ]);
        assert_eq!(labelled.sessions_disk().map(|disk| disk.index), Some(2));
        let whole = image(vec![disk(0, Filesystem::Ext4, None, 9)]);
        assert_eq!(whole.sessions_disk().map(|disk| disk.index), Some(0));
        let single = image(vec![disk(1, Filesystem::Ext4, None, 9)]);
        assert_eq!(single.sessions_disk(), None);
        let other = image(vec![disk(0, Filesystem::Exfat, Some(SESSIONS_LABEL), 9)]);
        assert_eq!(other.sessions_disk(), None);
    }

    #[test]
    fn an_enlarged_disk_is_told_from_one_that_its_filesystem_fills() {
        const GIB: u64 = 1 << 30;
        let numbers = |whole: u64| Numbers {
            whole: Bytes(whole),
            size: Bytes(whole / 100 * 98),
            used: Bytes(0),
            reserved: Bytes(0),
            available: Bytes(0),
            inodes: 10,
            inodes_free: 4,
            clean: true,
            as_of: None,
            stale: false,
        };
        let sessions = |whole: u64, length: u64| Disk {
            numbers: Some(numbers(whole)),
            ..disk(0, Filesystem::Ext4, Some(SESSIONS_LABEL), length)
        };
        let of = |virtual_size: u64, disks: Vec<Disk>| {
            let image = Image {
                virtual_size: Bytes(virtual_size),
                ..image(disks)
            };
            image.enlarged(image.disks.first().expect("there is one"))
        };
        // #44622: no partition table, 9.8G on a VHDX of 30 GB.
        let enlarged = of(30 * GIB, vec![sessions(10 * GIB, 30 * GIB)]);
        assert_eq!(enlarged, Some(Bytes(30 * GIB)));
        assert_eq!(of(10 * GIB, vec![sessions(10 * GIB, 10 * GIB)]), None);
        // With a table: the partition stayed, or grew without its filesystem.
        let boot = || disk(14, Filesystem::Unknown, None, 4 << 20);
        let root = |whole| Disk {
            index: 1,
            ..sessions(whole, 10 * GIB)
        };
        let end = 10 * GIB + (6 << 20);
        assert_eq!(of(end, vec![root(10 * GIB), boot()]), None);
        assert_eq!(
            of(20 * GIB, vec![root(10 * GIB), boot()]),
            Some(Bytes(20 * GIB))
        );
        assert_eq!(of(end, vec![root(5 * GIB), boot()]), Some(Bytes(end)));
        assert_eq!(numbers(GIB).inodes_level().percent(), 60.0);
    }

    #[test]
    fn what_is_not_known_is_null_and_never_zero() {
        let view = ImageView::from(&image(vec![disk(14, Filesystem::Unknown, None, 4)]));
        assert_eq!(
            serde_json::to_string(&view).expect("it serialises"),
            concat!(
                r#"{"schema":1,"path":"/vm/rootfs.img","linked":false,"format":"raw","#,
                r#""apparent":8192,"allocated":4096,"virtual_size":8192,"disks":["#,
                r#"{"index":14,"label":null,"uuid":null,"filesystem":"unknown","size":null,"#,
                r#""used":null,"reserved":null,"available":null,"inodes":null,"inodes_free":null,"#,
                r#""clean":null,"as_of":null,"stale":null,"problem":null}]}"#
            )
        );
    }
}

//! The first megabyte of a VHDX: the signature, two headers and two copies of the table of regions.
//!
//! Headers are written in turn, so one of them may be torn; the valid one with the higher sequence number
//! is the current one. Both tables of regions say the same, so either will do.

use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{ReadAt, fetch, has, le16, le32, le64};
use crate::error::Cause;

/// Everything lies at whole megabytes, the first of which is taken by headers.
pub(super) const MEGABYTE: u64 = 1 << 20;

const HEADERS_AT: [u64; 2] = [64 << 10, 128 << 10];
const HEADER: u64 = 4 << 10;
const TABLES_AT: [u64; 2] = [192 << 10, 256 << 10];
const TABLE: u64 = 64 << 10;
const MOST_REGIONS: u32 = 2047;

/// An id as it lies in the file: the first three fields little-endian.
pub(super) type Guid = [u8; 16];

const BAT: Guid = [
    0x66, 0x77, 0xc2, 0x2d, 0x23, 0xf6, 0x00, 0x42, 0x9d, 0x64, 0x11, 0x5e, 0x9b, 0xfd, 0x4a, 0x08,
];
const METADATA: Guid = [
    0x06, 0xa2, 0x7c, 0x8b, 0x90, 0x47, 0x9a, 0x4b, 0xb8, 0xfe, 0x57, 0x5f, 0x05, 0x0f, 0x88, 0x6e,
];

/// Whether a file is a VHDX.
pub(in crate::disk) fn is_vhdx(head: &[u8]) -> bool {
    has(head, 0, b"vhdxfile")
}

/// A range of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: u64,
    pub(super) length: u64,
}

impl Region {
    /// The byte after its last.
    pub(super) const fn end(self) -> u64 {
        self.start.saturating_add(self.length)
    }

    pub(super) const fn overlaps(self, other: Self) -> bool {
        self.start < other.end() && other.start < self.end()
    }

    /// Where structures may lie: at whole megabytes, after the headers.
    const fn is_placed(self) -> bool {
        self.start >= MEGABYTE
            && self.start.is_multiple_of(MEGABYTE)
            && self.length.is_multiple_of(MEGABYTE)
            && self.start.checked_add(self.length).is_some()
    }
}

/// The current header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    sequence: u64,
    version: u16,
    log_version: u16,
    /// Which entries of the log are of this time; all zero where the file was closed properly.
    pub(super) log_id: Guid,
    pub(super) log: Region,
}

/// Finds the current header.
///
/// # Errors
/// Corrupt where neither is valid; unsupported for a newer version.
pub(super) fn current(file: &dyn ReadAt) -> Result<Header, Cause> {
    let first = header(file, HEADERS_AT[0]);
    let second = header(file, HEADERS_AT[1]);
    let header = match (first, second) {
        (Ok(first), Ok(second)) if second.sequence > first.sequence => second,
        (Ok(first), Ok(_) | Err(Cause::Corrupt(_))) => first,
        (Err(Cause::Corrupt(_)), second) => second?,
        (first, second) => {
            first?;
            second?
        }
    };
    let (version, log_version) = (header.version, header.log_version);
    if version != 1 {
        return Err(Cause::Unsupported(format!("VHDX version {version}")));
    }
    if header.log_id == [0; 16] {
        return Ok(header);
    }
    if log_version != 0 {
        return Err(Cause::Unsupported(format!(
            "a VHDX log of version {log_version}"
        )));
    }
    if !header.log.is_placed() || header.log.length == 0 {
        return Err(corrupt("its log lies at an impossible place"));
    }
    Ok(header)
}

fn header(file: &dyn ReadAt, at: u64) -> Result<Header, Cause> {
    let bytes = fetch(file, at, HEADER, "VHDX header")?;
    if !has(&bytes, 0, b"head") {
        return Err(corrupt("its header is missing"));
    }
    check_sum(&bytes, "header")?;
    Ok(Header {
        sequence: le64(&bytes, 0x08)?,
        version: le16(&bytes, 0x42)?,
        log_version: le16(&bytes, 0x40)?,
        log_id: guid(&bytes, 0x30)?,
        log: Region {
            start: le64(&bytes, 0x48)?,
            length: u64::from(le32(&bytes, 0x44)?),
        },
    })
}

/// Where the two tables lie that a reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Regions {
    pub(super) bat: Region,
    pub(super) metadata: Region,
}

/// Reads the table of regions, or its copy.
///
/// # Errors
/// Corrupt where neither holds; unsupported for a region that must be understood and is not.
pub(super) fn regions(file: &dyn ReadAt) -> Result<Regions, Cause> {
    match table(file, TABLES_AT[0]) {
        Err(Cause::Corrupt(text)) => table(file, TABLES_AT[1]).map_err(|cause| match cause {
            Cause::Corrupt(_) => Cause::Corrupt(text),
            other => other,
        }),
        other => other,
    }
}

fn table(file: &dyn ReadAt, at: u64) -> Result<Regions, Cause> {
    const ENTRIES: usize = 16;
    const ENTRY: usize = 32;
    let bytes = fetch(file, at, TABLE, "VHDX table of regions")?;
    if !has(&bytes, 0, b"regi") {
        return Err(corrupt("its table of regions is missing"));
    }
    check_sum(&bytes, "table of regions")?;
    let count = le32(&bytes, 8)?;
    let Some(count) = usize::try_from(count)
        .ok()
        .filter(|_| count <= MOST_REGIONS)
    else {
        return Err(corrupt(&format!("it claims {count} regions")));
    };
    let (mut bat, mut metadata) = (None, None);
    let entries = bytes.get(ENTRIES..).unwrap_or_default();
    let mut seen: Vec<Region> = Vec::new();
    for entry in entries.chunks_exact(ENTRY).take(count) {
        let region = Region {
            start: le64(entry, 16)?,
            length: u64::from(le32(entry, 24)?),
        };
        if !region.is_placed() || region.length == 0 {
            return Err(corrupt("a region lies at an impossible place"));
        }
        if seen.iter().any(|other| other.overlaps(region)) {
            return Err(corrupt("two of its regions overlap"));
        }
        seen.push(region);
        let required = le32(entry, 28)? & 1 == 1;
        let place = match guid(entry, 0)? {
            BAT => &mut bat,
            METADATA => &mut metadata,
            other if required => {
                return Err(Cause::Unsupported(format!(
                    "a VHDX region of kind {}",
                    written(&other)
                )));
            }
            _ => continue,
        };
        if place.replace(region).is_some() {
            return Err(corrupt("a region is listed twice"));
        }
    }
    match (bat, metadata) {
        (Some(bat), Some(metadata)) => Ok(Regions { bat, metadata }),
        _ => Err(corrupt("one of its regions is missing")),
    }
}

/// Checks a structure whose checksum lies at byte 4 and counts as zero itself.
fn check_sum(bytes: &[u8], what: &str) -> Result<(), Cause> {
    let computed = !crc32c(
        u32::MAX,
        &[
            bytes.get(..4).unwrap_or_default(),
            &[0; 4],
            bytes.get(8..).unwrap_or_default(),
        ],
    );
    if agrees(computed, le32(bytes, 4)?) {
        Ok(())
    } else {
        Err(corrupt(&format!(
            "the checksum of its {what} does not match"
        )))
    }
}

/// The id at `at`.
pub(super) fn guid(bytes: &[u8], at: usize) -> Result<Guid, Cause> {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .ok_or_else(|| corrupt("it ends inside a structure"))
}

/// An id as people write it.
pub(super) fn written(guid: &Guid) -> String {
    let [a, b, c, d, e, f, g, h, rest @ ..] = *guid;
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let (family, node) = rest.split_at(2);
    [&[d, c, b, a][..], &[f, e], &[h, g], family, node]
        .map(hex)
        .join("-")
}

pub(super) fn corrupt(text: &str) -> Cause {
    Cause::Corrupt(format!("VHDX: {text}"))
}

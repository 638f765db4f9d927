//! What a line of the app's logs says of a rebuild; none for all others.
//!
//! Known lines only, from facts of the VM §4 (verified on public reports up to 2026-09-23). What stands before
//! them, a time in one of several shapes and a level, is not looked at: nothing may depend on a clock
//! that may be local, UTC or wrong.

use crate::bytes::whole_part;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// `[download:1] 99.3% (2203.3/2219.1 MB) avg …`
    Downloading(Download),
    /// `All files ready`: nothing more is missing.
    FilesReady,
    /// A step that fetches and unpacks has begun.
    Preparing,
    /// It is done, as it says; one build said so after 4 ms without any file (#93518).
    Prepared,
    /// A step of the start of the VM.
    Booting,
    /// `[VM:start] Startup complete`: the guest answers.
    Started,
    /// The guest mounted a sessions disk.
    Mounted,
    /// `version mismatch`: a file of another release is deleted, and that is no fault (#87512).
    Mismatch {
        /// The release that is wanted.
        want: Option<String>,
    },
    /// The app begins to delete its own bundle.
    Deleting,
    /// It has deleted it.
    Deleted,
    /// Its platform gate says that this machine cannot run the VM (#37947).
    Unsupported,
    /// Something went wrong.
    Fault {
        /// What.
        fault: Fault,
        /// The line tells of the failure itself, and does not repeat it as the reason of another.
        first: bool,
    },
    /// `Startup failed`: the app gives up this attempt, for what it said before or says here.
    GaveUp(Option<Fault>),
}

/// How far one of several downloads is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download {
    /// Its number in the log.
    pub number: u32,
    /// Whole percent.
    pub percent: u8,
    /// Kilobytes that have come in, and of how many; a kernel and an image come in side by side.
    pub part: Option<(u64, u64)>,
}

/// What may go wrong, as far as it is known.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// `.auto_reinstall_attempted`: it refuses to repair itself (#93385).
    Latched,
    /// What came in is not what was announced (#68313, #37925).
    Checksum,
    /// A rename across volumes, which no repeating helps (#25476).
    CrossDevice,
    /// The host's volume is full (#34602).
    NoSpace,
    /// The download failed, it says; also said right after it succeeded (#65817).
    Download,
    /// The guest did not answer in time: no matter of storage (#87755).
    NoAnswer,
    /// The sessions disk cannot be made (#49099).
    SessionDisk,
    /// A disk is looked for and not found (#93385, #66778).
    DiskMissing,
    /// Windows refuses the file of a disk: its attributes or its permissions (#39010, #38188).
    DiskRefused,
    /// A share cannot be mounted since a Windows update; no reset helps (#93247).
    Update,
    /// The platform gate deletes the bundle (#37947, #41066).
    Gate,
    /// The bundle was deleted again before it was built.
    Deletes,
    /// It says that all is prepared, and there is no file (#93518).
    NothingMade,
    /// It says that the guest runs, and there is no sessions disk (#80637).
    NoSessions,
    /// It gave up without a reason that is known.
    Unknown,
}

/// Beyond this nothing of a line is looked at.
const LONGEST: usize = 4096;

/// What a line says; none where it says nothing of a rebuild.
#[must_use]
pub fn parse(line: &str) -> Option<Said> {
    let line = line.get(..line.floor_char_boundary(LONGEST))?;
    let has = |text: &str| line.contains(text);
    // Prefetching the next release is no rebuild.
    if has("[warm]") {
        return None;
    }
    if let Some(rest) = after(line, "[download:") {
        return download(rest).map(Said::Downloading);
    }
    if has("[cleanupVMBundleIfUnsupported]") {
        return has("not supported").then_some(Said::Unsupported);
    }
    if has("[deleteVMBundle]") {
        return if has("Deleting reinstall files") {
            Some(Said::Deleting)
        } else {
            has("files deleted").then_some(Said::Deleted)
        };
    }
    if has("[VM:start] Startup complete") {
        return Some(Said::Started);
    }
    let fault = fault(line);
    if has("Startup failed") {
        return Some(Said::GaveUp(fault));
    }
    if let Some(fault) = fault {
        let first = !has("[VM:steps]") && !has("[VM:start]") || fault == Fault::Latched;
        return Some(Said::Fault { fault, first });
    }
    if let Some(rest) = after(line, "[VM:steps]") {
        return step(rest);
    }
    if has("[Bundle:status]") {
        return has("version mismatch").then(|| Said::Mismatch {
            want: after(line, "want=").and_then(release),
        });
    }
    if has("All files ready") {
        return Some(Said::FilesReady);
    }
    (has("mounting session disk") && has("/sessions")).then_some(Said::Mounted)
}

fn after<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    line.split_once(mark).map(|(_, rest)| rest)
}

fn fault(line: &str) -> Option<Fault> {
    let has = |text: &str| line.contains(text);
    // A full guest disk speaks in the same words, and is what a reset is for: no fault of a rebuild.
    let guest = has("useradd") || has("mkdir '/sessions/") || has("/etc/passwd");
    let known = [
        (
            Fault::Latched,
            has("Skipping auto-reinstall (already attempted"),
        ),
        (Fault::Checksum, has("Checksum mismatch")),
        (Fault::CrossDevice, has("EXDEV")),
        (
            Fault::NoSpace,
            !guest && (has("ENOSPC") || has("No space left on device")),
        ),
        (
            Fault::Update,
            has("Plan9 share") && has("which is not mounted"),
        ),
        (Fault::SessionDisk, has("failed to create session disk")),
        (
            Fault::DiskMissing,
            has("session disk not found") || has("VHDX file not found"),
        ),
        (
            Fault::DiskRefused,
            has("0xc03a001a")
                || has("0xC03A001A")
                || has("0x80070005")
                || has("CreateVirtualDisk failed"),
        ),
        (
            Fault::NoAnswer,
            has("VM connection timeout after") || has("Connection timeout, last completed step"),
        ),
        (Fault::Download, has("Download failed")),
    ];
    known
        .into_iter()
        .find(|(_, said)| *said)
        .map(|(fault, _)| fault)
}

/// `download_and_sdk_prepare started`, `guest_vsock_connect completed (8421ms)`.
fn step(rest: &str) -> Option<Said> {
    let mut words = rest.split_whitespace();
    let name = words.next()?;
    let prepares = name.contains("download") || name.contains("prepare");
    match (prepares, words.next()?) {
        (true, "started") => Some(Said::Preparing),
        (true, "completed") => Some(Said::Prepared),
        (false, "started" | "completed") => Some(Said::Booting),
        _ => None,
    }
}

/// `1] 99.3% (2203.3/2219.1 MB) avg 24.10 MB/s`, from the number on.
fn download(rest: &str) -> Option<Download> {
    let (number, rest) = rest.split_once(']')?;
    let (percent, rest) = rest.split_once('%')?;
    let percent = number_of(percent).filter(|percent| *percent <= 100.0)?;
    Some(Download {
        number: number.trim().parse().ok()?,
        percent: u8::try_from(whole_part(percent)).ok()?,
        part: part(rest),
    })
}

fn part(rest: &str) -> Option<(u64, u64)> {
    let (inside, _) = rest.split_once('(')?.1.split_once(')')?;
    let (got, rest) = inside.split_once('/')?;
    let (total, unit) = rest.trim().split_once(' ')?;
    let kilobytes = match unit.trim() {
        "kB" | "KB" => 1.0,
        "MB" => 1_000.0,
        "GB" => 1_000_000.0,
        _ => return None,
    };
    let total = whole_part(number_of(total)? * kilobytes);
    let got = whole_part(number_of(got)? * kilobytes).min(total);
    (total > 0).then_some((got, total))
}

fn number_of(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// The id of a VM release at the start of a text.
pub(super) fn release(text: &str) -> Option<String> {
    let end = text
        .find(|letter: char| !letter.is_ascii_hexdigit())
        .unwrap_or(text.len());
    let id = text.get(..end)?;
    (id.len() >= 8).then(|| id.to_owned())
}

#[cfg(test)]
mod tests;

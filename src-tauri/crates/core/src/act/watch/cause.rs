//! What went wrong, in a sentence a person can act on. Never the log's own words: they name people's
//! folders.

use super::line::Fault;

impl Fault {
    /// In a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Latched => {
                "Claude Desktop does not repair its sandbox, because it tried once before and left a mark \
                 (.auto_reinstall_attempted) that is still there."
            }
            Self::Checksum => {
                "What Claude Desktop downloaded does not match its checksum. Trying again seldom helps; \
                 the fault is on the server's side or on the way."
            }
            Self::CrossDevice => {
                "Claude Desktop cannot move its download into place, because the two folders are on \
                 different volumes (EXDEV). Trying again does not help."
            }
            Self::NoSpace => {
                "The volume that holds the bundle is full. Free some space there, then start Claude \
                 Desktop again."
            }
            Self::Download => "Claude Desktop says that its download failed.",
            Self::NoAnswer => {
                "The virtual machine started but did not answer in time. This is no matter of storage; \
                 a VPN or a virtualisation fault is more likely."
            }
            Self::SessionDisk => "Claude Desktop could not make a new sessions disk.",
            Self::DiskMissing => {
                "Claude Desktop looks for a disk of its sandbox, does not find it, and makes no new one."
            }
            Self::DiskRefused => {
                "Windows refuses a disk of the sandbox: its folder is compressed or encrypted, or the \
                 virtual machine may not read it."
            }
            Self::Update => {
                "Claude Desktop cannot share folders with its sandbox since a Windows update. This is no \
                 matter of storage, and no reset helps."
            }
            Self::Gate => {
                "Claude Desktop says that this machine is not supported, and deletes its sandbox again \
                 and again. This is no matter of storage, and no reset helps."
            }
            Self::Deletes => {
                "Claude Desktop deleted its sandbox again before it had built it. No reset helps."
            }
            Self::NothingMade => {
                "Claude Desktop says that it prepared its sandbox, but there are no disks."
            }
            Self::NoSessions => {
                "Claude Desktop says that its sandbox runs, but there is no new sessions disk in this \
                 bundle."
            }
            Self::Unknown => "Claude Desktop says that it could not start its sandbox.",
        }
    }
}

//! How much of a bundle an act moves, and in which order.
//!
//! Order matters: the app deletes an image whose `.origin` is missing (facts of the VM §5, integrity
//! model), so an image leaves before its `.origin` and comes back after it. A whole bundle moves as one
//! rename of its folder, which has no order to get wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bundle::{BundleFile, Role};

/// How much of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// `sessiondata.*`: no download, no rebuild of the system.
    SessionDisk,
    /// `rootfs.*`, kernel, ramdisk and their `.origin`s; archives stay, they make the rebuild short.
    SystemDisk,
    /// The whole folder `claudevm.bundle`.
    Bundle,
}

impl Scope {
    /// All of them, the smallest first.
    pub const ALL: [Self; 3] = [Self::SessionDisk, Self::SystemDisk, Self::Bundle];

    /// Whether a file of this role moves by itself in this scope.
    const fn takes(self, role: Role) -> bool {
        match self {
            Self::SessionDisk => matches!(role, Role::SessionData),
            Self::SystemDisk => matches!(role, Role::System | Role::Boot),
            Self::Bundle => false,
        }
    }

    /// The names to move, in order: each file, then its `.origin`. Empty where the bundle has nothing of
    /// the kind, and for [`Scope::Bundle`], which moves the folder.
    #[must_use]
    pub fn names(self, files: &[BundleFile]) -> Vec<String> {
        let mut names = Vec::new();
        for file in files.iter().filter(|file| self.takes(file.role)) {
            names.push(file.name.clone());
            let origin = format!(".{}.origin", file.name);
            if files.iter().any(|other| other.name == origin) {
                names.push(origin);
            }
        }
        names
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SessionDisk => "session disk",
            Self::SystemDisk => "system disk",
            Self::Bundle => "whole bundle",
        })
    }
}

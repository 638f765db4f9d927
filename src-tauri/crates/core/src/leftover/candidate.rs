//! What host saw of one thing that may be a leftover.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Class;
use super::evidence::{FileId, Inside};
use crate::bytes::{Allocated, Apparent};
use crate::time::Time;

/// What the name of a candidate says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// A process number. It means something only in its own namespace (#92590).
    pub pid: Option<u32>,
    /// A moment, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// A session's id.
    pub session: Option<String>,
}

/// Whose a candidate is, where its place tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The project, as its folder in the session root is called (`-Users-you-webshop`).
    pub project: Option<String>,
    /// The session's id.
    pub session: Option<String>,
    /// The background job's folder (`…/jobs/<id>`).
    pub job: Option<PathBuf>,
}

/// How a project's folder in a session root is called: its path with every sign that is no ASCII letter and
/// no digit turned into `-`, one for each of its UTF-16 units.
#[must_use]
pub fn project_folder(project: &Path) -> String {
    let mut folder = String::new();
    for sign in project.to_string_lossy().chars() {
        if sign.is_ascii_alphanumeric() {
            folder.push(sign);
        } else {
            (0..sign.len_utf16()).for_each(|_| folder.push('-'));
        }
    }
    folder
}

/// What was found in a candidate. None where nobody looked or it could not be seen; the gate that asks
/// then says unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Nothing in it.
    pub empty: Option<bool>,
    /// A `.git` file or folder somewhere in it.
    pub repository: Option<bool>,
    /// Nothing but mirrored `__pycache__/*.pyc`.
    pub only_bytecode: Option<bool>,
    /// It begins as a native library does.
    pub native: Option<bool>,
    /// One line that is a path.
    pub path_line: Option<bool>,
    /// Only what belongs to its class, such as one socket of the right name; for a mask also its mode.
    pub own_kind: Option<bool>,
    /// A transcript of its session exists.
    pub transcript: Option<bool>,
    /// Something that must go on working points to it: the launcher of a program, the `latest` link of a
    /// folder of logs.
    pub launched: Option<bool>,
    /// A list of what is installed names it.
    pub installed: Option<bool>,
    /// What it is a spare of stands beside it, and no `.origin` in use names it.
    pub superseded: Option<bool>,
    /// No repository tracks it.
    pub untracked: Option<bool>,
    /// Files in it, itself included: a holder of any of them holds it. Empty for large trees, which are
    /// asked file by file right before they go.
    pub members: Vec<FileId>,
    /// Names of sockets in it.
    pub sockets: Vec<Vec<u8>>,
    /// Entries that could not be looked at.
    pub unreadable: u64,
    /// Another user's entries in it.
    pub foreign: u64,
    /// Other filesystems mounted in it.
    pub mounts: u64,
}

/// One thing that may be a leftover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it would be.
    pub class: &'static Class,
    /// Id of the temp root it lies in; the token of its place where it is no temp root.
    pub root: Arc<str>,
    /// The folder that is opened to remove it: a temp root, a configuration folder, a bundle.
    pub base: Arc<Path>,
    /// Its path below `base`.
    pub path: PathBuf,
    /// Which file it is.
    pub id: FileId,
    /// It is a directory, a file or a socket as its class says; never a link.
    pub kind_fits: bool,
    /// Its owner is this user.
    pub own: bool,
    /// When it came to be: the earliest moment at which somebody can have taken it into use.
    pub born: Time,
    /// The latest of birth, change and writing, of itself and what is in it: `touch` cannot set it back
    /// (#74719).
    pub touched: Time,
    /// Its place for mount tables; none where unknown.
    pub inside: Option<Inside>,
    /// What its name says.
    pub named: Named,
    /// Whose it is.
    pub origin: Origin,
    /// How many siblings of its class are newer.
    pub newer_siblings: u32,
    /// What is in it.
    pub content: Content,
    /// Its length, with everything in it.
    pub apparent: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// Blocks that other names outside of it reach too: at most the rest becomes free.
    pub shared: Allocated,
    /// Inodes that go with it.
    pub inodes: u64,
}

impl Candidate {
    /// Its whole path.
    #[must_use]
    pub fn full_path(&self) -> PathBuf {
        self.base.join(&self.path)
    }

    /// The session it belongs to: by its place, or by its name.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        let placed = self.origin.session.as_deref();
        placed.or(self.named.session.as_deref())
    }

    /// The latest moment at which it was made or used, as far as it says so itself; a moment in its name
    /// counts (#80367).
    #[must_use]
    pub fn latest(&self) -> Time {
        let named = self.named.millis.map(|millis| Time(millis / 1000));
        self.born.max(self.touched).max(named.unwrap_or(self.born))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_called_by_its_path_without_signs() {
        for (path, folder) in [
            ("/Users/you/web_shop", "-Users-you-web-shop"),
            ("d:\\Rhema App", "d--Rhema-App"),
            ("/home/\u{e9}", "-home--"),
            ("/home/\u{1f600}", "-home---"),
        ] {
            assert_eq!(project_folder(Path::new(path)), folder);
        }
    }
}

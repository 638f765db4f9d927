//! Mounts and sockets, each namespace of them once.

use std::io;

use rustix::io::Errno;
use sandtray_core::leftover::Signal;

use super::look::{Failed, Folder, failed};
use super::pass::Pass;
use crate::act::app::proc::Stat;
use crate::leftovers::evidence::{mounted, sockets};
use crate::volume::mountinfo;

impl Pass<'_> {
    /// Takes the mount table of a process's namespace, each once. The same namespace shows another table
    /// to a process with another root.
    pub(super) fn mounts(&mut self, folder: &Folder) {
        let namespace = folder.link("ns/mnt").ok().and_then(|namespace| {
            let root = folder.follow("root", false).ok()?;
            Some((namespace.into_bytes(), root.id, root.mount))
        });
        if namespace
            .as_ref()
            .is_some_and(|known| self.namespaces.contains(known))
        {
            return;
        }
        match folder.read("mountinfo") {
            Ok(text) => {
                if self.tables.insert(text.clone()) {
                    let mounts = mountinfo::parse(&text);
                    mounted::add(&mounts, &mut self.sources, &mut self.points);
                    for mount in mounts {
                        if let Some(device) = mounted::numbers(&mount.device) {
                            self.holds.kinds.insert(device, mount.filesystem);
                        }
                    }
                }
                self.namespaces.extend(namespace);
            }
            Err(error) => self.unreadable(folder, Signal::Mounts, "mounts", &error),
        }
    }

    /// Takes the sockets of a process's network namespace, each once: its table has an inode of its own in
    /// every namespace, which everybody may see.
    pub(super) fn sockets(&mut self, folder: &Folder) {
        const TABLE: &str = "net/unix";
        match folder.follow(TABLE, false) {
            Ok(seen) if self.networks.contains(&seen.id) => {}
            Ok(seen) => match folder.read(TABLE) {
                Ok(text) => {
                    self.listening
                        .extend(sockets::listening(&text).map(<[u8]>::to_vec));
                    self.networks.insert(seen.id);
                }
                Err(error) => self.unreadable(folder, Signal::Sockets, "sockets", &error),
            },
            Err(error) => self.unreadable(folder, Signal::Sockets, "sockets", &error),
        }
    }

    /// A table that could not be read is missing, unless its process was about to end: it has left its
    /// namespaces some time before it counts as ended, and then has no mounts (`EINVAL`) and no sockets
    /// (`ENXIO`).
    fn unreadable(&mut self, folder: &Folder, signal: Signal, what: &str, error: &io::Error) {
        const LEFT: [i32; 2] = [Errno::INVAL.raw_os_error(), Errno::NXIO.raw_os_error()];
        let ends = failed(error) == Failed::Gone
            || error
                .raw_os_error()
                .is_some_and(|code| LEFT.contains(&code))
            || folder
                .read("stat")
                .ok()
                .and_then(|text| Stat::parse(&text))
                .is_none_or(|stat| stat.ended);
        if !ends {
            self.missing
                .entry(signal)
                .or_insert_with(|| format!("the {what} of a process cannot be read: {error}"));
        }
    }
}

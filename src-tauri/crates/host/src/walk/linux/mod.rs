//! The walk over system calls.
//!
//! A worker goes depth first over a stack of open directories, without recursion. Of a directory it
//! reads one batch of names at a time: leaves are looked at on the spot, directories wait in the
//! frame, so neither siblings nor depth cost memory. Only the deepest frames keep their handle; one
//! that was closed is opened again through `..` or from the root, and only taken for the same
//! directory where device and inode agree.
//!
//! With several workers, one that runs dry is given half of the names that wait in another's
//! topmost frame, with a handle of its own on their directory.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use super::cache::Cache;
use super::links::Links;
use super::tally::Tally;
use super::{Options, Tree};

mod frame;
mod names;
mod open;
mod share;
#[cfg(test)]
mod tests;
mod way;
mod worker;

use open::{Opener, Root};
use share::Shared;
use worker::Worker;

type Measured = Result<Tree, (&'static str, io::Error)>;

/// Measures a tree; the error names the operation on the root that failed.
pub(super) fn measure(root: &Path, options: &Options) -> Measured {
    measure_with(root, options, None)
}

/// Measures a tree by what is known of it already.
pub(super) fn measure_again(root: &Path, options: &Options, cache: &mut Cache) -> Measured {
    cache.begin();
    let mut tree = measure_with(root, options, Some(cache))?;
    tree.reused = cache.end(!tree.cancelled);
    Ok(tree)
}

fn measure_with(root: &Path, options: &Options, cache: Option<&mut Cache>) -> Measured {
    let path = CString::new(root.as_os_str().as_bytes())
        .map_err(|cause| ("look at", io::Error::from(cause)))?;
    let links = Mutex::default();
    let opened = Opener::root(&path).map_err(|(operation, cause)| (operation, cause.into()))?;
    let (dir, opener) = match opened {
        Root::Dir(dir, opener) => (dir, opener),
        Root::Leaf(seen) => {
            let mut tally = Tally::new(options, &links);
            tally.root(&seen);
            tally.leave(b"", || root.to_owned());
            return Ok(tally.finish(false));
        }
    };
    let threads = if options.details {
        1
    } else {
        options.threads.map_or(1, usize::from)
    };
    let shared = Shared::new(root, &dir, opener, options, threads);
    let mut first = Worker::new(&shared, &links);
    first.cache = cache;
    first
        .begin()
        .map_err(|cause| ("open directory", io::Error::from(cause)))?;
    Ok(walk(&shared, &links, first, threads))
}

/// Runs all workers to their end and adds up their shares.
fn walk(shared: &Shared<'_>, links: &Mutex<Links>, first: Worker<'_>, threads: usize) -> Tree {
    thread::scope(|scope| {
        let more: Vec<_> = (1..threads)
            .map_while(|number| {
                // Where no further thread can be had, fewer do the same work.
                shared.join();
                let spawned = thread::Builder::new()
                    .name(format!("walk-{number}"))
                    .spawn_scoped(scope, || Worker::new(shared, links).run());
                if spawned.is_err() {
                    shared.part();
                }
                spawned.ok()
            })
            .collect();
        let mut tree = first.run();
        for worker in more {
            match worker.join() {
                Ok(share) => tree.merge(share),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        tree
    })
}

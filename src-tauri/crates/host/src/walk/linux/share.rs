//! What the workers of one walk share: the root, the way to open, and names to give away.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::super::{Identity, Options};
use super::names::Names;
use super::open::Opener;

/// Shared by all workers of one walk.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) root: &'a Path,
    pub(super) root_dir: &'a OwnedFd,
    pub(super) opener: Opener,
    pub(super) options: &'a Options,
    /// Whether names are kept so that they can be given away or counted before they are visited.
    pub(super) keeps_names: bool,
    /// Workers that wait, minus parcels on the way to them.
    hungry: AtomicUsize,
    counter: Mutex<Counter>,
    changed: Condvar,
}

/// Where parcels are handed over.
#[derive(Debug, Default)]
struct Counter {
    parcels: Vec<Parcel>,
    workers: usize,
    waiting: usize,
}

/// Names of one directory, given away.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) dir: OwnedFd,
    pub(super) identity: Identity,
    pub(super) path: Vec<u8>,
    pub(super) names: Names,
    pub(super) count: usize,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        root: &'a Path,
        root_dir: &'a OwnedFd,
        opener: Opener,
        options: &'a Options,
        threads: usize,
    ) -> Self {
        Self {
            root,
            root_dir,
            opener,
            options,
            keeps_names: threads > 1 || options.details,
            hungry: AtomicUsize::new(0),
            counter: Mutex::new(Counter {
                workers: 1,
                ..Counter::default()
            }),
            changed: Condvar::new(),
        }
    }

    /// A worker more.
    pub(super) fn join(&self) {
        self.lock().workers += 1;
    }

    /// A worker less: it could not be started.
    pub(super) fn part(&self) {
        self.lock().workers -= 1;
        self.changed.notify_all();
    }

    /// Whether somebody waits for a parcel.
    pub(super) fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Gives names away.
    pub(super) fn give(&self, parcel: Parcel) {
        let mut counter = self.lock();
        counter.parcels.push(parcel);
        self.recount(&counter);
        drop(counter);
        self.changed.notify_one();
    }

    /// Waits for names; `None` once every worker waits, which is the end of the walk.
    pub(super) fn take(&self) -> Option<Parcel> {
        let mut counter = self.lock();
        counter.waiting += 1;
        loop {
            if let Some(parcel) = counter.parcels.pop() {
                counter.waiting -= 1;
                self.recount(&counter);
                return Some(parcel);
            }
            if counter.waiting >= counter.workers {
                drop(counter);
                self.changed.notify_all();
                return None;
            }
            self.recount(&counter);
            counter = self
                .changed
                .wait(counter)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn recount(&self, counter: &Counter) {
        let hungry = counter.waiting.saturating_sub(counter.parcels.len());
        self.hungry.store(hungry, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Counter> {
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! A counter on a terminal while something takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sandtray_core::bytes::grouped;
use sandtray_host::walk::Progress;

/// Shows how many entries were seen until it is dropped. Silent where standard error is no terminal.
#[derive(Debug)]
pub(crate) struct Counter {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Counter {
    /// Shows `progress` under `title`.
    pub(crate) fn show(title: &'static str, progress: &Progress) -> Self {
        if !io::stderr().is_terminal() {
            return Self {
                stop: None,
                thread: None,
            };
        }
        let progress = progress.clone();
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) =
                stopped.recv_timeout(Duration::from_millis(200))
            {
                let count = grouped(progress.entries());
                // A terminal that is gone needs no counter.
                write!(io::stderr(), "\r{title}: {count} entries\x1b[K").ok();
            }
            write!(io::stderr(), "\r\x1b[K").ok();
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It only prints; a panic there must not become one here.
            thread.join().ok();
        }
    }
}

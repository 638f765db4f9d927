//! Progress while something runs on the thread of whoever asked.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often a surface is told how far it is.
pub(super) const EVERY: Duration = Duration::from_millis(200);

/// Runs `work`; `tell` is called before it begins, and then every so often until it ends, on a thread of
/// its own.
pub(super) fn telling<T>(
    every: Duration,
    mut tell: impl FnMut() + Send,
    work: impl FnOnce() -> T,
) -> T {
    tell();
    thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        // Without a thread the work goes on untold.
        let told = thread::Builder::new()
            .name("sandtray-telling".into())
            .spawn_scoped(scope, move || {
                while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(every) {
                    tell();
                }
            });
        if let Err(error) = told {
            tracing::warn!("progress is not shown: {error}");
        }
        let result = work();
        drop(running);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_at_the_beginning_and_again_until_the_end() {
        let (tell, told) = mpsc::channel();
        let done = telling(
            Duration::from_millis(1),
            move || tell.send(()).unwrap_or_default(),
            || told.iter().take(5).count(),
        );
        assert_eq!(done, 5);
        assert!(told.iter().count() < 1_000, "and then no more");
    }
}

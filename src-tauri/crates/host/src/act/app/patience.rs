//! Waits for the app to end, the same on every system.

use std::time::{Duration, Instant};

use super::Quit;
use crate::walk::Cancel;

/// How long one look waits: the longest until a cancel is seen.
const SLICE: Duration = Duration::from_millis(200);

/// How often the waiting is told.
const TOLD: Duration = Duration::from_secs(1);

/// Waits until `ended` says so; it may take up to the time it is given. Why the app may take long is said
/// by `reason`.
pub(super) fn wait(
    limit: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&str),
    reason: &str,
    ended: &mut dyn FnMut(Duration) -> Result<bool, String>,
) -> Quit {
    let asked = Instant::now();
    let mut told = asked;
    loop {
        match ended(SLICE.min(limit.saturating_sub(asked.elapsed()))) {
            Ok(true) => return Quit::Gone,
            Ok(false) => {}
            Err(cause) => return Quit::CannotAsk(cause),
        }
        if cancel.is_cancelled() {
            return Quit::Stopped;
        }
        if asked.elapsed() >= limit {
            return Quit::TimedOut;
        }
        if told.elapsed() >= TOLD {
            told = Instant::now();
            tell(reason);
        }
    }
}

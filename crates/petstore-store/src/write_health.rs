//! Measures how long writes have been failing or waiting. It needs no writes of its own while
//! callers write.

use crate::StoreError;
use parking_lot::Mutex;
use std::{
    error::Error as _,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// A store is not usable if all writes have failed or waited for this time.
pub(crate) const THRESHOLD: Duration = Duration::from_secs(5);
/// If there is no write for this time after a failure, the store tries a write itself.
const QUIET: Duration = Duration::from_secs(2);

/// The health of the writes of one store.
#[derive(Debug)]
pub(crate) struct WriteHealth {
    /// The number of writes that were queued and are not finished.
    unfinished: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The last time at which a write succeeded, or at which a write began while no other write
    /// was unfinished and the last write had not failed.
    well_at: Instant,
    /// The last time at which a write ended.
    ended_at: Instant,
    /// Why the last write failed, if it did.
    failure: Option<String>,
}

impl Default for WriteHealth {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            unfinished: AtomicUsize::new(0),
            state: Mutex::new(State {
                well_at: now,
                ended_at: now,
                failure: None,
            }),
        }
    }
}

impl WriteHealth {
    /// Records that a write is queued.
    pub(crate) fn begin(&self) {
        if self.unfinished.fetch_add(1, Ordering::AcqRel) == 0 {
            let mut state = self.state.lock();
            if state.failure.is_none() {
                state.well_at = Instant::now();
            }
        }
    }

    /// Records that a write is finished, with or without success.
    pub(crate) fn end(&self) {
        self.unfinished.fetch_sub(1, Ordering::AcqRel);
    }

    /// Records that writes were committed.
    pub(crate) fn committed(&self) {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.well_at = now;
        state.ended_at = now;
        state.failure = None;
    }

    /// Records that writes ended and none of them was committed. `error` is the reason, unless each
    /// write failed for its own reason.
    pub(crate) fn not_committed(&self, error: Option<&StoreError>) {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.ended_at = now;
        match error {
            Some(error @ (StoreError::Unavailable { .. } | StoreError::Corrupt { .. })) => {
                state.failure = Some(reason(error));
            }
            _ if state.failure.is_none() => state.well_at = now,
            _ => {}
        }
    }

    /// Records that writes succeeded without changing anything. Such writes do not show whether the disk
    /// can be written.
    pub(crate) fn changed_nothing(&self) {
        let mut state = self.state.lock();
        if state.failure.is_none() {
            state.well_at = Instant::now();
        }
    }

    /// Whether a write has failed and no write has been tried for a while. Only then the store must
    /// try a write to find out whether writes succeed again.
    pub(crate) fn wants_probe(&self) -> bool {
        let state = self.state.lock();
        state.failure.is_some()
            && self.unfinished.load(Ordering::Acquire) == 0
            && state.ended_at.elapsed() >= QUIET
    }

    /// Fails if writes have failed or waited for longer than [`THRESHOLD`].
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let state = self.state.lock();
        let seconds = state.well_at.elapsed();
        let is_waiting = self.unfinished.load(Ordering::Acquire) > 0;
        if seconds < THRESHOLD || !is_waiting && state.failure.is_none() {
            return Ok(());
        }
        Err(StoreError::NotWritable {
            seconds: seconds.as_secs(),
            reason: match &state.failure {
                Some(failure) => format!("the last error is: {failure}"),
                None => "they wait for the disk or the database".to_owned(),
            },
        })
    }
}

/// The error of the database, with its causes.
fn reason(error: &StoreError) -> String {
    let mut reason = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        reason.push(cause.to_string());
        next = cause.source();
    }
    reason.join(": ")
}

#[cfg(test)]
mod tests;

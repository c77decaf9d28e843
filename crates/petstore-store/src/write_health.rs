//! Watches whether writes come to an end: how long they have been failing or waiting. It
//! costs no write of its own while writes of callers tell.

use crate::StoreError;
use parking_lot::Mutex;
use std::{
    error::Error as _,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// Writes that failed or waited for this time, and nothing else, make a store unusable.
pub(crate) const THRESHOLD: Duration = Duration::from_secs(5);
/// After a failure, the time without any write until one is tried.
const QUIET: Duration = Duration::from_secs(2);

/// The health of the writes of one store.
#[derive(Debug)]
pub(crate) struct WriteHealth {
    /// Writes that were queued and are not done.
    unfinished: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The last moment at which all was well: a write ended well, or began while none was
    /// unfinished and none had failed.
    well_at: Instant,
    /// When a write ended last.
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
    /// A write is queued.
    pub(crate) fn begin(&self) {
        if self.unfinished.fetch_add(1, Ordering::AcqRel) == 0 {
            let mut state = self.state.lock();
            if state.failure.is_none() {
                state.well_at = Instant::now();
            }
        }
    }

    /// A write is done, well or not.
    pub(crate) fn end(&self) {
        self.unfinished.fetch_sub(1, Ordering::AcqRel);
    }

    /// Writes were committed.
    pub(crate) fn committed(&self) {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.well_at = now;
        state.ended_at = now;
        state.failure = None;
    }

    /// Writes came to an end, and none of them was committed, for this reason if it is not
    /// that of a single write.
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

    /// Writes ended well that had nothing to change, so that they do not show whether the disk takes any.
    pub(crate) fn changed_nothing(&self) {
        let mut state = self.state.lock();
        if state.failure.is_none() {
            state.well_at = Instant::now();
        }
    }

    /// Whether a write failed, and none has been tried for a while: only then a store has to
    /// try one to find out whether writes succeed again.
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

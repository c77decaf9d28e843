//! Lets a request wait for an event, as in a long poll. The wait ends after its time limit or when the
//! server stops, and it does not count against the deadline of the request.

use crate::{lock::lock, permits::StreamPlace, principals::PrincipalKey, readiness::Readiness};
use fair_shares::Loan;
use std::{collections::HashMap, fmt, sync::Mutex, time::Duration};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// The waiting requests, with the time at which each must have ended.
#[derive(Default)]
pub(super) struct Waits(Mutex<HashMap<Uuid, Instant>>);

/// Allows a request to wait until this is dropped; see [`Context::begin_wait`](super::Context::begin_wait).
pub struct Waiting<'a> {
    waits: &'a Waits,
    readiness: &'a Readiness,
    request: Uuid,
    end: Instant,
    _held: (StreamPlace<PrincipalKey>, Loan<Option<PrincipalKey>>),
}

impl Waits {
    pub(super) fn begin<'a>(
        &'a self,
        request: Uuid,
        (time, deadline): (Duration, Duration),
        readiness: &'a Readiness,
        held: (StreamPlace<PrincipalKey>, Loan<Option<PrincipalKey>>),
    ) -> Waiting<'a> {
        let end = Instant::now() + time;
        lock(&self.0).insert(request, end + deadline);
        Waiting {
            waits: self,
            readiness,
            request,
            end,
            _held: held,
        }
    }

    /// Returns when a request that waits, or has waited, must have ended.
    pub(super) fn deadline(&self, request: Uuid) -> Option<Instant> {
        lock(&self.0).get(&request).copied()
    }
}

impl Waiting<'_> {
    /// Waits until the future completes. Returns `None` if the time limit is reached or the server stops
    /// before.
    pub async fn until<T>(&self, event: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.readiness.stopped() => None,
            ended = timeout_at(self.end, event) => ended.ok(),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.waits.0).remove(&self.request);
    }
}

impl fmt::Debug for Waiting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting")
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

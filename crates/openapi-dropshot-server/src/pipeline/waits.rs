//! Lets a request wait for something to happen, as in a long poll: the wait ends in time or when the server
//! stops, and does not count against the deadline of the request.

use crate::{lock::lock, permits::StreamPlace, principals::PrincipalKey, readiness::Readiness};
use fair_shares::Loan;
use std::{collections::HashMap, fmt, sync::Mutex, time::Duration};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// The requests that wait, with the moment at which each must have ended.
#[derive(Default)]
pub(super) struct Waits(Mutex<HashMap<Uuid, Instant>>);

/// A request that may wait, until this is dropped; see [`Context::begin_wait`](super::Context::begin_wait).
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

    /// The time at which a request that waits, or has waited, must have ended.
    pub(super) fn deadline(&self, request: Uuid) -> Option<Instant> {
        lock(&self.0).get(&request).copied()
    }
}

impl Waiting<'_> {
    /// Waits until this ends; `None` if the time is over before, or the server stops.
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

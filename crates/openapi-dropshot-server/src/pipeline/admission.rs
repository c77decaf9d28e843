//! Rejects new requests while the service shuts down, and requests that exceed the number that
//! may run at the same time. Running requests are finished.

use super::error_response::ErrorResponse;
use crate::readiness::{Phase, Readiness};
use fair_shares::{Share, Shares};
use http::{HeaderValue, header::CONNECTION};
use openapi_dropshot_types::{Condition, Operation};
use std::{hash::Hash, sync::Arc};

/// The permits to run. Reads and writes have their own ones, so that a disk that stalls for the
/// one does not stop the other. Requests without a principal share as one holder.
pub(crate) struct Permits<P> {
    pub(crate) reads: Arc<Shares<Option<P>>>,
    pub(crate) writes: Arc<Shares<Option<P>>>,
}

impl<P: Copy + Eq + Hash> Permits<P> {
    /// So many for reads, and as many for writes.
    pub(crate) fn new(each: usize) -> Self {
        Permits {
            reads: Arc::new(Shares::new(each)),
            writes: Arc::new(Shares::new(each)),
        }
    }

    /// Takes a permit, which is held while the request runs. If there is none, or if the
    /// principal has its share of them, the request is rejected at once instead of queued.
    pub(super) fn take(
        &self,
        operation: &Operation,
        principal: Option<P>,
    ) -> Result<Share<Option<P>>, ErrorResponse> {
        let permits = if is_read(operation) {
            &self.reads
        } else {
            &self.writes
        };
        permits.try_take(&principal, 1).ok_or_else(|| {
            let message = "too many requests run, of this key or of all; nothing was started, try again in 1 second";
            ErrorResponse::new(Condition::Overloaded, message)
        })
    }
}

/// Whether the method is safe (RFC 9110, section 9.2.1).
fn is_read(operation: &Operation) -> bool {
    ["GET", "HEAD", "OPTIONS", "TRACE"].contains(&operation.method)
}

/// 503 from when the service stops, and the end of the connection.
pub(super) fn check(readiness: &Readiness) -> Result<(), ErrorResponse> {
    if readiness.phase() < Phase::Stopping {
        return Ok(());
    }
    let message =
        "the service is stopping; nothing was started, try again in 1 second on a new connection";
    Err(ErrorResponse::new(Condition::Overloaded, message)
        .with(CONNECTION, HeaderValue::from_static("close")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;

    #[test]
    fn requests_are_accepted_until_the_service_stops() {
        let readiness = Readiness::new();
        for phase in [Phase::Starting, Phase::Ready, Phase::Leaving] {
            readiness.advance(phase);
            assert!(check(&readiness).is_ok(), "{phase:?}");
        }
        readiness.advance(Phase::Stopping);
        let error = check(&readiness).expect_err("rejected");
        let (code, response) = error.into_response::<TestContract>(None, "id");
        assert_eq!(code, "overloaded");
        assert_eq!(response.headers()[CONNECTION], "close");
    }
}

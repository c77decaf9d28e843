//! Rejects new requests while the service shuts down, and requests that exceed the number that
//! may run at the same time. Running requests are finished.

use super::error_response::ErrorResponse;
use crate::{
    permits::Permits,
    readiness::{Phase, Readiness},
};
use fair_shares::Share;
use http::{HeaderValue, header::CONNECTION};
use openapi_dropshot_types::{Condition, Operation};
use std::hash::Hash;

/// Takes a permit. If no permit is free, the request is rejected at once instead of queued.
pub(super) fn permit<P: Copy + Eq + Hash>(
    permits: &Permits<P>,
    operation: &Operation,
    principal: Option<P>,
) -> Result<Share<Option<P>>, ErrorResponse> {
    permits.take(operation, principal).ok_or_else(|| {
        let message = "too many requests of this key, or of all keys, are running; nothing was started, try again in 1 second";
        ErrorResponse::new(Condition::Overloaded, message)
    })
}

/// Rejects requests with 503 and ends the connection once the service stops.
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
    use crate::test_contract::{TestContract, TestState};

    #[test]
    fn requests_are_accepted_until_the_service_stops() {
        let readiness = Readiness::new();
        for phase in [Phase::Starting, Phase::Ready, Phase::Leaving] {
            readiness.advance(phase);
            assert!(check(&readiness).is_ok(), "{phase:?}");
        }
        readiness.advance(Phase::Stopping);
        let error = check(&readiness).expect_err("rejected");
        let (code, response) = error.into_response::<TestContract, TestState>(None, "id");
        assert_eq!(code, "overloaded");
        assert_eq!(response.headers()[CONNECTION], "close");
    }
}

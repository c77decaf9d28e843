//! Rejects new requests while the service shuts down, and requests that exceed the number that
//! may run at the same time. Running requests are finished.

use super::error_response::ErrorResponse;
use crate::readiness::{Phase, Readiness};
use http::{HeaderValue, header::CONNECTION};
use openapi_dropshot_types::Condition;
use tokio::sync::{Semaphore, SemaphorePermit};

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

/// Takes a permit, which is held while the request runs. If there is none, the request is
/// rejected at once instead of queued.
pub(super) fn permit(permits: &Semaphore) -> Result<SemaphorePermit<'_>, ErrorResponse> {
    permits.try_acquire().map_err(|_| {
        let message = "the service has too much to do; nothing was started, try again in 1 second";
        ErrorResponse::new(Condition::Overloaded, message)
    })
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
        let (code, response) = error.into_response::<TestContract>("id");
        assert_eq!(code, "overloaded");
        assert_eq!(response.headers()[CONNECTION], "close");
    }
}

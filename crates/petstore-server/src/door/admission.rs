//! Whether the service takes anything on at all: when it stops, what runs is
//! finished and what is new is sent elsewhere.

use super::answer::Rejection;
use crate::api::{ErrorCode, Refusal};
use crate::readiness::{Phase, Readiness};
use http::{HeaderValue, header::CONNECTION};

/// 503 from when the service stops; the connection is of no use any more.
pub(super) fn check(readiness: &Readiness) -> Result<(), Rejection> {
    if readiness.phase() < Phase::Stopping {
        return Ok(());
    }
    let message =
        "the service is stopping; nothing was started, try again in 1 second on a new connection";
    Err(
        Rejection::from(Refusal::new(ErrorCode::Overloaded, message))
            .with(CONNECTION, HeaderValue::from_static("close")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_taken_until_the_service_stops() {
        let readiness = Readiness::new();
        for phase in [Phase::Starting, Phase::Ready, Phase::Leaving] {
            readiness.advance(phase);
            assert!(check(&readiness).is_ok(), "{phase:?}");
        }
        readiness.advance(Phase::Stopping);
        let rejection = check(&readiness).expect_err("refused");
        assert_eq!(rejection.refusal.code, ErrorCode::Overloaded);
        assert_eq!(rejection.into_answer("id").headers()[CONNECTION], "close");
    }
}

//! The error of a failed creation. It distinguishes three cases: nothing was sent,
//! nothing was created, or the outcome is unknown and a repetition with the same
//! idempotency key settles it.

use crate::exit::WrongUsage;
use petstore_client::{Error, ErrorKind};

/// The error of a creation, of a `pet` that was not `added` for example. Where
/// the response was lost, stderr says how to repeat it safely.
pub(super) fn failed(error: Error, what: &str, done: &str) -> anyhow::Error {
    if error.kind() == ErrorKind::Request {
        return WrongUsage(error.message().to_owned()).into();
    }
    if let (true, true, Some(key)) = (
        error.is_retryable(),
        error.was_sent(),
        error.idempotency_key(),
    ) {
        eprintln!(
            "the {what} may have been {done}; repeat the command with --idempotency-key {key}; this makes sure that it is {done} exactly once"
        );
    }
    let certainty = if is_certain(&error) {
        ""
    } else {
        ", as far as is known"
    };
    anyhow::Error::new(error).context(format!("the {what} was not {done}{certainty}"))
}

/// Whether certainly nothing was created: no try reached the service, or the only one was rejected.
fn is_certain(error: &Error) -> bool {
    let is_refusal = matches!(error.status(), Some(400..500)) && !error.is_retryable();
    !error.was_sent() || (is_refusal && error.retries() == 0)
}

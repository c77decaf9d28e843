//! Runs a request that has an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07), so that it
//! takes effect only once, even if it is repeated. The store keeps the keys durably and for all servers. This
//! module decides which requests wait, how long, and which response they get.

mod expiry;
mod header;
mod in_flight;

pub use header::{IdempotencyKey, InvalidIdempotencyKey};

pub(crate) use expiry::start_expiry;
pub(crate) use in_flight::InFlight;

use crate::state::StateError;
use futures::future::BoxFuture;
use in_flight::Name;
use openapi_dropshot_types::IdempotencyFailure;
use std::{hash::Hash, panic::resume_unwind, time::Duration};
use tokio::time::{Instant, sleep, timeout_at};

/// The part of a request's deadline for which it waits for another request. The remaining time is for its own
/// response.
const PATIENCE: f64 = 0.8;
/// The pause before the next attempt, while another server uses the key.
const PAUSE: Duration = Duration::from_millis(20);

const KEY_REUSED: &str = "`Idempotency-Key` was already used with another body or for another operation; use a new key for a new creation, or send the original body again";
const STILL_RUNNING: &str = "another request with this `Idempotency-Key` is still running; send the same request again in 1 second";

/// The result of one attempt to do the work of a request with an idempotency key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Attempt<T, R> {
    /// The work was done, now or by an earlier request with the same key and content.
    Done(T),
    /// The work was rejected for a reason of the service; the key stays unused.
    Rejected(R),
    /// The key was already used for other content, or for another operation.
    KeyReused,
    /// Another server is still working with the key; the attempt is repeated.
    InFlight,
}

/// An attempt in progress.
pub type AttemptFuture<T, R> = BoxFuture<'static, Result<Attempt<T, R>, StateError>>;

/// Attempts the work of a request until it is done, or until most of the request's deadline has passed.
pub(crate) async fn run<P, T, R, E>(
    in_flight: &InFlight<P>,
    deadline: Duration,
    request_id: &str,
    name: Name<P>,
    attempt: impl Fn() -> AttemptFuture<T, R>,
) -> Result<Result<T, R>, E>
where
    P: Copy + Eq + Hash + Send + 'static,
    T: Send + 'static,
    R: Send + 'static,
    E: IdempotencyFailure,
{
    let until = Instant::now() + deadline.mul_f64(PATIENCE);
    loop {
        let guard = match in_flight.enter(&name) {
            Ok(guard) => guard,
            Err(mut other) => match timeout_at(until, other.changed()).await {
                Ok(_ended) => continue,
                Err(_) => return Err(E::conflict(STILL_RUNNING.into())),
            },
        };
        let attempt = attempt();
        // A separate task holds the name until the store has responded, even if the deadline of this request
        // comes first. Therefore a repeated request waits for it.
        let work = tokio::spawn(async move {
            let attempted = attempt.await;
            drop(guard);
            attempted
        });
        let attempted = work
            .await
            .unwrap_or_else(|error| match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(cancelled) => Err(StateError::unavailable(
                    "the service is stopping; it is unknown whether the change was made; check before you repeat it",
                    cancelled.to_string(),
                )),
            });
        match attempted.map_err(|error| error.into_operation_error(request_id))? {
            Attempt::Done(made) => return Ok(Ok(made)),
            Attempt::Rejected(reason) => return Ok(Err(reason)),
            Attempt::KeyReused => return Err(E::idempotency_key_reused(KEY_REUSED.into())),
            Attempt::InFlight if Instant::now() + PAUSE < until => sleep(PAUSE).await,
            Attempt::InFlight => return Err(E::conflict(STILL_RUNNING.into())),
        }
    }
}

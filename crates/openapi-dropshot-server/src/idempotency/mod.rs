//! Runs a request that has an `Idempotency-Key`
//! (draft-ietf-httpapi-idempotency-key-header-07): it takes effect once, however often it is
//! repeated. The store keeps the keys durably and for all servers; this module decides which
//! request waits, how long, and which response it gets.

mod expiry;
mod header;
mod in_flight;

pub use header::{IdempotencyKey, InvalidIdempotencyKey};

pub(crate) use expiry::IdempotencyExpiry;
pub(crate) use in_flight::InFlight;

use crate::state::StateError;
use futures::future::BoxFuture;
use in_flight::{Name, Taken};
use openapi_dropshot_types::IdempotencyFailure;
use std::{hash::Hash, panic::resume_unwind, time::Duration};
use tokio::time::{Instant, sleep, timeout_at};

/// The part of a request's deadline for which it waits for another request; the remaining time is for its own
/// response.
const PATIENCE: f64 = 0.8;
/// The pause before the next attempt while another server uses the key.
const PAUSE: Duration = Duration::from_millis(20);

/// The result of one attempt to do the work of a request with an idempotency key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Attempt<T, R> {
    /// The work was done, now or by an earlier request with the same key and content.
    Done(T),
    /// The work was rejected for a reason of the service's own; the key stays free.
    Rejected(R),
    /// The key was used for other content, or for another operation.
    KeyReused,
    /// Another server is still working with the key; the attempt is repeated.
    InFlight,
}

/// The reason why the work of a request with an idempotency key was not done.
#[derive(Clone, Debug)]
pub enum IdempotencyError {
    /// The key was used for other content, or for another operation.
    KeyReused,
    /// Another request with the key is still running.
    InFlight,
    /// The state of the service did not do it.
    State(StateError),
}

/// An attempt on its way.
pub type AttemptFuture<T, R> = BoxFuture<'static, Result<Attempt<T, R>, StateError>>;

impl IdempotencyError {
    /// Logs a failure of the state, and returns the error of an operation.
    pub fn into_operation_error<E: IdempotencyFailure>(self, request_id: &str) -> E {
        match self {
            IdempotencyError::KeyReused => E::idempotency_key_reused(
                "`Idempotency-Key` was used before, with another body or at another operation; make a new key for a new creation, or send the body that it came with first"
                    .into(),
            ),
            IdempotencyError::InFlight => E::conflict(
                "another request with this `Idempotency-Key` is still running; send the same request again in 1 second"
                    .into(),
            ),
            IdempotencyError::State(error) => error.into_operation_error(request_id),
        }
    }
}

/// Attempts the work of a request until it is done, or until most of its deadline has passed.
pub(crate) async fn run<P, T, R>(
    in_flight: &InFlight<P>,
    deadline: Duration,
    name: Name<P>,
    attempt: impl Fn() -> AttemptFuture<T, R>,
) -> Result<Result<T, R>, IdempotencyError>
where
    P: Copy + Eq + Hash + Send + 'static,
    T: Send + 'static,
    R: Send + 'static,
{
    let until = Instant::now() + deadline.mul_f64(PATIENCE);
    loop {
        let attempted = match spawn(in_flight, &name, &attempt) {
            Ok(attempt) => attempt.await.map_err(IdempotencyError::State)?,
            Err(taken) => {
                let ended = timeout_at(until, taken.ended()).await;
                ended.map_err(|_| IdempotencyError::InFlight)?;
                continue;
            }
        };
        match attempted {
            Attempt::Done(made) => return Ok(Ok(made)),
            Attempt::Rejected(reason) => return Ok(Err(reason)),
            Attempt::KeyReused => return Err(IdempotencyError::KeyReused),
            Attempt::InFlight if Instant::now() + PAUSE < until => sleep(PAUSE).await,
            Attempt::InFlight => return Err(IdempotencyError::InFlight),
        }
    }
}

/// Starts the attempt, unless a request of the same name is under way. It holds its name until
/// the store has responded, even where the deadline of this request comes first: a repeated
/// request waits for it.
fn spawn<P, T, R>(
    in_flight: &InFlight<P>,
    name: &Name<P>,
    attempt: impl FnOnce() -> AttemptFuture<T, R>,
) -> Result<AttemptFuture<T, R>, Taken>
where
    P: Copy + Eq + Hash + Send + 'static,
    T: Send + 'static,
    R: Send + 'static,
{
    let guard = in_flight.enter(name)?;
    let attempt = attempt();
    let work = tokio::spawn(async move {
        let attempted = attempt.await;
        drop(guard);
        attempted
    });
    Ok(Box::pin(async {
        work.await
            .unwrap_or_else(|error| match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(cancelled) => Err(StateError::unavailable(
                    "the service is stopping; it is unknown whether the change was made; check before you repeat it",
                    cancelled.to_string(),
                )),
            })
    }))
}

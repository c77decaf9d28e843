//! A creation that came with an `Idempotency-Key`
//! (draft-ietf-httpapi-idempotency-key-header-07): it happens once, however
//! often it is asked for. That it stays so through crashes and on several
//! servers is left to the store; here it is decided who waits, how long, and
//! what is answered.

use super::{
    caller::caller,
    failure::{StoreFailure, failed},
    idempotency_key,
    in_flight::{InFlight, Name, Other},
};
use crate::api::{CreateOrderError, CreatePetError};
use crate::app::App;
use dropshot::RequestContext;
use futures::future::BoxFuture;
use petstore_models::IdempotencyKey;
use petstore_store::{Creation, Once, Outcome, Store, StoreError};
use std::{borrow::Cow, panic::resume_unwind, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout_at};

/// The part of a request's deadline for which it waits for another one; what is
/// left is for its own answer.
const PATIENCE: f64 = 0.8;
/// How soon another server is looked for again.
const PAUSE: Duration = Duration::from_millis(20);

/// An operation's error that can say what may become of its key.
pub(super) trait OnceFailure: StoreFailure {
    fn invalid_request(message: Cow<'static, str>) -> Self;
    fn key_reused(message: Cow<'static, str>) -> Self;
    fn conflict(message: Cow<'static, str>) -> Self;
}

macro_rules! once_failures {
    ($($error:ident),*) => {$(
        impl OnceFailure for $error {
            fn invalid_request(message: Cow<'static, str>) -> Self {
                $error::InvalidRequest(message)
            }
            fn key_reused(message: Cow<'static, str>) -> Self {
                $error::IdempotencyKeyReused(message)
            }
            fn conflict(message: Cow<'static, str>) -> Self {
                $error::Conflict(message)
            }
        }
    )*};
}

once_failures!(CreatePetError, CreateOrderError);

/// What the store is asked for, as often as it takes.
type Asked<T, R> = BoxFuture<'static, Result<Creation<T, R>, StoreError>>;

/// Creates what `ask` asks the store for, or finds what was created with the key
/// before; `R` is why the store refuses it.
pub(super) async fn create<T, R, E>(
    rqctx: &RequestContext<App>,
    header: &IdempotencyKey,
    ask: impl Fn(Arc<dyn Store>, Once) -> Asked<T, R>,
) -> Result<Result<T, R>, E>
where
    T: Send + 'static,
    R: Send + 'static,
    E: OnceFailure,
{
    let app = rqctx.context();
    let key = idempotency_key::read(header.as_str())
        .map_err(|error| E::invalid_request(format!("`Idempotency-Key` {error}").into()))?;
    let key_id =
        caller().ok_or_else(|| E::internal("a creation without an API key came through".into()))?;
    let name: Name = (key_id, key.clone());
    let once = Once {
        key_id,
        key,
        at: app.clock.now(),
    };
    let deadline = app.limits.request_deadline_seconds.duration();
    let until = Instant::now() + deadline.mul_f64(PATIENCE);
    loop {
        let asked = || ask(Arc::clone(&app.store), once.clone());
        let created = match hand_over(&app.in_flight, &name, asked) {
            Ok(created) => created.await.map_err(failed::<E>(rqctx))?,
            Err(other) => {
                let ended = timeout_at(until, other.ended()).await;
                ended.map_err(|_| busy::<E>())?;
                continue;
            }
        };
        match created {
            Creation::Added(made) | Creation::Repeated(made) => return Ok(Ok(made)),
            Creation::Refused(reason) => return Ok(Err(reason)),
            Creation::KeyReused => {
                return Err(E::key_reused(
                    "`Idempotency-Key` was used before, with another body or at another operation; make a new key for a new creation, or send the body that it came with first"
                        .into(),
                ));
            }
            Creation::InFlight if Instant::now() + PAUSE < until => sleep(PAUSE).await,
            Creation::InFlight => return Err(busy()),
        }
    }
}

fn busy<E: OnceFailure>() -> E {
    E::conflict(
        "another request with this `Idempotency-Key` is still running; send the same request again in 1 second".into(),
    )
}

/// Gives the creation to the store, unless one of the same name is there. It
/// keeps its name until the store has answered, even where the deadline of this
/// request comes first: who asks again waits for it.
fn hand_over<T, R>(
    in_flight: &InFlight,
    name: &Name,
    ask: impl FnOnce() -> Asked<T, R>,
) -> Result<Asked<T, R>, Other>
where
    T: Send + 'static,
    R: Send + 'static,
{
    let turn = in_flight.enter(name)?;
    let asked = ask();
    let work = tokio::spawn(async move {
        let created = asked.await;
        drop(turn);
        created
    });
    Ok(Box::pin(async {
        work.await
            .unwrap_or_else(|error| match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(cancelled) => Err(StoreError::Unavailable {
                    outcome: Outcome::Unknown,
                    source: Arc::new(cancelled),
                }),
            })
    }))
}

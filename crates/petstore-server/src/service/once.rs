//! A creation that came with an `Idempotency-Key`
//! (draft-ietf-httpapi-idempotency-key-header-07): one pet, however often it is
//! asked for. That it stays one through crashes and on several servers is left
//! to the store; here it is decided who waits, how long, and what is answered.

use super::{
    caller::caller,
    failure::failed,
    idempotency_key,
    in_flight::{InFlight, Name, Other},
};
use crate::app::App;
use dropshot::RequestContext;
use petstore_api::CreatePetError;
use petstore_models::{IdempotencyKey, NewPet, Pet};
use petstore_store::{Creation, Once, Outcome, Store, StoreError};
use std::{panic::resume_unwind, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout_at};

/// The part of a request's deadline for which it waits for another one; what is
/// left is for its own answer.
const PATIENCE: f64 = 0.8;
/// How soon another server is looked for again.
const PAUSE: Duration = Duration::from_millis(20);

/// Adds the pet, or finds the one that was added with the key before.
pub(super) async fn create(
    rqctx: &RequestContext<App>,
    header: &IdempotencyKey,
    pet: NewPet,
) -> Result<Pet, CreatePetError> {
    let app = rqctx.context();
    let key = idempotency_key::read(header.as_str()).map_err(|error| {
        CreatePetError::InvalidRequest(format!("`Idempotency-Key` {error}").into())
    })?;
    let key_id = caller().ok_or(CreatePetError::InternalError(
        "a creation without an API key came through".into(),
    ))?;
    let name: Name = (key_id.clone(), key.clone());
    let once = Once {
        key_id,
        key,
        at: app.clock.now(),
    };
    let deadline = app.limits.request_deadline_seconds.duration();
    let until = Instant::now() + deadline.mul_f64(PATIENCE);
    loop {
        let created = match hand_over(&app.in_flight, &app.store, &name, &pet, &once) {
            Ok(created) => created.await.map_err(failed::<CreatePetError>(rqctx))?,
            Err(other) => {
                let ended = timeout_at(until, other.ended()).await;
                ended.map_err(|_| busy())?;
                continue;
            }
        };
        match created {
            Creation::Added(pet) | Creation::Repeated(pet) => return Ok(pet),
            Creation::KeyReused => {
                return Err(CreatePetError::IdempotencyKeyReused(
                    "`Idempotency-Key` was used before, with another body; make a new key for a new animal, or send the body that it came with first"
                        .into(),
                ));
            }
            Creation::InFlight if Instant::now() + PAUSE < until => sleep(PAUSE).await,
            Creation::InFlight => return Err(busy()),
        }
    }
}

fn busy() -> CreatePetError {
    CreatePetError::Conflict(
        "another request with this `Idempotency-Key` is still running; send the same request again in 1 second".into(),
    )
}

/// Gives the creation to the store, unless one of the same name is there. It
/// keeps its name until the store has answered, even where the deadline of this
/// request comes first: who asks again waits for it.
fn hand_over(
    in_flight: &InFlight,
    store: &Arc<dyn Store>,
    name: &Name,
    pet: &NewPet,
    once: &Once,
) -> Result<impl Future<Output = Result<Creation, StoreError>> + use<>, Other> {
    let turn = in_flight.enter(name)?;
    let (store, pet, once) = (Arc::clone(store), pet.clone(), once.clone());
    let work = tokio::spawn(async move {
        let created = store.create_pet_once(pet, once).await;
        drop(turn);
        created
    });
    Ok(async {
        work.await
            .unwrap_or_else(|error| match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(cancelled) => Err(StoreError::Unavailable {
                    outcome: Outcome::Unknown,
                    source: Arc::new(cancelled),
                }),
            })
    })
}

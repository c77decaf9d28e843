//! What the operations do, with parameters that keep the contract's rules
//! already. Keys, limits and everything else that all operations share is left
//! to the door.

mod caller;
mod cursor;
mod failure;
mod forget;
mod idempotency_key;
mod in_flight;
mod once;

use crate::app::App;
use cursor::Position;
use dropshot::{
    Header, HttpResponseCreated, HttpResponseHeaders, HttpResponseOk, Path, Query, RequestContext,
    TypedBody,
};
use failure::failed;
use petstore_api::{CreatePetError, GetPetError, ListPetsError, PetStoreApi};
use petstore_models::{
    CreatePetHeaders, GetPetPath, ListPetsOkHeaders, ListPetsQuery, NewPet, Pet, Pets,
};
use petstore_store::{PetPage, PetQuery};

pub(crate) use caller::called_by;
pub(crate) use failure::refusal;
pub(crate) use forget::Forgetter;
pub(crate) use in_flight::InFlight;

/// The operations of the contract, on a store.
pub(crate) enum Service {}

impl PetStoreApi for Service {
    type Context = App;

    async fn list_pets(
        rqctx: RequestContext<App>,
        query: Query<ListPetsQuery>,
    ) -> Result<HttpResponseHeaders<HttpResponseOk<Pets>, ListPetsOkHeaders>, ListPetsError> {
        let ListPetsQuery {
            limit,
            status,
            cursor,
        } = query.into_inner();
        let after = cursor
            .map(|cursor| Position::read(cursor.as_str(), status))
            .transpose()
            .map_err(|error| ListPetsError::InvalidRequest(format!("`cursor` {error}").into()))?;
        let limit = limit.get();
        let query = PetQuery {
            after,
            status,
            limit: usize::try_from(limit).expect("a limit is at least 1 and at most 100"),
        };
        let PetPage { pets, more } = rqctx
            .context()
            .store
            .list_pets(query)
            .await
            .map_err(failed::<ListPetsError>(&rqctx))?;
        let link = pets.last().filter(|_| more).map(|last| {
            Position {
                after: last.id,
                status,
            }
            .next_link(limit)
        });
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Pets(pets)),
            ListPetsOkHeaders { link },
        ))
    }

    async fn create_pet(
        rqctx: RequestContext<App>,
        headers: Header<CreatePetHeaders>,
        body: TypedBody<NewPet>,
    ) -> Result<HttpResponseCreated<Pet>, CreatePetError> {
        let CreatePetHeaders { idempotency_key } = headers.into_inner();
        let pet = body.into_inner();
        let pet = match idempotency_key {
            // Boxed, so that a creation without a key does not carry its room.
            Some(key) => Box::pin(once::create(&rqctx, &key, pet)).await?,
            None => rqctx
                .context()
                .store
                .create_pet(pet)
                .await
                .map_err(failed::<CreatePetError>(&rqctx))?,
        };
        Ok(HttpResponseCreated(pet))
    }

    async fn get_pet(
        rqctx: RequestContext<App>,
        path: Path<GetPetPath>,
    ) -> Result<HttpResponseOk<Pet>, GetPetError> {
        let id = path.into_inner().pet_id;
        let pet = rqctx
            .context()
            .store
            .pet(id)
            .await
            .map_err(failed::<GetPetError>(&rqctx))?;
        pet.map(HttpResponseOk).ok_or_else(|| {
            GetPetError::NotFound(format!("there is no pet with the id {id}").into())
        })
    }
}

//! Implements the handlers of the operations. Their parameters are already valid by the
//! contract, and the middleware pipeline has done everything that all operations share.

mod cursor;
mod once;
mod orders;

use crate::state::{PetStore, state_error};
use cursor::Position;
use dropshot::{
    Header, HttpResponseCreated, HttpResponseHeaders, HttpResponseOk, Path, Query, TypedBody,
};
use openapi_dropshot_server::{Context, StateFailure};
use petstore_api::{
    CreateOrderError, CreatePetError, GetOrderError, GetPetError, ListOrdersError, ListPetsError,
    PetStoreApi, UpdateOrderError,
};
use petstore_models::{
    CreateOrderHeaders, CreatePetHeaders, GetOrderPath, GetPetPath, ListOrdersOkHeaders,
    ListOrdersQuery, ListPetsOkHeaders, ListPetsQuery, NewOrder, NewPet, Order, OrderUpdate,
    Orders, Pet, Pets, UpdateOrderPath,
};
use petstore_store::{PetPage, PetQuery, Store, StoreError};
use std::sync::Arc;

/// The context of a request.
type RequestContext = dropshot::RequestContext<Context<PetStore>>;

/// The operations of the contract, on a store.
#[derive(Debug)]
pub enum Service {}

/// Reports a failure of the store as the operation's error, and logs its cause.
fn failed<E: StateFailure>(rqctx: &RequestContext) -> impl FnOnce(StoreError) -> E {
    |error| state_error(error).into_operation_error(&rqctx.request_id)
}

impl PetStoreApi for Service {
    type Context = Context<PetStore>;

    async fn list_pets(
        rqctx: RequestContext,
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
            .state()
            .list_pets(query)
            .await
            .map_err(failed::<ListPetsError>(&rqctx))?;
        let link = pets.last().filter(|_| more).map(|last| {
            let (last, filter) = (last.id, status);
            Position { last, filter }.next_link(limit)
        });
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Pets(pets)),
            ListPetsOkHeaders { link },
        ))
    }

    async fn create_pet(
        rqctx: RequestContext,
        headers: Header<CreatePetHeaders>,
        body: TypedBody<NewPet>,
    ) -> Result<HttpResponseCreated<Pet>, CreatePetError> {
        let CreatePetHeaders { idempotency_key } = headers.into_inner();
        let pet = body.into_inner();
        let pet = match idempotency_key {
            // Boxed, so that the future of a creation without a key stays small.
            Some(key) => {
                let ask = |store: Arc<dyn Store>, once| {
                    let pet = pet.clone();
                    Box::pin(async move { store.create_pet_once(pet, once).await }) as _
                };
                let Ok(pet) =
                    Box::pin(once::create::<_, _, CreatePetError>(&rqctx, &key, ask)).await?;
                pet
            }
            None => rqctx
                .context()
                .state()
                .create_pet(pet)
                .await
                .map_err(failed::<CreatePetError>(&rqctx))?,
        };
        Ok(HttpResponseCreated(pet))
    }

    async fn get_pet(
        rqctx: RequestContext,
        path: Path<GetPetPath>,
    ) -> Result<HttpResponseOk<Pet>, GetPetError> {
        let id = path.into_inner().pet_id;
        let pet = rqctx
            .context()
            .state()
            .pet(id)
            .await
            .map_err(failed::<GetPetError>(&rqctx))?;
        pet.map(HttpResponseOk).ok_or_else(|| {
            GetPetError::NotFound(format!("there is no pet with the id {id}").into())
        })
    }

    async fn list_orders(
        rqctx: RequestContext,
        query: Query<ListOrdersQuery>,
    ) -> Result<HttpResponseHeaders<HttpResponseOk<Orders>, ListOrdersOkHeaders>, ListOrdersError>
    {
        let (orders, headers) = orders::list(&rqctx, query.into_inner()).await?;
        Ok(HttpResponseHeaders::new(HttpResponseOk(orders), headers))
    }

    async fn create_order(
        rqctx: RequestContext,
        headers: Header<CreateOrderHeaders>,
        body: TypedBody<NewOrder>,
    ) -> Result<HttpResponseCreated<Order>, CreateOrderError> {
        let CreateOrderHeaders { idempotency_key } = headers.into_inner();
        let order = orders::create(&rqctx, idempotency_key, body.into_inner()).await?;
        Ok(HttpResponseCreated(order))
    }

    async fn get_order(
        rqctx: RequestContext,
        path: Path<GetOrderPath>,
    ) -> Result<HttpResponseOk<Order>, GetOrderError> {
        let order = orders::get(&rqctx, path.into_inner().order_id).await?;
        Ok(HttpResponseOk(order))
    }

    async fn update_order(
        rqctx: RequestContext,
        path: Path<UpdateOrderPath>,
        body: TypedBody<OrderUpdate>,
    ) -> Result<HttpResponseOk<Order>, UpdateOrderError> {
        let OrderUpdate { status } = body.into_inner();
        let order = orders::update(&rqctx, path.into_inner().order_id, status).await?;
        Ok(HttpResponseOk(order))
    }
}

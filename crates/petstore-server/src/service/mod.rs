//! Implements the handlers of the operations. When a handler runs, its parameters are already valid
//! according to the contract, and the middleware pipeline has done the work that all operations
//! share.

mod cursor;
mod events;
mod import;
mod once;
mod streams;
mod webhooks;

use crate::state::{PetStore, on_behalf_of, state_error};
use cursor::{OrderFilter, Position};
use dropshot::{
    Header, HttpResponseAccepted, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders,
    HttpResponseOk, Path, Query, TypedBody,
};
use openapi_dropshot_server::{Context, StateFailure};
use openapi_dropshot_types::StreamedItems;
use petstore_api::{
    CreateOrderError, CreatePetError, CreateWebhookError, DeleteWebhookError, ExportPetsError,
    ExportPetsOk, GetOrderError, GetPetError, GetWebhookError, ImportPetsError, ImportPetsOk,
    ListEventsError, ListOrdersError, ListPetsError, ListWebhookDeliveriesError, ListWebhooksError,
    PetStoreApi, RedeliverWebhookError, RotateWebhookSecretError, StreamEventsError,
    StreamEventsOk, TestWebhookError, UpdateOrderError, UpdateWebhookError, VerifyWebhookError,
};
use petstore_models::{
    CreateOrderHeaders, CreatePetHeaders, CreatedWebhook, DeleteWebhookPath, Events,
    ExportPetsQuery, GetOrderPath, GetPetPath, GetWebhookPath, IdempotencyKey, ListEventsOkHeaders,
    ListEventsQuery, ListOrdersOkHeaders, ListOrdersQuery, ListPetsOkHeaders, ListPetsQuery,
    ListWebhookDeliveriesOkHeaders, ListWebhookDeliveriesPath, ListWebhookDeliveriesQuery,
    NewOrder, NewPet, NewWebhook, Order, OrderStatus, OrderUpdate, Orders, Pet, PetToImport, Pets,
    RedeliverWebhookPath, Redelivery, RedeliveryResult, RotateWebhookSecretPath,
    StreamEventsHeaders, StreamEventsQuery, TestWebhookPath, UpdateOrderPath, UpdateWebhookPath,
    VerifyWebhookPath, Webhook, WebhookDeliveries, WebhookDelivery, WebhookSecret, WebhookUpdate,
    Webhooks,
};
use petstore_store::{
    NotOrdered, NotUpdated, OrderPage, OrderQuery, PetPage, PetQuery, Store, StoreError,
    transitions,
};
use std::sync::Arc;

type RequestContext = dropshot::RequestContext<Context<PetStore>>;

/// Implements the operations of the contract on a store.
#[derive(Debug)]
pub enum Service {}

fn store(rqctx: &RequestContext) -> &dyn Store {
    &**rqctx.context().state()
}

/// Converts a failure of the store to the operation's error, and logs its cause.
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
        let page = store(&rqctx).list_pets(query).await;
        let PetPage { pets, more } = page.map_err(failed::<ListPetsError>(&rqctx))?;
        let link = pets.last().filter(|_| more).map(|last| {
            let (last, filter) = (last.id, status);
            Position { last, filter }.next_link(limit)
        });
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Pets(pets)),
            ListPetsOkHeaders { link },
        ))
    }

    async fn export_pets(
        rqctx: RequestContext,
        query: Query<ExportPetsQuery>,
    ) -> Result<ExportPetsOk, ExportPetsError> {
        streams::export_pets(&rqctx, query.into_inner()).await
    }

    async fn create_pet(
        rqctx: RequestContext,
        headers: Header<CreatePetHeaders>,
        body: TypedBody<NewPet>,
    ) -> Result<HttpResponseCreated<Pet>, CreatePetError> {
        let CreatePetHeaders { idempotency_key } = headers.into_inner();
        let created = create_pet(&rqctx, idempotency_key, body.into_inner()).await;
        created.map(HttpResponseCreated)
    }

    async fn import_pets(
        rqctx: RequestContext,
        body: StreamedItems<PetToImport>,
    ) -> Result<ImportPetsOk, ImportPetsError> {
        Ok(import::pets(rqctx, body))
    }

    async fn get_pet(
        rqctx: RequestContext,
        path: Path<GetPetPath>,
    ) -> Result<HttpResponseOk<Pet>, GetPetError> {
        let id = path.into_inner().pet_id;
        let pet = store(&rqctx).pet(id).await;
        let pet = pet.map_err(failed::<GetPetError>(&rqctx))?;
        pet.map(HttpResponseOk).ok_or_else(|| {
            GetPetError::NotFound(format!("there is no pet with the id {id}").into())
        })
    }

    async fn list_orders(
        rqctx: RequestContext,
        query: Query<ListOrdersQuery>,
    ) -> Result<HttpResponseHeaders<HttpResponseOk<Orders>, ListOrdersOkHeaders>, ListOrdersError>
    {
        let ListOrdersQuery {
            limit,
            status,
            pet_id,
            cursor,
        } = query.into_inner();
        let filter = OrderFilter { status, pet_id };
        let before = cursor
            .map(|cursor| Position::read(cursor.as_str(), filter))
            .transpose()
            .map_err(|error| ListOrdersError::InvalidRequest(format!("`cursor` {error}").into()))?;
        let limit = limit.get();
        let query = OrderQuery {
            before,
            status,
            pet_id,
            limit: usize::try_from(limit).expect("a limit is at least 1 and at most 100"),
        };
        let page = store(&rqctx).list_orders(query).await;
        let OrderPage { orders, more } = page.map_err(failed::<ListOrdersError>(&rqctx))?;
        let link = orders.last().filter(|_| more).map(|last| {
            let last = last.id;
            Position { last, filter }.next_link(limit)
        });
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Orders(orders)),
            ListOrdersOkHeaders { link },
        ))
    }

    async fn create_order(
        rqctx: RequestContext,
        headers: Header<CreateOrderHeaders>,
        body: TypedBody<NewOrder>,
    ) -> Result<HttpResponseCreated<Order>, CreateOrderError> {
        let CreateOrderHeaders { idempotency_key } = headers.into_inner();
        let order = body.into_inner();
        let pet_id = order.pet_id;
        let context = rqctx.context();
        let created = match idempotency_key {
            // Boxed for the same reason as in `create_pet`.
            Some(key) => {
                let ask = |store: Arc<dyn Store>, once| {
                    let order = order.clone();
                    Box::pin(async move { store.create_order_once(order, once).await }) as _
                };
                Box::pin(once::create::<_, _, CreateOrderError>(&rqctx, &key, ask)).await?
            }
            None => {
                let created =
                    on_behalf_of(&rqctx, store(&rqctx).create_order(order, context.now())).await;
                created.map_err(failed::<CreateOrderError>(&rqctx))?
            }
        };
        context.state().announce();
        created
            .map(HttpResponseCreated)
            .map_err(|reason| not_ordered(pet_id, reason))
    }

    async fn get_order(
        rqctx: RequestContext,
        path: Path<GetOrderPath>,
    ) -> Result<HttpResponseOk<Order>, GetOrderError> {
        let id = path.into_inner().order_id;
        let order = store(&rqctx).order(id).await;
        let order = order.map_err(failed::<GetOrderError>(&rqctx))?;
        order
            .map(HttpResponseOk)
            .ok_or_else(|| GetOrderError::NotFound(no_order(id).into()))
    }

    async fn update_order(
        rqctx: RequestContext,
        path: Path<UpdateOrderPath>,
        body: TypedBody<OrderUpdate>,
    ) -> Result<HttpResponseOk<Order>, UpdateOrderError> {
        let (id, OrderUpdate { status: to }) = (path.into_inner().order_id, body.into_inner());
        let context = rqctx.context();
        let updated = on_behalf_of(&rqctx, store(&rqctx).update_order(id, to, context.now())).await;
        let updated = updated.map_err(failed::<UpdateOrderError>(&rqctx))?;
        context.state().announce();
        updated.map(HttpResponseOk).map_err(|reason| match reason {
            NotUpdated::NoOrder => UpdateOrderError::NotFound(no_order(id).into()),
            NotUpdated::NoStep { from } => {
                UpdateOrderError::InvalidTransition(no_step(id, from, to).into())
            }
        })
    }

    async fn stream_events(
        rqctx: RequestContext,
        query: Query<StreamEventsQuery>,
        headers: Header<StreamEventsHeaders>,
    ) -> Result<StreamEventsOk, StreamEventsError> {
        let StreamEventsHeaders { last_event_id } = headers.into_inner();
        let last = last_event_id.as_ref().map(|id| id.as_str());
        streams::events(&rqctx, query.into_inner(), last).await
    }

    async fn list_events(
        rqctx: RequestContext,
        query: Query<ListEventsQuery>,
    ) -> Result<HttpResponseHeaders<HttpResponseOk<Events>, ListEventsOkHeaders>, ListEventsError>
    {
        events::list(&rqctx, query.into_inner()).await
    }

    async fn list_webhooks(
        rqctx: RequestContext,
    ) -> Result<HttpResponseOk<Webhooks>, ListWebhooksError> {
        webhooks::list(&rqctx).await
    }

    async fn create_webhook(
        rqctx: RequestContext,
        body: TypedBody<NewWebhook>,
    ) -> Result<HttpResponseCreated<CreatedWebhook>, CreateWebhookError> {
        webhooks::create(&rqctx, body.into_inner()).await
    }

    async fn get_webhook(
        rqctx: RequestContext,
        path: Path<GetWebhookPath>,
    ) -> Result<HttpResponseOk<Webhook>, GetWebhookError> {
        webhooks::get(&rqctx, path.into_inner().webhook_id).await
    }

    async fn update_webhook(
        rqctx: RequestContext,
        path: Path<UpdateWebhookPath>,
        body: TypedBody<WebhookUpdate>,
    ) -> Result<HttpResponseOk<Webhook>, UpdateWebhookError> {
        webhooks::update(&rqctx, path.into_inner().webhook_id, body.into_inner()).await
    }

    async fn delete_webhook(
        rqctx: RequestContext,
        path: Path<DeleteWebhookPath>,
    ) -> Result<HttpResponseDeleted, DeleteWebhookError> {
        webhooks::delete(&rqctx, path.into_inner().webhook_id).await
    }

    async fn verify_webhook(
        rqctx: RequestContext,
        path: Path<VerifyWebhookPath>,
    ) -> Result<HttpResponseOk<Webhook>, VerifyWebhookError> {
        webhooks::verify(&rqctx, path.into_inner().webhook_id).await
    }

    async fn rotate_webhook_secret(
        rqctx: RequestContext,
        path: Path<RotateWebhookSecretPath>,
    ) -> Result<HttpResponseOk<WebhookSecret>, RotateWebhookSecretError> {
        webhooks::rotate(&rqctx, path.into_inner().webhook_id).await
    }

    async fn test_webhook(
        rqctx: RequestContext,
        path: Path<TestWebhookPath>,
    ) -> Result<HttpResponseAccepted<WebhookDelivery>, TestWebhookError> {
        webhooks::test(&rqctx, path.into_inner().webhook_id).await
    }

    async fn list_webhook_deliveries(
        rqctx: RequestContext,
        path: Path<ListWebhookDeliveriesPath>,
        query: Query<ListWebhookDeliveriesQuery>,
    ) -> Result<
        HttpResponseHeaders<HttpResponseOk<WebhookDeliveries>, ListWebhookDeliveriesOkHeaders>,
        ListWebhookDeliveriesError,
    > {
        let id = path.into_inner().webhook_id;
        webhooks::deliveries(&rqctx, id, query.into_inner()).await
    }

    async fn redeliver_webhook(
        rqctx: RequestContext,
        path: Path<RedeliverWebhookPath>,
        body: TypedBody<Redelivery>,
    ) -> Result<HttpResponseAccepted<RedeliveryResult>, RedeliverWebhookError> {
        webhooks::redeliver(&rqctx, path.into_inner().webhook_id, body.into_inner()).await
    }
}

/// Adds a pet. With an idempotency key, adds it only once.
async fn create_pet(
    rqctx: &RequestContext,
    key: Option<IdempotencyKey>,
    pet: NewPet,
) -> Result<Pet, CreatePetError> {
    let pet = match key {
        // The future is boxed, so that the future of a creation without a key stays small.
        Some(key) => {
            let ask = |store: Arc<dyn Store>, once| {
                let pet = pet.clone();
                Box::pin(async move { store.create_pet_once(pet, once).await }) as _
            };
            let Ok(pet) = Box::pin(once::create::<_, _, CreatePetError>(rqctx, &key, ask)).await?;
            pet
        }
        None => {
            let created = on_behalf_of(rqctx, store(rqctx).create_pet(pet)).await;
            created.map_err(failed::<CreatePetError>(rqctx))?
        }
    };
    rqctx.context().state().announce();
    Ok(pet)
}

fn not_ordered(pet_id: i64, reason: NotOrdered) -> CreateOrderError {
    match reason {
        NotOrdered::NoPet => {
            CreateOrderError::NotFound(format!("there is no pet with the id {pet_id}").into())
        }
        NotOrdered::NotAvailable(status) => {
            let (free, _) = transitions::ORDERED;
            let found = match status {
                Some(status) => format!("is not `{free}` but `{status}`"),
                None => format!("is not `{free}`, it has no status"),
            };
            CreateOrderError::PetNotAvailable(
                format!("the pet with the id {pet_id} {found}; order another one").into(),
            )
        }
    }
}

fn no_order(id: i64) -> String {
    format!("there is no order with the id {id}")
}

fn no_step(id: i64, from: OrderStatus, to: OrderStatus) -> String {
    let next: Vec<_> = transitions::next_of(from)
        .map(|next| format!("`{next}`"))
        .collect();
    let instead = if next.is_empty() {
        format!("`{from}` is its end")
    } else {
        format!("it can go to {}", next.join(" or "))
    };
    format!("the order {id} cannot go from `{from}` to `{to}`; {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_rejected_transition_names_both_statuses_and_the_allowed_statuses() {
        assert_eq!(
            no_step(2, OrderStatus::Placed, OrderStatus::Delivered),
            "the order 2 cannot go from `placed` to `delivered`; it can go to `approved` or `cancelled`"
        );
        assert_eq!(
            no_step(2, OrderStatus::Delivered, OrderStatus::Cancelled),
            "the order 2 cannot go from `delivered` to `cancelled`; `delivered` is its end"
        );
    }
}

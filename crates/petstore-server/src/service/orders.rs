//! Implements the handlers of the operations on orders.

use super::{
    RequestContext,
    cursor::{OrderFilter, Position},
    failed, once,
};
use petstore_api::{CreateOrderError, GetOrderError, ListOrdersError, UpdateOrderError};
use petstore_models::{
    IdempotencyKey, ListOrdersOkHeaders, ListOrdersQuery, NewOrder, Order, OrderStatus, Orders,
};
use petstore_store::{NotOrdered, NotUpdated, OrderPage, OrderQuery, Store, transitions};
use std::sync::Arc;

/// A page, and where the next one is.
pub(super) async fn list(
    rqctx: &RequestContext,
    query: ListOrdersQuery,
) -> Result<(Orders, ListOrdersOkHeaders), ListOrdersError> {
    let ListOrdersQuery {
        limit,
        status,
        pet_id,
        cursor,
    } = query;
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
    let OrderPage { orders, more } = rqctx
        .context()
        .state()
        .list_orders(query)
        .await
        .map_err(failed::<ListOrdersError>(rqctx))?;
    let link = orders.last().filter(|_| more).map(|last| {
        let last = last.id;
        Position { last, filter }.next_link(limit)
    });
    Ok((Orders(orders), ListOrdersOkHeaders { link }))
}

/// Places an order.
pub(super) async fn create(
    rqctx: &RequestContext,
    key: Option<IdempotencyKey>,
    order: NewOrder,
) -> Result<Order, CreateOrderError> {
    let context = rqctx.context();
    let pet_id = order.pet_id;
    let created = match key {
        Some(key) => {
            let ask = |store: Arc<dyn Store>, once| {
                let order = order.clone();
                Box::pin(async move { store.create_order_once(order, once).await }) as _
            };
            once::create::<_, _, CreateOrderError>(rqctx, &key, ask).await?
        }
        None => context
            .state()
            .create_order(order, context.now())
            .await
            .map_err(failed::<CreateOrderError>(rqctx))?,
    };
    created.map_err(|reason| match reason {
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
    })
}

/// One order.
pub(super) async fn get(rqctx: &RequestContext, id: i64) -> Result<Order, GetOrderError> {
    let order = rqctx
        .context()
        .state()
        .order(id)
        .await
        .map_err(failed::<GetOrderError>(rqctx))?;
    order.ok_or_else(|| GetOrderError::NotFound(no_order(id).into()))
}

/// Moves an order on.
pub(super) async fn update(
    rqctx: &RequestContext,
    id: i64,
    to: OrderStatus,
) -> Result<Order, UpdateOrderError> {
    let context = rqctx.context();
    let updated = context
        .state()
        .update_order(id, to, context.now())
        .await
        .map_err(failed::<UpdateOrderError>(rqctx))?;
    updated.map_err(|reason| match reason {
        NotUpdated::NoOrder => UpdateOrderError::NotFound(no_order(id).into()),
        NotUpdated::NoStep { from } => {
            UpdateOrderError::InvalidTransition(no_step(id, from, to).into())
        }
    })
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
    fn a_refused_step_names_from_and_to_and_what_could_be_done_instead() {
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

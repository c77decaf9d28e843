//! The SQL of orders, and of the changes of their pets. All writes
//! run in the transaction of a batch, so no other write runs at the same
//! time.

use super::{
    events::Feed,
    pets::Change,
    records::{self, prepared, unreadable},
};
use crate::{
    NotOrdered, NotUpdated,
    event::{NewEvent, order_data},
    record::{FIRST_VERSION, placed_order, time},
    transitions::{ORDERED, order_step},
};
use petstore_models::{EventType, NewOrder, Order, OrderStatus, Pet};
use rusqlite::{Connection, params};

/// The time of the last change never goes back, even if the clock was set back or the clock of
/// another server differs.
const UPDATE: &str = "UPDATE orders SET status = ?2, updated_at = max(updated_at, ?3), version = version + 1 WHERE id = ?1 RETURNING updated_at, version";

/// Places an order with the time `at`, in microseconds since 1970-01-01T00:00:00Z.
pub(super) fn create(
    db: &Connection,
    new: &NewOrder,
    at: i64,
    feed: Feed,
) -> rusqlite::Result<Result<Order, NotOrdered>> {
    let order = placed_order(0, new, at).map_err(unreadable)?;
    let reserve = Change {
        pet_id: order.pet_id,
        from: Some(ORDERED.0),
        to: ORDERED.1,
        at,
    };
    let Some(pet_version) = reserve.make(db)? else {
        let pet: Option<Pet> = records::get(db, order.pet_id)?;
        return Ok(Err(pet.map_or(NotOrdered::NoPet, |pet| {
            NotOrdered::NotAvailable(pet.status)
        })));
    };
    let id = records::insert::<Order>(db, &order)?;
    let order = Order { id, ..order };
    feed.record(db, || event(EventType::OrderPlaced, &order))?;
    feed.record(db, || reserve.event(pet_version))?;
    Ok(Ok(order))
}

/// The event of a change, with the order after the change.
fn event(kind: EventType, order: &Order) -> NewEvent {
    NewEvent {
        kind,
        at: order.updated_at.get().timestamp_micros(),
        entity_id: order.id,
        version: order.version.unwrap_or(FIRST_VERSION),
        data: order_data(order),
    }
}

/// Changes the status of an order and of its pet.
pub(super) fn update(
    db: &Connection,
    id: i64,
    to: OrderStatus,
    at: i64,
    feed: Feed,
) -> rusqlite::Result<Result<Order, NotUpdated>> {
    let Some(order) = records::get::<Order>(db, id)? else {
        return Ok(Err(NotUpdated::NoOrder));
    };
    let from = order.status;
    let Some(step) = order_step(from, to) else {
        return Ok(Err(NotUpdated::NoStep { from }));
    };
    let changed = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (updated_at, version) =
        prepared(db, UPDATE)?.query_row(params![id, to.as_str(), at], changed)?;
    let order = Order {
        status: to,
        updated_at: time(updated_at).map_err(unreadable)?,
        version: Some(version),
        ..order
    };
    feed.record(db, || event(EventType::OrderUpdated, &order))?;
    if let Some(status) = step.pet {
        let change = Change {
            pet_id: order.pet_id,
            from: None,
            to: status,
            at: updated_at,
        };
        if let Some(version) = change.make(db)? {
            feed.record(db, || change.event(version))?;
        }
    }
    Ok(Ok(order))
}

//! The SQL of orders, and of the changes that they make to their pets. All writes
//! run in the transaction of a batch, so that no other write runs at the same
//! time.

use super::{
    pets,
    records::{self, execute, prepared, unreadable},
};
use crate::{
    NotOrdered, NotUpdated,
    record::{placed_order, time},
    transitions::{ORDERED, order_step},
};
use petstore_models::{NewOrder, Order, OrderStatus, Pet, PetStatus};
use rusqlite::{Connection, params};

/// Where the clock was set back, or is that of another server, the time of the
/// last change does not go back.
const UPDATE: &str = "UPDATE orders SET status = ?2, updated_at = max(updated_at, ?3) WHERE id = ?1 RETURNING updated_at";

/// Places an order as of this time, in microseconds since 1970-01-01T00:00:00Z.
pub(super) fn create(
    db: &Connection,
    new: &NewOrder,
    at: i64,
) -> rusqlite::Result<Result<Order, NotOrdered>> {
    let order = placed_order(0, new, at).map_err(unreadable)?;
    let (available, reserved) = ORDERED;
    let parameters = [
        reserved.as_str().into(),
        order.pet_id.into(),
        available.as_str().into(),
    ];
    if execute(db, &pets::RESERVE, &parameters)? == 0 {
        let pet: Option<Pet> = records::get(db, order.pet_id)?;
        return Ok(Err(pet.map_or(NotOrdered::NoPet, |pet| {
            NotOrdered::NotAvailable(pet.status)
        })));
    }
    let id = records::insert::<Order>(db, &order)?;
    Ok(Ok(Order { id, ..order }))
}

/// Changes the status of an order, and that of its pet.
pub(super) fn update(
    db: &Connection,
    id: i64,
    to: OrderStatus,
    at: i64,
) -> rusqlite::Result<Result<Order, NotUpdated>> {
    let Some(order) = records::get::<Order>(db, id)? else {
        return Ok(Err(NotUpdated::NoOrder));
    };
    let from = order.status;
    let Some(step) = order_step(from, to) else {
        return Ok(Err(NotUpdated::NoStep { from }));
    };
    let updated_at =
        prepared(db, UPDATE)?.query_row(params![id, to.as_str(), at], |row| row.get(0))?;
    if let Some(status) = step.pet.map(PetStatus::as_str) {
        execute(db, &pets::SET_STATUS, &[status.into(), order.pet_id.into()])?;
    }
    Ok(Ok(Order {
        status: to,
        updated_at: time(updated_at).map_err(unreadable)?,
        ..order
    }))
}

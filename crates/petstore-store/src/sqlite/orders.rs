//! The SQL of orders, and of what they do to their pets. All writes run in the
//! transaction of a batch, in which nobody else writes: what was looked at
//! stays as it is. Which steps there are is left to `transitions`.

use super::{keys::unreadable_text, pets};
use crate::{
    NotOrdered, NotUpdated, OrderPage, OrderQuery,
    order::{InvalidTime, order_of, placed},
    transitions::{ORDERED, PLACED, order_step},
};
use petstore_models::{NewOrder, Order, OrderStatus, PetStatus};
use rusqlite::{Connection, Error, OptionalExtension, Row, params};

const TAKE: &str = "UPDATE pets SET status = ?2 WHERE id = ?1 AND status = ?3";
const INSERT: &str =
    "INSERT INTO orders (pet_id, status, placed_at, updated_at) VALUES (?1, ?2, ?3, ?3)";
const GET: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE id = ?1";
/// A clock that was set back, or that of another server, moves no order back.
const UPDATE: &str = "UPDATE orders SET status = ?2, updated_at = max(updated_at, ?3) WHERE id = ?1 RETURNING updated_at";
const GIVE: &str = "UPDATE pets SET status = ?2 WHERE id = ?1";
pub(super) const PAGE: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
pub(super) const PAGE_OF_STATUS: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE status = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2";
pub(super) const PAGE_OF_PET: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE pet_id = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2";
pub(super) const PAGE_OF_PET_AND_STATUS: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE pet_id = ?3 AND status = ?4 AND id < ?1 ORDER BY id DESC LIMIT ?2";

/// Places an order as of this time, in microseconds since 1970-01-01T00:00:00Z,
/// and gives its id.
pub(super) fn insert(
    db: &Connection,
    order: &NewOrder,
    at: i64,
) -> rusqlite::Result<Result<i64, NotOrdered>> {
    let NewOrder { pet_id } = order;
    let (free, taken) = ORDERED;
    let taken = params![pet_id, taken.as_str(), free.as_str()];
    if db.prepare_cached(TAKE)?.execute(taken)? == 0 {
        let pet = pets::get(db, *pet_id)?;
        return Ok(Err(pet.map_or(NotOrdered::NoPet, |pet| {
            NotOrdered::NotAvailable(pet.status)
        })));
    }
    db.prepare_cached(INSERT)?
        .insert(params![pet_id, PLACED.as_str(), at])
        .map(Ok)
}

/// As [`insert`], and gives the order.
pub(super) fn create(
    db: &Connection,
    order: &NewOrder,
    at: i64,
) -> rusqlite::Result<Result<Order, NotOrdered>> {
    match insert(db, order, at)? {
        Ok(id) => placed(id, order, at).map(Ok).map_err(unreadable),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Moves an order on, and its pet with it.
pub(super) fn update(
    db: &Connection,
    id: i64,
    to: OrderStatus,
    at: i64,
) -> rusqlite::Result<Result<Order, NotUpdated>> {
    let Some(order) = get(db, id)? else {
        return Ok(Err(NotUpdated::NoOrder));
    };
    let from = order.status;
    let Some(step) = order_step(from, to) else {
        return Ok(Err(NotUpdated::NoStep { from }));
    };
    let updated_at = db
        .prepare_cached(UPDATE)?
        .query_row(params![id, to.as_str(), at], |row| row.get(0))?;
    if let Some(status) = step.pet.map(PetStatus::as_str) {
        db.prepare_cached(GIVE)?
            .execute(params![order.pet_id, status])?;
    }
    order_as_of(order, to, updated_at).map(Ok)
}

fn order_as_of(order: Order, status: OrderStatus, updated_at: i64) -> rusqlite::Result<Order> {
    let times = order_of(order.id, order.pet_id, status, updated_at, updated_at);
    Ok(Order {
        placed_at: order.placed_at,
        ..times.map_err(unreadable)?
    })
}

pub(super) fn get(db: &Connection, id: i64) -> rusqlite::Result<Option<Order>> {
    db.prepare_cached(GET)?.query_row([id], order_at).optional()
}

pub(super) fn page(db: &Connection, query: OrderQuery) -> rusqlite::Result<OrderPage> {
    let OrderQuery {
        before,
        status,
        pet_id,
        limit,
    } = query;
    // No id comes as far.
    let before = before.unwrap_or(i64::MAX);
    // One row beyond the page tells whether there are more.
    let rows = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let status = status.map(OrderStatus::as_str);
    let mut orders = match (pet_id, status) {
        (None, None) => rows_of(db, PAGE, params![before, rows])?,
        (None, Some(status)) => rows_of(db, PAGE_OF_STATUS, params![before, rows, status])?,
        (Some(pet), None) => rows_of(db, PAGE_OF_PET, params![before, rows, pet])?,
        (Some(pet), Some(status)) => rows_of(
            db,
            PAGE_OF_PET_AND_STATUS,
            params![before, rows, pet, status],
        )?,
    };
    let more = orders.len() > limit;
    orders.truncate(limit);
    Ok(OrderPage { orders, more })
}

fn rows_of(
    db: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Order>> {
    db.prepare_cached(sql)?
        .query_map(params, order_at)?
        .collect()
}

fn order_at(row: &Row<'_>) -> rusqlite::Result<Order> {
    let status = row.get_ref(2)?.as_str()?;
    let status = status
        .parse()
        .map_err(|_| unreadable_text(2, UnknownStatus(status.to_owned())))?;
    order_of(row.get(0)?, row.get(1)?, status, row.get(3)?, row.get(4)?).map_err(unreadable)
}

/// A version that can show such a time wrote it.
pub(super) fn unreadable(error: InvalidTime) -> Error {
    Error::FromSqlConversionFailure(3, rusqlite::types::Type::Integer, Box::new(error))
}

/// A version whose contract has more values wrote it.
#[derive(Debug, thiserror::Error)]
#[error("an order has the status `{0}`, which this version does not know")]
struct UnknownStatus(String);

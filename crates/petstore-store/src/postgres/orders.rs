//! The SQL that creates and changes orders and their pets.
//!
//! # Two servers, one pet
//!
//! Each write is one statement and one transaction. If the rows are not as it needs them, it returns how
//! they are, as a read would. Otherwise it locks them and looks again: they may have changed since the
//! snapshot of the statement, or be locked by another transaction. It does not wait for that, since the
//! writes behind it would wait, too: it changes nothing and fails with [`Fault::Locked`], and
//! [`Writer::write_rows`](super::writer::Writer::write_rows) runs it again. Among statements that skip locked
//! rows no two wait for each other.

use super::{
    error::{self, Fault},
    idempotency::{KEY_COLUMNS, keep, key_values},
    records::{parameter, placeholders},
    session::Session,
};
use crate::{
    NotOrdered, NotUpdated, StoreError,
    idempotency::{Creatable, Creation, OnceOnly},
    record::{Record as _, names, placed_order, time},
    row::{AnyRow, FromRow as _, Value},
    transitions::{ORDERED, steps_to},
};
use petstore_models::{NewOrder, Order, OrderStatus, PetStatus};
use std::sync::LazyLock;
use tokio_postgres::Row;

/// No row where there is no such pet; no id where no order was placed.
pub(super) static CREATE: LazyLock<String> = LazyLock::new(|| {
    let (names, values) = (names::<Order>(), placeholders::<Order>(4, ""));
    format!(
        "
        WITH pet AS MATERIALIZED (
            SELECT id FROM pets WHERE id = $1 AND status = $2 FOR NO KEY UPDATE SKIP LOCKED
        ), reserved AS (
            UPDATE pets SET status = $3 FROM pet WHERE pets.id = pet.id RETURNING pets.id
        ), placed AS (
            INSERT INTO orders ({names}) SELECT {values} FROM reserved RETURNING id
        )
        SELECT placed.id, known.status
        FROM (SELECT status FROM pets WHERE id = $1) AS known LEFT JOIN placed ON true"
    )
});

/// The statement decides by the rows that it locks, and by those that are there
/// under the lock of its key: a key that was used meanwhile comes back with the id
/// of what was created with it. One row in any case.
pub(super) static CREATE_ONCE: LazyLock<String> = LazyLock::new(|| {
    let (names, values) = (names::<Order>(), placeholders::<Order>(KEY_COLUMNS + 4, ""));
    let keep = keep();
    format!(
        "
        WITH lock AS MATERIALIZED (
            SELECT pg_try_advisory_xact_lock($6::bigint) AS is_held
        ), used AS MATERIALIZED (
            SELECT fingerprint, made_id, created_at FROM idempotency_keys, lock
            WHERE is_held AND key_id = $1 AND key = $2 AND created_at > $5
        ), pet AS MATERIALIZED (
            SELECT pets.id FROM pets, lock
            WHERE is_held AND pets.id = $7 AND pets.status = $8 AND NOT EXISTS (SELECT FROM used)
            FOR NO KEY UPDATE OF pets SKIP LOCKED
        ), given AS MATERIALIZED (
            SELECT fingerprint, made_id, created_at, false AS is_free FROM used
            UNION ALL SELECT $3::bytea, nextval('order_ids'), $4::bigint, true FROM pet
        ), kept AS (
            INSERT INTO idempotency_keys AS old (key_id, key, fingerprint, made_id, created_at)
            SELECT $1, $2, fingerprint, made_id, created_at FROM given
            {keep}
            RETURNING fingerprint, made_id, created_at
        ), placed AS (
            SELECT given.made_id AS id FROM given JOIN kept ON is_free AND kept.made_id = given.made_id
        ), reserved AS (
            UPDATE pets SET status = $9 FROM placed WHERE pets.id = $7
        ), stored AS (
            INSERT INTO orders (id, {names}) SELECT id, {values} FROM placed
        )
        SELECT is_held, kept.made_id, kept.created_at, kept.fingerprint = $3 AS is_same,
            placed.id IS NOT NULL AS is_new, known.id IS NOT NULL AS has_pet, known.status
        FROM lock LEFT JOIN kept ON true LEFT JOIN placed ON true
            LEFT JOIN (SELECT id, status FROM pets WHERE id = $7) AS known ON true"
    )
});

/// No row where there is no such order; no time of a change where it was not
/// changed. Where the clock was set back, or is that of another server, the time of
/// the last change does not go back.
pub(super) static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let names = names::<Order>();
    format!(
        "
        WITH found AS MATERIALIZED (
            SELECT id, pet_id, status, updated_at FROM orders
            WHERE id = $1 AND status = ANY ($4::text[]) FOR NO KEY UPDATE SKIP LOCKED
        ), step AS MATERIALIZED (
            SELECT id, pet_id, updated_at, pet_status FROM found
            JOIN unnest($4::text[], $5::text[]) AS step (from_status, pet_status) ON from_status = status
        ), pet AS MATERIALIZED (
            SELECT pets.id, pet_status FROM pets JOIN step ON pets.id = step.pet_id
            WHERE pet_status IS NOT NULL FOR NO KEY UPDATE OF pets SKIP LOCKED
        ), changed AS (
            UPDATE orders SET status = $2, updated_at = GREATEST(step.updated_at, $3)
            FROM step LEFT JOIN pet ON true
            WHERE orders.id = step.id AND (step.pet_status IS NULL OR pet.id IS NOT NULL)
            RETURNING orders.updated_at AS changed_at
        ), pet_changed AS (
            UPDATE pets SET status = pet.pet_status FROM pet WHERE pets.id = pet.id
        )
        SELECT known.*, changed_at
        FROM (SELECT id, {names} FROM orders WHERE id = $1) AS known LEFT JOIN changed ON true"
    )
});

/// Places an order at this time, in microseconds since 1970-01-01T00:00:00Z.
pub(super) async fn create(
    db: &Session,
    new: &NewOrder,
    at: i64,
) -> Result<Result<Order, NotOrdered>, StoreError> {
    let order = placed_order(0, new, at).map_err(StoreError::not_applied)?;
    let values = placed_values(&order);
    let parameters: Vec<_> = values.iter().map(parameter).collect();
    let rows = db.query(&CREATE, &parameters).await;
    let rows = rows.map_err(error::write_failed)?;
    // The transaction is committed, so a row that cannot be read leaves the
    // outcome open.
    let Some(row) = rows.first() else {
        return Ok(Err(NotOrdered::NoPet));
    };
    match row.try_get(0).map_err(StoreError::unknown)? {
        Some(id) => Ok(Ok(Order { id, ..order })),
        None => not_available(row, 1).map(Err),
    }
}

/// Places an order as [`create`] does, unless its idempotency key was used before.
pub(super) async fn create_once(
    db: &Session,
    creation: &OnceOnly<NewOrder>,
) -> Result<Creation<Order, NotOrdered>, StoreError> {
    let order = creation.value.created(0, creation.at());
    let order = order.map_err(StoreError::not_applied)?;
    let (key, values) = (key_values(creation), placed_values(&order));
    let parameters: Vec<_> = key.iter().chain(&values).map(parameter).collect();
    let rows = db.query(&CREATE_ONCE, &parameters).await;
    let rows = rows.map_err(error::write_failed)?;
    let [row] = rows.as_slice() else {
        return Err(StoreError::unknown(Fault::Ids));
    };
    if !row.try_get(0).map_err(StoreError::unknown)? {
        return Ok(Creation::InFlight);
    }
    let Some(id) = row.try_get(1).map_err(StoreError::unknown)? else {
        return Ok(Creation::Refused(
            match row.try_get(5).map_err(StoreError::unknown)? {
                true => not_available(row, 6)?,
                false => NotOrdered::NoPet,
            },
        ));
    };
    if !row.try_get(3).map_err(StoreError::unknown)? {
        return Ok(Creation::KeyReused);
    }
    let at = row.try_get(2).map_err(StoreError::unknown)?;
    let created = creation.value.created(id, at);
    let created = created.map_err(StoreError::unknown)?;
    Ok(match row.try_get(4).map_err(StoreError::unknown)? {
        true => Creation::Added(created),
        false => Creation::Repeated(created),
    })
}

/// Returns the parameters of a statement that places an order: the id of the pet, its
/// old and its new status, and the values of the order.
fn placed_values(order: &Order) -> Vec<Value<'_>> {
    let (available, reserved) = ORDERED;
    let pet = [
        order.pet_id.into(),
        available.as_str().into(),
        reserved.as_str().into(),
    ];
    pet.into_iter().chain(Order::values(order)).collect()
}

/// Changes the status of an order, and that of its pet.
pub(super) async fn update(
    db: &Session,
    id: i64,
    to: OrderStatus,
    at: i64,
) -> Result<Result<Order, NotUpdated>, StoreError> {
    let (froms, pets): (Vec<_>, Vec<_>) = steps_to(to)
        .map(|step| (step.from.as_str(), step.pet.map(PetStatus::as_str)))
        .unzip();
    let rows = db
        .query(&UPDATE, &[&id, &to.as_str(), &at, &froms, &pets])
        .await
        .map_err(error::write_failed)?;
    let Some(row) = rows.first() else {
        return Ok(Err(NotUpdated::NoOrder));
    };
    let order = Order::from_row(row).map_err(StoreError::corrupt)?;
    let Some(updated_at) = row.try_get("changed_at").map_err(StoreError::unknown)? else {
        return match froms.contains(&order.status.as_str()) {
            true => Err(StoreError::not_applied(Fault::Locked)),
            false => Ok(Err(NotUpdated::NoStep { from: order.status })),
        };
    };
    Ok(Ok(Order {
        status: to,
        updated_at: time(updated_at).map_err(StoreError::corrupt)?,
        ..order
    }))
}

/// The rejection of an order for a pet that has the status in this column. A pet that can be ordered
/// and was not is locked, or was ordered meanwhile.
fn not_available(row: &Row, column: usize) -> Result<NotOrdered, StoreError> {
    let status = row.optional_parsed(column).map_err(StoreError::corrupt)?;
    match status == Some(ORDERED.0) {
        true => Err(StoreError::not_applied(Fault::Locked)),
        false => Ok(NotOrdered::NotAvailable(status)),
    }
}

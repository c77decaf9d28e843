//! The SQL of orders, and of what they do to their pets. Which steps there are
//! is left to `transitions`; the statements are given them.
//!
//! # Two servers, one pet
//!
//! Each write is one statement and one transaction. It first locks the row that
//! it decides by, which waits for whoever changes it at this moment and then
//! shows it as it is now, not as the statement's snapshot has it. Locks are
//! taken in one order, an order before its pet, and nobody takes two of a kind:
//! so no two wait for each other.

use super::{
    error::{self, Unreadable},
    idempotency::{KEEP, Key},
    session::Session,
};
use crate::{
    NotOrdered, NotUpdated, OrderPage, OrderQuery, StoreError,
    idempotency::{Creatable, Creation, OnceOnly},
    order::{order_of, placed},
    transitions::{ORDERED, PLACED, steps_to},
};
use petstore_models::{NewOrder, Order, OrderStatus, PetStatus};
use tokio_postgres::{Client, Error, Row, Statement};

/// No row where there is no such pet; no id where it cannot be ordered.
const CREATE: &str = "
    WITH pet AS MATERIALIZED (
        SELECT id, status FROM pets WHERE id = $1 FOR NO KEY UPDATE
    ), taken AS (
        UPDATE pets SET status = $4 FROM pet WHERE pets.id = pet.id AND pet.status = $3 RETURNING pets.id
    ), placed AS (
        INSERT INTO orders (pet_id, status, placed_at, updated_at) SELECT id, $5, $2, $2 FROM taken RETURNING id
    )
    SELECT placed.id, pet.status FROM pet LEFT JOIN placed ON true";
/// Of the rows that it locks, and of those that are there under the lock of its
/// key, the statement decides by what it finds: a key that was used meanwhile
/// comes back with the id of what it made. One row in any case.
const CREATE_ONCE: &str = "
    WITH lock AS MATERIALIZED (
        SELECT pg_try_advisory_xact_lock($10::bigint) AS is_held
    ), used AS MATERIALIZED (
        SELECT fingerprint, made_id, created_at FROM idempotency_keys, lock
        WHERE is_held AND key_id = $6 AND key = $7 AND created_at > $2 - $9::bigint
    ), pet AS MATERIALIZED (
        SELECT pets.id, pets.status FROM pets, lock
        WHERE is_held AND pets.id = $1 AND NOT EXISTS (SELECT FROM used) FOR NO KEY UPDATE OF pets
    ), given AS MATERIALIZED (
        SELECT fingerprint, made_id, created_at, false AS is_free FROM used
        UNION ALL SELECT $8::bytea, nextval('order_ids'), $2, true FROM pet WHERE status = $3
    ), kept AS (
        INSERT INTO idempotency_keys AS old (key_id, key, fingerprint, made_id, created_at)
        SELECT $6, $7, fingerprint, made_id, created_at FROM given
        {KEEP}
        RETURNING fingerprint, made_id, created_at
    ), placed AS (
        SELECT given.made_id AS id FROM given JOIN kept ON is_free AND kept.made_id = given.made_id
    ), taken AS (
        UPDATE pets SET status = $4 FROM placed WHERE pets.id = $1
    ), stored AS (
        INSERT INTO orders (id, pet_id, status, placed_at, updated_at) SELECT id, $1, $5, $2, $2 FROM placed
    )
    SELECT is_held, kept.made_id, kept.created_at, kept.fingerprint = $8 AS is_same,
        placed.id IS NOT NULL AS is_new, pet.id IS NOT NULL AS has_pet, pet.status
    FROM lock LEFT JOIN kept ON true LEFT JOIN placed ON true LEFT JOIN pet ON true";
/// No row where there is no such order; no time of a change where it was not
/// changed. A clock that was set back, or that of another server, moves no order
/// back.
const UPDATE: &str = "
    WITH steps AS (
        SELECT * FROM unnest($4::text[], $5::text[]) AS step (from_status, pet_status)
    ), found AS MATERIALIZED (
        SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE id = $1 FOR NO KEY UPDATE
    ), changed AS (
        UPDATE orders SET status = $2, updated_at = GREATEST(found.updated_at, $3)
        FROM found JOIN steps ON steps.from_status = found.status
        WHERE orders.id = found.id
        RETURNING orders.pet_id, steps.pet_status, orders.updated_at
    ), pet AS (
        UPDATE pets SET status = changed.pet_status FROM changed
        WHERE pets.id = changed.pet_id AND changed.pet_status IS NOT NULL
    )
    SELECT found.id, found.pet_id, found.status, found.placed_at, changed.updated_at
    FROM found LEFT JOIN changed ON true";
const GET: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE id = $1";
const PAGE: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE id < $1 ORDER BY id DESC LIMIT $2";
const PAGE_OF_STATUS: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE status = $3 AND id < $1 ORDER BY id DESC LIMIT $2";
const PAGE_OF_PET: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE pet_id = $3 AND id < $1 ORDER BY id DESC LIMIT $2";
const PAGE_OF_PET_AND_STATUS: &str = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE pet_id = $3 AND status = $4 AND id < $1 ORDER BY id DESC LIMIT $2";

/// The prepared statements of a connection that reads.
pub(super) struct OrderReads {
    get: Statement,
    page: Statement,
    page_of_status: Statement,
    page_of_pet: Statement,
    page_of_pet_and_status: Statement,
}

impl OrderReads {
    pub(super) async fn prepare(db: &Client) -> Result<Self, Error> {
        let (get, page, page_of_status, page_of_pet, page_of_pet_and_status) = tokio::try_join!(
            db.prepare(GET),
            db.prepare(PAGE),
            db.prepare(PAGE_OF_STATUS),
            db.prepare(PAGE_OF_PET),
            db.prepare(PAGE_OF_PET_AND_STATUS)
        )?;
        Ok(Self {
            get,
            page,
            page_of_status,
            page_of_pet,
            page_of_pet_and_status,
        })
    }

    pub(super) async fn get(&self, db: &Client, id: i64) -> Result<Option<Row>, Error> {
        db.query_opt(&self.get, &[&id]).await
    }

    /// The rows of a page, and one beyond it if there are more.
    pub(super) async fn page(&self, db: &Client, query: OrderQuery) -> Result<Vec<Row>, Error> {
        let OrderQuery {
            before,
            status,
            pet_id,
            limit,
        } = query;
        // No id comes as far.
        let before = before.unwrap_or(i64::MAX);
        let rows = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let status = status.map(OrderStatus::as_str);
        match (pet_id, status) {
            (None, None) => db.query(&self.page, &[&before, &rows]).await,
            (None, Some(status)) => {
                let page = &self.page_of_status;
                db.query(page, &[&before, &rows, &status]).await
            }
            (Some(pet), None) => db.query(&self.page_of_pet, &[&before, &rows, &pet]).await,
            (Some(pet), Some(status)) => {
                let page = &self.page_of_pet_and_status;
                db.query(page, &[&before, &rows, &pet, &status]).await
            }
        }
    }
}

/// The prepared statements of a connection that writes.
pub(super) struct OrderWrites {
    create: Statement,
    create_once: Statement,
    update: Statement,
}

impl OrderWrites {
    pub(super) async fn prepare(db: &Client) -> Result<Self, Error> {
        let create_once = CREATE_ONCE.replace("{KEEP}", KEEP);
        let (create, create_once, update) = tokio::try_join!(
            db.prepare(CREATE),
            db.prepare(&create_once),
            db.prepare(UPDATE)
        )?;
        Ok(Self {
            create,
            create_once,
            update,
        })
    }

    /// Places an order as of this time, in microseconds since
    /// 1970-01-01T00:00:00Z.
    pub(super) async fn create(
        &self,
        db: &Session,
        order: &NewOrder,
        at: i64,
    ) -> Result<Result<Order, NotOrdered>, StoreError> {
        let (free, taken) = ORDERED;
        let row = db
            .client()
            .query_opt(
                &self.create,
                &[
                    &order.pet_id,
                    &at,
                    &free.as_str(),
                    &taken.as_str(),
                    &PLACED.as_str(),
                ],
            )
            .await
            .map_err(error::write_failed)?;
        // The transaction is committed, so a row that cannot be read leaves the
        // outcome open.
        let Some(row) = row else {
            return Ok(Err(NotOrdered::NoPet));
        };
        match row.try_get(0).map_err(error::unknown)? {
            Some(id) => placed(id, order, at).map(Ok).map_err(error::unknown),
            None => refusal_of(&row, 1).map(Err),
        }
    }

    /// As [`create`](Self::create), unless its key was used.
    pub(super) async fn create_once(
        &self,
        db: &Session,
        asked: &OnceOnly<NewOrder>,
    ) -> Result<Creation<Order, NotOrdered>, StoreError> {
        match self.try_create_once(db, asked).await? {
            // Who waited for the pet may have waited for an order with the same
            // key, and the statement's snapshot is from before it: another one
            // shows the key, if there is one.
            Creation::Refused(_) => self.try_create_once(db, asked).await,
            created => Ok(created),
        }
    }

    async fn try_create_once(
        &self,
        db: &Session,
        asked: &OnceOnly<NewOrder>,
    ) -> Result<Creation<Order, NotOrdered>, StoreError> {
        let order = &asked.value;
        let (free, taken) = ORDERED;
        let Key {
            key_id,
            key,
            fingerprint,
            at,
            retention,
            lock,
        } = Key::of(asked);
        let row = db
            .client()
            .query_one(
                &self.create_once,
                &[
                    &order.pet_id,
                    &at,
                    &free.as_str(),
                    &taken.as_str(),
                    &PLACED.as_str(),
                    &key_id,
                    &key,
                    &fingerprint,
                    &retention,
                    &lock,
                ],
            )
            .await
            .map_err(error::write_failed)?;
        if !row.try_get(0).map_err(error::unknown)? {
            return Ok(Creation::InFlight);
        }
        let Some(id) = row.try_get(1).map_err(error::unknown)? else {
            return Ok(Creation::Refused(
                match row.try_get(5).map_err(error::unknown)? {
                    true => refusal_of(&row, 6)?,
                    false => NotOrdered::NoPet,
                },
            ));
        };
        if !row.try_get(3).map_err(error::unknown)? {
            return Ok(Creation::KeyReused);
        }
        let at = row.try_get(2).map_err(error::unknown)?;
        let made = order.made(id, at).map_err(error::unknown)?;
        Ok(match row.try_get(4).map_err(error::unknown)? {
            true => Creation::Added(made),
            false => Creation::Repeated(made),
        })
    }

    /// Moves an order on, and its pet with it.
    pub(super) async fn update(
        &self,
        db: &Session,
        id: i64,
        to: OrderStatus,
        at: i64,
    ) -> Result<Result<Order, NotUpdated>, StoreError> {
        let (froms, pets): (Vec<_>, Vec<_>) = steps_to(to)
            .map(|step| (step.from.as_str(), step.pet.map(PetStatus::as_str)))
            .unzip();
        let row = db
            .client()
            .query_opt(&self.update, &[&id, &to.as_str(), &at, &froms, &pets])
            .await
            .map_err(error::write_failed)?;
        let Some(row) = row else {
            return Ok(Err(NotUpdated::NoOrder));
        };
        let from = status_of(&row, 2)?;
        let Some(updated_at) = row.try_get(4).map_err(error::unknown)? else {
            return Ok(Err(NotUpdated::NoStep { from }));
        };
        order_with(&row, to, updated_at).map(Ok)
    }
}

/// Why a pet that is there was not ordered; its status stands in this column.
fn refusal_of(row: &Row, column: usize) -> Result<NotOrdered, StoreError> {
    let status: Option<&str> = row.try_get(column).map_err(error::unreadable)?;
    let unknown = |text: &str| error::unreadable(Unreadable::Status(text.to_owned()));
    let status = status.map(|text| text.parse().map_err(|_| unknown(text)));
    Ok(NotOrdered::NotAvailable(status.transpose()?))
}

pub(super) fn page_of(rows: &[Row], limit: usize) -> Result<OrderPage, StoreError> {
    let orders = rows.iter().take(limit).map(order_at);
    Ok(OrderPage {
        orders: orders.collect::<Result<_, _>>()?,
        more: rows.len() > limit,
    })
}

pub(super) fn order_at(row: &Row) -> Result<Order, StoreError> {
    let updated_at = row.try_get(4).map_err(error::unreadable)?;
    order_with(row, status_of(row, 2)?, updated_at)
}

/// The order of a row, with another status and another time of its change.
fn order_with(row: &Row, status: OrderStatus, updated_at: i64) -> Result<Order, StoreError> {
    let number = |column| row.try_get(column).map_err(error::unreadable);
    order_of(number(0)?, number(1)?, status, number(3)?, updated_at).map_err(error::unreadable)
}

fn status_of(row: &Row, column: usize) -> Result<OrderStatus, StoreError> {
    let text: &str = row.try_get(column).map_err(error::unreadable)?;
    text.parse()
        .map_err(|_| error::unreadable(Unreadable::OrderStatus(text.to_owned())))
}

//! The SQL that creates and changes orders and their pets.
//!
//! # Two servers, one pet
//!
//! Each write is one statement and one transaction. If the rows do not allow the change, the statement returns
//! their values, like a read. Otherwise it locks the rows and reads them again: they may have changed since the
//! snapshot of the statement. If another transaction has locked a row, the statement does not wait, since the
//! writes behind it would wait, too. It changes nothing and fails with [`Fault::Locked`], and
//! [`Writer::write_rows`](super::writer::Writer::write_rows) runs it again. Since these statements skip locked
//! rows, they cannot deadlock.

use super::{
    error::{self, Fault},
    events::{self, Sql},
    idempotency::{KEY_COLUMNS, keep, key_values},
    records::{parameter, placeholders},
    session::Session,
};
use crate::{
    NotOrdered, NotUpdated, StoreError,
    event::{order_data, status_data},
    idempotency::{Creatable, Creation, OnceOnly},
    record::{FIRST_VERSION, Record as _, names, placed_order, time},
    row::{AnyRow, FromRow as _, Value},
    transitions::{ORDERED, steps_to},
};
use petstore_models::{EventType, NewOrder, Order, OrderStatus, PetStatus};
use tokio_postgres::{Row, types::ToSql};

/// Returns no row if the pet does not exist. Returns a row without an id if no order was placed.
pub(super) static CREATE: Sql = Sql::new(|| [false, true].map(create_sql));

fn create_sql(has_events: bool) -> String {
    let (names, values) = (names::<Order>(), placeholders::<Order>(4, ""));
    let told = told_placed("placed", 4, has_events);
    format!(
        "
        WITH pet AS MATERIALIZED (
            SELECT id FROM pets WHERE id = $1 AND status = $2 FOR NO KEY UPDATE SKIP LOCKED
        ), reserved AS (
            UPDATE pets SET status = $3, version = pets.version + 1 FROM pet WHERE pets.id = pet.id
            RETURNING pets.id, pets.version
        ), placed AS (
            INSERT INTO orders ({names}) SELECT {values} FROM reserved RETURNING id
        ){told}
        SELECT placed.id, known.status
        FROM (SELECT status FROM pets WHERE id = $1) AS known LEFT JOIN placed ON true"
    )
}

/// The events of an order, which the expression `placed` returns, and of its pet, which `reserved` returns.
/// `first` is the number of the order's first parameter. The parameters after those of the order are the data of both
/// events and the seed.
fn told_placed(placed: &str, first: usize, has_events: bool) -> String {
    if !has_events {
        return String::new();
    }
    let place = |name: &str| Order::COLUMNS.iter().position(|column| column.name == name);
    let at = first + place("placed_at").unwrap_or_default();
    let data = first + Order::COLUMNS.len();
    let (pet_data, seed) = (data + 1, data + 2);
    let (of_order, of_pet) = (EventType::OrderPlaced, EventType::PetStatusChanged);
    let tell = events::tell(seed, "told");
    format!(
        ", told AS MATERIALIZED (
            SELECT 1::bigint AS place, '{of_order}' AS type, ${at}::bigint AS at,
                {placed}.id AS entity_id, {FIRST_VERSION}::bigint AS version, ${data}::bytea AS data
            FROM {placed}
            UNION ALL SELECT 2, '{of_pet}', ${at}::bigint, id, version, ${pet_data}::bytea FROM reserved
        ){tell}"
    )
}

/// The statement uses the rows that it has locked, and the row of the key after it has
/// locked the key. If the key was used meanwhile, it returns the id that was created
/// with the key. It always returns one row.
pub(super) static CREATE_ONCE: Sql = Sql::new(|| [false, true].map(create_once_sql));

fn create_once_sql(has_events: bool) -> String {
    let (names, values) = (names::<Order>(), placeholders::<Order>(KEY_COLUMNS + 4, ""));
    let keep = keep();
    let told = told_placed("stored", KEY_COLUMNS + 4, has_events);
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
            UPDATE pets SET status = $9, version = pets.version + 1 FROM placed WHERE pets.id = $7
            RETURNING pets.id, pets.version
        ), stored AS (
            INSERT INTO orders (id, {names}) SELECT id, {values} FROM placed RETURNING id
        ){told}
        SELECT is_held, kept.made_id, kept.created_at, kept.fingerprint = $3 AS is_same,
            placed.id IS NOT NULL AS is_new, known.id IS NOT NULL AS has_pet, known.status
        FROM lock LEFT JOIN kept ON true LEFT JOIN placed ON true
            LEFT JOIN (SELECT id, status FROM pets WHERE id = $7) AS known ON true"
    )
}

/// Returns no row if the order does not exist. Returns a row without `changed_at` if the
/// order was not changed. The time of the last change never goes back, even if the clock was
/// set back or the clock of another server differs.
pub(super) static UPDATE: Sql = Sql::new(|| [false, true].map(update_sql));

fn update_sql(has_events: bool) -> String {
    let names = names::<Order>();
    let told = match has_events {
        true => told_updated(),
        false => String::new(),
    };
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
            UPDATE orders SET status = $2, updated_at = GREATEST(step.updated_at, $3), version = orders.version + 1
            FROM step LEFT JOIN pet ON true
            WHERE orders.id = step.id AND (step.pet_status IS NULL OR pet.id IS NOT NULL)
            RETURNING orders.id, orders.pet_id, orders.placed_at, orders.updated_at AS changed_at, orders.version AS new_version
        ), pet_changed AS (
            UPDATE pets SET status = pet.pet_status, version = pets.version + 1 FROM pet WHERE pets.id = pet.id
            RETURNING pets.id, pets.status, pets.version
        ){told}
        SELECT known.*, changed_at, new_version
        FROM (SELECT id, {names} FROM orders WHERE id = $1) AS known LEFT JOIN changed ON true"
    )
}

/// The events of an order that changed, and of its pet. The data has the format of `order_data` and `status_data`.
fn told_updated() -> String {
    let (of_order, of_pet) = (EventType::OrderUpdated, EventType::PetStatusChanged);
    let tell = events::tell(6, "told");
    format!(
        ", told AS MATERIALIZED (
            SELECT 1::bigint AS place, '{of_order}' AS type, changed_at AS at, id AS entity_id, new_version AS version,
                convert_to(json_build_object('petId', pet_id, 'status', $2::text,
                    'placedAt', placed_at, 'updatedAt', changed_at)::text, 'UTF8') AS data
            FROM changed
            UNION ALL SELECT 2, '{of_pet}', changed_at, pet_changed.id, pet_changed.version,
                convert_to(json_build_object('status', pet_changed.status)::text, 'UTF8')
            FROM pet_changed, changed
        ){tell}"
    )
}

/// Places an order at this time, in microseconds since 1970-01-01T00:00:00Z.
pub(super) async fn create(
    db: &Session,
    new: &NewOrder,
    at: i64,
) -> Result<Result<Order, NotOrdered>, StoreError> {
    let order = placed_order(0, new, at).map_err(StoreError::not_applied)?;
    let values = placed_values(&order);
    let told = db.records_events().then(|| Told::of(&order));
    let parameters = values.iter().map(parameter);
    let parameters: Vec<_> = parameters
        .chain(told.iter().flat_map(Told::parameters))
        .collect();
    let sql = &CREATE[usize::from(told.is_some())];
    let rows = db.query(sql, &parameters).await;
    let rows = rows.map_err(error::write_failed)?;
    // The transaction is committed. If its row cannot be read, the outcome is
    // unknown.
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
    let told = db.records_events().then(|| Told::of(&order));
    let parameters = key.iter().chain(&values).map(parameter);
    let parameters: Vec<_> = parameters
        .chain(told.iter().flat_map(Told::parameters))
        .collect();
    let sql = &CREATE_ONCE[usize::from(told.is_some())];
    let rows = db.query(sql, &parameters).await;
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

/// The parameters for the events of a statement that places an order.
struct Told([Vec<u8>; 3]);

impl Told {
    fn of(order: &Order) -> Self {
        let (order, pet) = (order_data(order), status_data(ORDERED.1));
        Told([order.into_bytes(), pet.into_bytes(), events::seed()])
    }

    fn parameters(&self) -> impl Iterator<Item = &(dyn ToSql + Sync)> {
        self.0.iter().map(parameter)
    }
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

/// Changes the status of an order and of its pet.
pub(super) async fn update(
    db: &Session,
    id: i64,
    to: OrderStatus,
    at: i64,
) -> Result<Result<Order, NotUpdated>, StoreError> {
    let (froms, pets): (Vec<_>, Vec<_>) = steps_to(to)
        .map(|step| (step.from.as_str(), step.pet.map(PetStatus::as_str)))
        .unzip();
    let (to_status, seed) = (to.as_str(), events::seed());
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&id, &to_status, &at, &froms, &pets];
    let has_events = db.records_events();
    if has_events {
        parameters.push(&seed);
    }
    let sql = &UPDATE[usize::from(has_events)];
    let rows = db.query(sql, &parameters).await;
    let rows = rows.map_err(error::write_failed)?;
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
        version: row.try_get("new_version").map_err(StoreError::unknown)?,
        ..order
    }))
}

/// The rejection of an order for a pet whose status is in this column. If the pet has the status in which
/// it can be ordered, but was not ordered, it is locked or was ordered meanwhile.
fn not_available(row: &Row, column: usize) -> Result<NotOrdered, StoreError> {
    let status = row.optional_parsed(column).map_err(StoreError::corrupt)?;
    match status == Some(ORDERED.0) {
        true => Err(StoreError::not_applied(Fault::Locked)),
        false => Ok(NotOrdered::NotAvailable(status)),
    }
}

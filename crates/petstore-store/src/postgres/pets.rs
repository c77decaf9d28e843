//! The SQL that creates pets, with and without an idempotency key.

use super::{
    error::{self, Fault},
    events::{self, Sql},
    idempotency::{KEY_COLUMNS, keep, key_values},
    records::{arrays, parameter, placeholders},
    session::Session,
};
use crate::{
    Creation, StoreError,
    event::pet_data,
    idempotency::OnceOnly,
    record::{FIRST_VERSION, Record as _, names, pet_with_id},
};
use chrono::{DateTime, Utc};
use futures::future::join_all;
use petstore_models::{EventType, NewPet, Pet};
use tokio_postgres::{Row, types::ToSql};

/// One statement for any number of pets: one round trip, one transaction. It takes
/// the ids from the sequence itself, since the order of `INSERT … RETURNING` is not defined.
pub(super) static INSERT: Sql = Sql::new(|| [false, true].map(insert));

fn insert(has_events: bool) -> String {
    let (names, arrays) = (names::<Pet>(), placeholders::<Pet>(1, "[]"));
    let data = Pet::COLUMNS.len() + 1;
    let (data, told) = match has_events {
        true => (
            format!(", ${data}::bytea[]"),
            told("given", "place", data + 1),
        ),
        false => Default::default(),
    };
    let column = if has_events { ", data" } else { "" };
    format!(
        "
        WITH given AS MATERIALIZED (
            SELECT nextval('pet_ids') AS id, place, {names}{column}
            FROM unnest({arrays}{data}) WITH ORDINALITY AS pet ({names}{column}, place)
        ), stored AS (
            INSERT INTO pets (id, {names}) SELECT id, {names} FROM given RETURNING id
        ){told}
        SELECT id FROM given ORDER BY place"
    )
}

/// The events of the pets that the expression `stored` of a statement has stored. The expression with the name `given` returns the
/// same pets with their data, and `place` numbers them. The parameter with the number `time` is the time in microseconds, and the
/// next parameter is the seed.
fn told(given: &str, place: &str, time: usize) -> String {
    let kind = EventType::PetCreated;
    let tell = events::tell(time + 1, "stored");
    format!(
        ", told AS (
            SELECT {place} AS place, '{kind}' AS type, ${time}::bigint AS at,
                id AS entity_id, {FIRST_VERSION}::bigint AS version, data
            FROM {given}
        ){tell}"
    )
}

/// Stores any number of pets, all with different keys, in one statement: one round
/// trip, one transaction. If a key is already used, no id is taken from the sequence, and the
/// row of the key is written again with the same values, even if a server whose clock is ahead
/// has deleted it meanwhile. If another transaction uses a key while this statement
/// runs, the id of that transaction's pet is returned.
pub(super) static INSERT_ONCE: Sql = Sql::new(|| [false, true].map(insert_once_sql));

fn insert_once_sql(has_events: bool) -> String {
    let (names, arrays) = (names::<Pet>(), placeholders::<Pet>(1 + KEY_COLUMNS, "[]"));
    let keep = keep();
    let data = KEY_COLUMNS + Pet::COLUMNS.len() + 1;
    let (data, told) = match has_events {
        true => (
            format!(", ${data}::bytea[]"),
            told(
                "outcomes WHERE is_new",
                "row_number() OVER (ORDER BY place)",
                data + 1,
            ),
        ),
        false => Default::default(),
    };
    let column = if has_events { ", data" } else { "" };
    format!(
        "
        WITH given AS MATERIALIZED (
            SELECT wanted.*, used.key IS NULL AS is_free, COALESCE(used.made_id, nextval('pet_ids')) AS id,
                COALESCE(used.fingerprint, wanted.fingerprint) AS first, COALESCE(used.created_at, wanted.created_at) AS since
            FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bigint[], {arrays}{data})
                WITH ORDINALITY AS wanted (key_id, key, fingerprint, created_at, expired_at, lock, {names}{column}, place)
            LEFT JOIN idempotency_keys AS used ON used.key_id = wanted.key_id AND used.key = wanted.key
                AND used.created_at > wanted.expired_at
            WHERE pg_try_advisory_xact_lock(lock)
        ), kept AS (
            INSERT INTO idempotency_keys AS old (key_id, key, fingerprint, made_id, created_at)
            SELECT key_id, key, first, id, since FROM given
            {keep}
            RETURNING key_id, key, fingerprint, made_id
        ), outcomes AS (
            SELECT given.*, kept.made_id, is_free AND kept.made_id = given.id AS is_new, kept.fingerprint = given.fingerprint AS is_same
            FROM given JOIN kept ON kept.key_id = given.key_id AND kept.key = given.key
        ), stored AS (
            INSERT INTO pets (id, {names}) SELECT id, {names} FROM outcomes WHERE is_new RETURNING id
        ){told}
        SELECT place, made_id, is_new, is_same FROM outcomes"
    )
}

/// The parameters for the events of a statement.
struct Told {
    data: Vec<Vec<u8>>,
    at: i64,
    seed: Vec<u8>,
}

impl Told {
    fn new<'pet>(pets: impl Iterator<Item = &'pet NewPet>, at: DateTime<Utc>) -> Self {
        Told {
            data: pets.map(|pet| pet_data(pet).into_bytes()).collect(),
            at: at.timestamp_micros(),
            seed: events::seed(),
        }
    }

    fn parameters(&self) -> [&(dyn ToSql + Sync); 3] {
        [&self.data, &self.at, &self.seed]
    }
}

/// Stores all pets in one transaction, or each pet in its own transaction (see
/// [`together_or_alone`]).
pub(super) async fn insert_all(db: &Session, pets: &[NewPet]) -> Vec<Result<Pet, StoreError>> {
    together_or_alone(pets, |pets| insert_together(db, pets)).await
}

/// Stores all pets whose keys are new in one transaction, or each pet in its own transaction
/// (see [`together_or_alone`]). All keys must be different.
pub(super) async fn insert_all_once(
    db: &Session,
    creations: &[OnceOnly<NewPet>],
) -> Vec<Result<Creation, StoreError>> {
    together_or_alone(creations, |creations| insert_once_together(db, creations)).await
}

/// Stores one pet if its key is new.
pub(super) async fn insert_once(
    db: &Session,
    creation: OnceOnly<NewPet>,
) -> Result<Creation, StoreError> {
    let created = insert_once_together(db, &[creation]).await?.pop();
    created.ok_or_else(|| StoreError::unknown(Fault::Ids))
}

/// Runs `insert` on all values. If the database rejects one of them, runs `insert` again
/// on each value in its own transaction, still in one round trip, so that only the rejected
/// value fails.
async fn together_or_alone<'new, N, T, F>(
    new: &'new [N],
    insert: impl Fn(&'new [N]) -> F,
) -> Vec<Result<T, StoreError>>
where
    F: Future<Output = Result<Vec<T>, StoreError>>,
{
    if new.is_empty() {
        return Vec::new();
    }
    match insert(new).await {
        Ok(stored) => stored.into_iter().map(Ok).collect(),
        Err(rejected @ StoreError::Internal { .. }) if new.len() > 1 => {
            tracing::warn!(
                pets = new.len(),
                cause = error::cause(&rejected),
                "a batch of pets failed, so each pet is stored separately"
            );
            let only = |stored: Result<Vec<T>, _>| {
                stored?.pop().ok_or_else(|| StoreError::unknown(Fault::Ids))
            };
            let alone = join_all(new.chunks(1).map(insert)).await;
            alone.into_iter().map(only).collect()
        }
        Err(shared) => new.iter().map(|_| Err(shared.clone())).collect(),
    }
}

async fn insert_together(db: &Session, pets: &[NewPet]) -> Result<Vec<Pet>, StoreError> {
    let arrays = arrays(Pet::COLUMNS.len(), pets.iter().map(Pet::values));
    let told = db
        .records_events()
        .then(|| Told::new(pets.iter(), Utc::now()));
    let parameters = arrays.iter().map(parameter);
    let parameters: Vec<_> = parameters
        .chain(told.iter().flat_map(Told::parameters))
        .collect();
    let sql = &INSERT[usize::from(told.is_some())];
    let rows = db.query(sql, &parameters).await;
    let rows = rows.map_err(error::write_failed)?;
    // The transaction is committed. If an id cannot be read, the outcome is
    // unknown.
    let stored = rows.iter().zip(pets).map(|(row, pet)| {
        let id = row.try_get(0).map_err(StoreError::unknown)?;
        Ok(pet_with_id(id, pet))
    });
    let stored: Vec<Pet> = stored.collect::<Result<_, _>>()?;
    if stored.len() == pets.len() {
        Ok(stored)
    } else {
        Err(StoreError::unknown(Fault::Ids))
    }
}

async fn insert_once_together(
    db: &Session,
    creations: &[OnceOnly<NewPet>],
) -> Result<Vec<Creation>, StoreError> {
    let rows = creations
        .iter()
        .map(|new| key_values(new).into_iter().chain(Pet::values(&new.value)));
    let arrays = arrays(KEY_COLUMNS + Pet::COLUMNS.len(), rows);
    let told = db.records_events().then(|| {
        let latest = creations.iter().map(|new| new.once.at).max();
        let pets = creations.iter().map(|new| &new.value);
        Told::new(pets, latest.unwrap_or_default())
    });
    let parameters = arrays.iter().map(parameter);
    let parameters: Vec<_> = parameters
        .chain(told.iter().flat_map(Told::parameters))
        .collect();
    let sql = &INSERT_ONCE[usize::from(told.is_some())];
    let rows = db.query(sql, &parameters).await;
    let rows = rows.map_err(error::write_failed)?;
    // A creation without a row did not get the lock of its key.
    let mut outcomes = vec![Creation::InFlight; creations.len()];
    for row in &rows {
        // The transaction is committed. If a row cannot be read, the outcome
        // is unknown.
        let (place, outcome) = outcome_of(row, creations)?;
        outcomes[place] = outcome;
    }
    Ok(outcomes)
}

/// Reads the outcome from a row. Also returns the index of its creation in `creations`.
fn outcome_of(row: &Row, creations: &[OnceOnly<NewPet>]) -> Result<(usize, Creation), StoreError> {
    let place: i64 = row.try_get(0).map_err(StoreError::unknown)?;
    let id: i64 = row.try_get(1).map_err(StoreError::unknown)?;
    let is_new: bool = row.try_get(2).map_err(StoreError::unknown)?;
    let is_same: bool = row.try_get(3).map_err(StoreError::unknown)?;
    // The numbers in `place` begin with 1.
    let place = usize::try_from(place - 1).map_err(StoreError::unknown)?;
    let creation = creations
        .get(place)
        .ok_or_else(|| StoreError::unknown(Fault::Ids))?;
    let pet = pet_with_id(id, &creation.value);
    let outcome = match (is_new, is_same) {
        (true, _) => Creation::Added(pet),
        (false, true) => Creation::Repeated(pet),
        (false, false) => Creation::KeyReused,
    };
    Ok((place, outcome))
}

//! The SQL of creations with an idempotency key.
//!
//! # Two servers, one key
//!
//! A creation first takes an advisory lock of its key, without waiting: where
//! another transaction has it, the creation is [`Creation::InFlight`] and the
//! others of its batch go on. The holder of the lock inserts a row for the key.
//! Where there is one, it stays, but is written again: so a repeated creation,
//! too, waits until it is as durable as a commit can be, even if the first commit
//! was cut off before its replica had it.

use super::{
    error::{self, Unreadable},
    pets::together_or_alone,
    records::{array_placeholders, arrays, parameter},
    session::Session,
};
use crate::{
    StoreError,
    idempotency::{Creatable, Creation, OnceOnly, expired_at, retention_micros},
    record::{names, pet_with_id},
};
use chrono::{DateTime, Utc};
use petstore_models::{NewPet, Pet};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, hash_map::Entry};
use tokio_postgres::{Client, Error, Row, Statement, types::ToSql};

/// What becomes of the row of a key that is there already, named `old`: it stays if
/// it counts, and is replaced if it has expired and is not deleted yet. `$6` is how
/// long a key counts, in microseconds.
pub(super) const KEEP: &str = "
        ON CONFLICT (key_id, key) DO UPDATE SET
            fingerprint = CASE WHEN old.created_at > excluded.created_at - $6::bigint THEN old.fingerprint ELSE excluded.fingerprint END,
            made_id = CASE WHEN old.created_at > excluded.created_at - $6::bigint THEN old.made_id ELSE excluded.made_id END,
            created_at = CASE WHEN old.created_at > excluded.created_at - $6::bigint THEN old.created_at ELSE excluded.created_at END";
/// Rows that another transaction writes at this moment are left for the next call,
/// so that this statement never waits.
const DELETE_EXPIRED: &str = "
    WITH old AS MATERIALIZED (
        SELECT key_id, key FROM idempotency_keys WHERE created_at <= $1
        ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys AS kept USING old WHERE kept.key_id = old.key_id AND kept.key = old.key";

/// One statement for any number of pets, no two of one key: one round trip, one
/// transaction. A key that was seen to be used draws no id, and its row is
/// written as it was, also where it was deleted meanwhile by a server whose
/// clock is ahead; one that turns out to be used while this runs comes back with
/// the id of its own pet.
fn insert() -> String {
    let (names, arrays) = (names::<Pet, _>(), array_placeholders::<Pet, _>(7));
    format!(
        "
        WITH given AS MATERIALIZED (
            SELECT wanted.*, used.key IS NULL AS is_free, COALESCE(used.made_id, nextval('pet_ids')) AS id,
                COALESCE(used.fingerprint, wanted.fingerprint) AS first, COALESCE(used.created_at, wanted.created_at) AS since
            FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[], {arrays})
                WITH ORDINALITY AS wanted (key_id, key, fingerprint, created_at, lock, {names}, place)
            LEFT JOIN idempotency_keys AS used ON used.key_id = wanted.key_id AND used.key = wanted.key
                AND used.created_at > wanted.created_at - $6::bigint
            WHERE pg_try_advisory_xact_lock(lock)
        ), kept AS (
            INSERT INTO idempotency_keys AS old (key_id, key, fingerprint, made_id, created_at)
            SELECT key_id, key, first, id, since FROM given
            {KEEP}
            RETURNING key_id, key, fingerprint, made_id
        ), outcomes AS (
            SELECT given.*, kept.made_id, is_free AND kept.made_id = given.id AS is_new, kept.fingerprint = given.fingerprint AS is_same
            FROM given JOIN kept ON kept.key_id = given.key_id AND kept.key = given.key
        ), stored AS (
            INSERT INTO pets (id, {names}) SELECT id, {names} FROM outcomes WHERE is_new
        )
        SELECT place, made_id, is_new, is_same FROM outcomes"
    )
}

/// Prepares the statement of [`insert_all`].
pub(super) async fn prepare_insert(db: &Client) -> Result<Statement, Error> {
    db.prepare(&insert()).await
}

/// Stores all pets whose keys are new in one transaction, or each in its own as
/// [`together_or_alone`] does. Of several with one key the first is stored, and the
/// others return what became of it.
pub(super) async fn insert_all(
    db: &Session,
    insert: &Statement,
    creations: &[OnceOnly<NewPet>],
) -> Vec<Result<Creation, StoreError>> {
    let (firsts, places) = firsts(creations);
    let insert = |firsts| insert_together(db, insert, firsts);
    let outcomes = together_or_alone(&firsts, insert).await;
    let outcome_of = |(creation, place): (&OnceOnly<NewPet>, usize)| {
        let (first, outcome) = (firsts[place], &outcomes[place]);
        if std::ptr::eq(first, creation) {
            return outcome.clone();
        }
        Ok(match outcome.clone()? {
            Creation::Added(pet) | Creation::Repeated(pet) => {
                if first.fingerprint == creation.fingerprint {
                    Creation::Repeated(pet)
                } else {
                    Creation::KeyReused
                }
            }
            // The row is of another value than the first's, and may be of
            // this one's.
            Creation::KeyReused | Creation::InFlight => Creation::InFlight,
        })
    };
    creations.iter().zip(places).map(outcome_of).collect()
}

/// The first creation of each key, and for each creation at which place among
/// them its key is.
fn firsts<V>(creations: &[OnceOnly<V>]) -> (Vec<&OnceOnly<V>>, Vec<usize>) {
    let mut firsts = Vec::with_capacity(creations.len());
    let mut known = HashMap::with_capacity(creations.len());
    let places = creations.iter().map(|creation| {
        let key = (&creation.once.key_id, &creation.once.key);
        match known.entry(key) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(free) => {
                firsts.push(creation);
                *free.insert(firsts.len() - 1)
            }
        }
    });
    let places = places.collect();
    (firsts, places)
}

async fn insert_together(
    db: &Session,
    insert: &Statement,
    creations: &[&OnceOnly<NewPet>],
) -> Result<Vec<Creation>, StoreError> {
    let keys: Vec<Key<'_>> = creations.iter().map(|creation| Key::of(creation)).collect();
    let key_ids: Vec<&str> = keys.iter().map(|key| key.key_id).collect();
    let fingerprints: Vec<&[u8]> = keys.iter().map(|key| key.fingerprint).collect();
    let times: Vec<i64> = keys.iter().map(|key| key.at).collect();
    let locks: Vec<i64> = keys.iter().map(|key| key.lock).collect();
    let keys: Vec<&str> = keys.iter().map(|key| key.key).collect();
    let arrays = arrays::<Pet, _>(creations.iter().map(|creation| &creation.value));
    let mut parameters: Vec<&(dyn ToSql + Sync)> =
        vec![&key_ids, &keys, &fingerprints, &times, &locks, &RETENTION];
    parameters.extend(arrays.iter().map(parameter));
    let rows = db
        .client()
        .query(insert, &parameters)
        .await
        .map_err(error::write_failed)?;
    let mut outcomes = vec![Creation::InFlight; creations.len()];
    for row in &rows {
        // The transaction is committed, so a row that cannot be read leaves
        // the outcome open.
        let (place, outcome) = outcome_of(row, creations)?;
        outcomes[place] = outcome;
    }
    Ok(outcomes)
}

/// The outcome in a row, and the place of its creation among all.
fn outcome_of(row: &Row, creations: &[&OnceOnly<NewPet>]) -> Result<(usize, Creation), StoreError> {
    let place: i64 = row.try_get(0).map_err(error::unknown)?;
    let id: i64 = row.try_get(1).map_err(error::unknown)?;
    let is_new: bool = row.try_get(2).map_err(error::unknown)?;
    let is_same: bool = row.try_get(3).map_err(error::unknown)?;
    // Places are counted from 1.
    let place = usize::try_from(place - 1).map_err(error::unknown)?;
    let creation = creations
        .get(place)
        .ok_or_else(|| error::unknown(Unreadable::Ids))?;
    let pet = pet_with_id(id, &creation.value);
    Ok((
        place,
        match (is_new, is_same) {
            (true, _) => Creation::Added(pet),
            (false, true) => Creation::Repeated(pet),
            (false, false) => Creation::KeyReused,
        },
    ))
}

/// How long a key counts, in microseconds.
const RETENTION: i64 = retention_micros();

/// A key as the statements take it.
pub(super) struct Key<'creation> {
    key_id: &'creation str,
    key: &'creation str,
    fingerprint: &'creation [u8],
    /// In microseconds since 1970-01-01T00:00:00Z.
    at: i64,
    /// The number of its lock. Two keys with one number would only wait for
    /// each other.
    lock: i64,
}

impl<'creation> Key<'creation> {
    pub(super) fn of<V: Creatable>(creation: &'creation OnceOnly<V>) -> Self {
        let (key_id, key) = (creation.once.key_id.as_str(), creation.once.key.as_str());
        let mut hash = Sha256::new();
        hash.update(key_id);
        hash.update("\n");
        hash.update(key);
        let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hash.finalize().into();
        Self {
            key_id,
            key,
            fingerprint: creation.fingerprint.as_bytes(),
            at: creation.at(),
            lock: i64::from_be_bytes([a, b, c, d, e, f, g, h]),
        }
    }

    /// The first parameters of a statement with a key, `$1` to `$6`.
    pub(super) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        let Self {
            key_id,
            key,
            fingerprint,
            at,
            lock,
        } = self;
        vec![key_id, key, fingerprint, at, lock, &RETENTION]
    }
}

/// Deletes some of the expired keys, and returns how many.
pub(super) async fn delete_expired(
    db: &Session,
    now: DateTime<Utc>,
    limit: usize,
) -> Result<usize, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let deleted = db
        .client()
        .execute(DELETE_EXPIRED, &[&expired_at(now), &limit])
        .await
        .map_err(error::write_failed)?;
    usize::try_from(deleted).map_err(error::unknown)
}

//! The SQL of creations that happen once.
//!
//! # Two servers, one key
//!
//! A creation first takes an advisory lock of its key, without waiting: where
//! another transaction has it, the creation is [`Creation::InFlight`] and the
//! others of its batch go on. Who has the lock inserts a row for the key. Where
//! there is one, it stays, but is written again: so the answer of a repeated
//! creation, too, waits until it is as durable as a commit can be, even if the
//! first commit was cut off before its replica had it.

use super::{
    error::{self, Unreadable},
    session::Session,
};
use crate::{
    StoreError,
    idempotency::{Creatable, Creation, OnceOnly, expired_at, retention_micros},
};
use chrono::{DateTime, Utc};
use futures::future::join_all;
use petstore_models::{NewPet, PetStatus};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, hash_map::Entry};
use tokio_postgres::{Client, Error, Row, Statement};

/// What becomes of the row of a key that is there already, named `old`: kept if
/// it counts, replaced if it is too old and not deleted yet. `$9` is how long a
/// key counts, in microseconds.
pub(super) const KEEP: &str = "
        ON CONFLICT (key_id, key) DO UPDATE SET
            fingerprint = CASE WHEN old.created_at > excluded.created_at - $9::bigint THEN old.fingerprint ELSE excluded.fingerprint END,
            made_id = CASE WHEN old.created_at > excluded.created_at - $9::bigint THEN old.made_id ELSE excluded.made_id END,
            created_at = CASE WHEN old.created_at > excluded.created_at - $9::bigint THEN old.created_at ELSE excluded.created_at END";
/// One statement for any number of pets, no two of one key: one round trip, one
/// transaction. A key that was seen to be used draws no id, and its row is
/// written as it was, also where it was deleted meanwhile by a server whose
/// clock is ahead; one that turns out to be used while this runs comes back with
/// the id of its own pet.
const INSERT: &str = "
    WITH given AS MATERIALIZED (
        SELECT asked.*, used.key IS NULL AS is_free, COALESCE(used.made_id, nextval('pet_ids')) AS id,
            COALESCE(used.fingerprint, asked.fingerprint) AS first, COALESCE(used.created_at, asked.created_at) AS since
        FROM unnest($1::bytea[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bigint[], $8::bigint[])
            WITH ORDINALITY AS asked (name, category_id, status, key_id, key, fingerprint, created_at, lock, place)
        LEFT JOIN idempotency_keys AS used ON used.key_id = asked.key_id AND used.key = asked.key
            AND used.created_at > asked.created_at - $9::bigint
        WHERE pg_try_advisory_xact_lock(lock)
    ), kept AS (
        INSERT INTO idempotency_keys AS old (key_id, key, fingerprint, made_id, created_at)
        SELECT key_id, key, first, id, since FROM given
        {KEEP}
        RETURNING key_id, key, fingerprint, made_id
    ), answered AS (
        SELECT given.*, kept.made_id, is_free AND kept.made_id = given.id AS is_new, kept.fingerprint = given.fingerprint AS is_same
        FROM given JOIN kept ON kept.key_id = given.key_id AND kept.key = given.key
    ), stored AS (
        INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM answered WHERE is_new
    )
    SELECT place, made_id, is_new, is_same FROM answered";
/// Rows that somebody writes at this moment are left for the next time, so that
/// nobody waits for nobody.
const FORGET: &str = "
    WITH old AS MATERIALIZED (
        SELECT key_id, key FROM idempotency_keys WHERE created_at <= $1
        ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys AS kept USING old WHERE kept.key_id = old.key_id AND kept.key = old.key";

/// Prepares the statement of [`insert_all`].
pub(super) async fn prepare_insert(db: &Client) -> Result<Statement, Error> {
    db.prepare(&INSERT.replace("{KEEP}", KEEP)).await
}

/// Stores all pets whose keys are new in one transaction. If the database
/// refuses one of them, they are stored again, each in a transaction of its own
/// but still in one round trip, so that it fails alone. Of several with one key
/// the first is stored, and the others are answered by what became of it.
pub(super) async fn insert_all(
    db: &Session,
    insert: &Statement,
    asked: &[OnceOnly<NewPet>],
) -> Vec<Result<Creation, StoreError>> {
    let (firsts, places) = firsts(asked);
    let outcomes = match insert_together(db, insert, &firsts).await {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        Err(refused @ StoreError::Internal { .. }) if firsts.len() > 1 => {
            tracing::warn!(
                pets = firsts.len(),
                cause = error::cause(&refused),
                "a batch of pets is stored one by one"
            );
            let alone = firsts
                .chunks(1)
                .map(|first| insert_together(db, insert, first));
            join_all(alone).await.into_iter().map(only).collect()
        }
        Err(shared) => vec![Err(shared); firsts.len()],
    };
    let answer = |(asked, place): (&OnceOnly<NewPet>, usize)| -> Result<Creation, StoreError> {
        let (first, outcome) = (firsts[place], &outcomes[place]);
        if std::ptr::eq(first, asked) {
            return outcome.clone();
        }
        Ok(match outcome.clone()? {
            Creation::Added(pet) | Creation::Repeated(pet) => {
                if first.fingerprint == asked.fingerprint {
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
    asked.iter().zip(places).map(answer).collect()
}

/// The first creation of each key, and for each creation at which place among
/// them its key is.
fn firsts<V>(asked: &[OnceOnly<V>]) -> (Vec<&OnceOnly<V>>, Vec<usize>) {
    let mut firsts = Vec::with_capacity(asked.len());
    let mut found = HashMap::with_capacity(asked.len());
    let places = asked.iter().map(|asked| {
        let key = (&asked.once.key_id, &asked.once.key);
        match found.entry(key) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(free) => {
                firsts.push(asked);
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
    asked: &[&OnceOnly<NewPet>],
) -> Result<Vec<Creation>, StoreError> {
    let names: Vec<&[u8]> = asked.iter().map(|one| one.value.name.as_bytes()).collect();
    let categories: Vec<i64> = asked.iter().map(|one| one.value.category_id).collect();
    let statuses: Vec<Option<&str>> = asked
        .iter()
        .map(|one| one.value.status.map(PetStatus::as_str))
        .collect();
    let keys: Vec<Key<'_>> = asked.iter().map(|one| Key::of(one)).collect();
    let key_ids: Vec<&str> = keys.iter().map(|key| key.key_id).collect();
    let fingerprints: Vec<&[u8]> = keys.iter().map(|key| key.fingerprint).collect();
    let times: Vec<i64> = keys.iter().map(|key| key.at).collect();
    let locks: Vec<i64> = keys.iter().map(|key| key.lock).collect();
    let keys: Vec<&str> = keys.iter().map(|key| key.key).collect();
    let rows = db
        .client()
        .query(
            insert,
            &[
                &names,
                &categories,
                &statuses,
                &key_ids,
                &keys,
                &fingerprints,
                &times,
                &locks,
                &retention_micros(),
            ],
        )
        .await
        .map_err(error::write_failed)?;
    let mut outcomes = vec![Creation::InFlight; asked.len()];
    for row in &rows {
        // The transaction is committed, so a row that cannot be read leaves
        // the outcome open.
        let (place, outcome) = outcome_of(row, asked)?;
        outcomes[place] = outcome;
    }
    Ok(outcomes)
}

/// What a row says of one of those who asked, and of which.
fn outcome_of(row: &Row, asked: &[&OnceOnly<NewPet>]) -> Result<(usize, Creation), StoreError> {
    let place: i64 = row.try_get(0).map_err(error::unknown)?;
    let id: i64 = row.try_get(1).map_err(error::unknown)?;
    let is_new: bool = row.try_get(2).map_err(error::unknown)?;
    let is_same: bool = row.try_get(3).map_err(error::unknown)?;
    // Places are counted from 1.
    let place = usize::try_from(place - 1).map_err(error::unknown)?;
    let one = asked
        .get(place)
        .ok_or_else(|| error::unknown(Unreadable::Ids))?;
    // A pet does not tell when it was added.
    let pet = one.value.made(id, 0).map_err(error::unknown)?;
    Ok((
        place,
        match (is_new, is_same) {
            (true, _) => Creation::Added(pet),
            (false, true) => Creation::Repeated(pet),
            (false, false) => Creation::KeyReused,
        },
    ))
}

fn only(outcomes: Result<Vec<Creation>, StoreError>) -> Result<Creation, StoreError> {
    outcomes?
        .pop()
        .ok_or_else(|| error::unknown(Unreadable::Ids))
}

/// A key as the statements are given it.
pub(super) struct Key<'asked> {
    pub(super) key_id: &'asked str,
    pub(super) key: &'asked str,
    pub(super) fingerprint: &'asked [u8],
    /// In microseconds since 1970-01-01T00:00:00Z.
    pub(super) at: i64,
    /// In microseconds.
    pub(super) retention: i64,
    /// The number of its lock. Two keys with one number would only wait for
    /// each other.
    pub(super) lock: i64,
}

impl<'asked> Key<'asked> {
    pub(super) fn of<V: Creatable>(asked: &'asked OnceOnly<V>) -> Self {
        let (key_id, key) = (asked.once.key_id.as_str(), asked.once.key.as_str());
        let mut hash = Sha256::new();
        hash.update(key_id);
        hash.update("\n");
        hash.update(key);
        let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hash.finalize().into();
        Self {
            key_id,
            key,
            fingerprint: asked.fingerprint.as_bytes(),
            at: asked.at(),
            retention: retention_micros(),
            lock: i64::from_be_bytes([a, b, c, d, e, f, g, h]),
        }
    }
}

/// Deletes some of the keys that are too old, and says how many.
pub(super) async fn forget(
    db: &Session,
    now: DateTime<Utc>,
    limit: usize,
) -> Result<usize, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let deleted = db
        .client()
        .execute(FORGET, &[&expired_at(now), &limit])
        .await
        .map_err(error::write_failed)?;
    usize::try_from(deleted).map_err(error::unknown)
}

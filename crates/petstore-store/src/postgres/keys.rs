//! The SQL of API keys. Every statement is a transaction of its own.

use super::{
    error::{self, Unreadable},
    records::text_of,
    session::Session,
};
use crate::{KeyHash, KeyId, KeyRecord, NewKey, Revocation, StoreError};
use chrono::{DateTime, Utc};
use tokio_postgres::{Client, Error, Row, Statement, error::SqlState};

const INSERT: &str = "INSERT INTO api_keys (id, name, hash, created_at) VALUES ($1, $2, $3, $4)";
/// Two servers may both find no key, since neither sees what the other has not
/// committed; then the second waits at the index `one_first_key` for the first
/// and does nothing.
const INSERT_FIRST: &str = "
    INSERT INTO api_keys (id, name, hash, created_at, is_first)
    SELECT $1, $2, $3, $4, true WHERE NOT EXISTS (SELECT 1 FROM api_keys)
    ON CONFLICT DO NOTHING";
const ALL: &str =
    "SELECT id, name, created_at, last_used_at, revoked_at FROM api_keys ORDER BY created_at, id";
const ANY: &str = "SELECT EXISTS (SELECT 1 FROM api_keys)";
const FIND: &str = "SELECT id, hash FROM api_keys WHERE hash = $1 AND revoked_at IS NULL";
const REVOKE: &str = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
const REVOKED_AT: &str = "SELECT revoked_at FROM api_keys WHERE id = $1";

/// The prepared statements of a connection that reads.
pub(super) struct KeyReads {
    all: Statement,
    any: Statement,
    find: Statement,
}

impl KeyReads {
    pub(super) async fn prepare(db: &Client) -> Result<Self, Error> {
        let (all, any, find) =
            tokio::try_join!(db.prepare(ALL), db.prepare(ANY), db.prepare(FIND))?;
        Ok(Self { all, any, find })
    }

    pub(super) async fn all(&self, db: &Client) -> Result<Vec<Row>, Error> {
        db.query(&self.all, &[]).await
    }

    pub(super) async fn any(&self, db: &Client) -> Result<Row, Error> {
        db.query_one(&self.any, &[]).await
    }

    pub(super) async fn find(&self, db: &Client, hash: KeyHash) -> Result<Option<Row>, Error> {
        db.query_opt(&self.find, &[&hash.as_bytes().as_slice()])
            .await
    }
}

/// The index finds the one candidate; how long that takes tells something of a
/// hash at most, and no hash leads back to a key. Whether the candidate counts
/// is decided in constant time.
pub(super) fn confirmed(row: &Row, hash: &KeyHash) -> Result<Option<KeyId>, StoreError> {
    let stored: Vec<u8> = row.try_get(1).map_err(error::unreadable)?;
    let stored = <[u8; 32]>::try_from(stored).map_err(|_| error::unreadable(Unreadable::Hash))?;
    if KeyHash::new(stored) == *hash {
        id_of(row, 0).map(Some)
    } else {
        Ok(None)
    }
}

pub(super) fn record_of(row: &Row) -> Result<KeyRecord, StoreError> {
    Ok(KeyRecord {
        id: id_of(row, 0)?,
        name: text_of(row, 1)?,
        created_at: time_of(row.try_get(2).map_err(error::unreadable)?)?,
        last_used_at: any_time_of(row, 3)?,
        revoked_at: any_time_of(row, 4)?,
    })
}

fn id_of(row: &Row, column: usize) -> Result<KeyId, StoreError> {
    let id: &str = row.try_get(column).map_err(error::unreadable)?;
    id.parse().map_err(error::unreadable)
}

fn any_time_of(row: &Row, column: usize) -> Result<Option<DateTime<Utc>>, StoreError> {
    let micros: Option<i64> = row.try_get(column).map_err(error::unreadable)?;
    micros.map(time_of).transpose()
}

pub(super) fn time_of(micros: i64) -> Result<DateTime<Utc>, StoreError> {
    DateTime::from_timestamp_micros(micros)
        .ok_or_else(|| error::unreadable(Unreadable::Time(micros)))
}

pub(super) async fn insert(db: &Session, key: &NewKey) -> Result<(), StoreError> {
    match insert_by(db, INSERT, key).await {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
            Err(StoreError::KeyExists)
        }
        Err(error) => Err(error::write_failed(error)),
    }
}

/// Whether the key was the first and is in the store now.
pub(super) async fn insert_first(db: &Session, key: &NewKey) -> Result<bool, StoreError> {
    insert_by(db, INSERT_FIRST, key)
        .await
        .map(|rows| rows == 1)
        .map_err(error::write_failed)
}

/// Not prepared with the connection, as keys are written a few times a year.
async fn insert_by(db: &Session, sql: &str, key: &NewKey) -> Result<u64, Error> {
    let NewKey {
        id,
        name,
        hash,
        created_at,
    } = key;
    let (name, hash) = (name.as_bytes(), hash.as_bytes().as_slice());
    let statement = db.client().prepare(sql).await?;
    db.client()
        .execute(
            &statement,
            &[&id.as_str(), &name, &hash, &created_at.timestamp_micros()],
        )
        .await
}

/// Keys are never deleted and never become valid again, so nothing can come
/// between the two statements.
pub(super) async fn revoke(
    db: &Session,
    id: &str,
    at: DateTime<Utc>,
) -> Result<Revocation, StoreError> {
    let revoked = db
        .client()
        .execute(REVOKE, &[&id, &at.timestamp_micros()])
        .await;
    if revoked.map_err(error::write_failed)? == 1 {
        return Ok(Revocation::Revoked);
    }
    let found = db
        .client()
        .query_opt(REVOKED_AT, &[&id])
        .await
        .map_err(error::read_failed)?;
    let before = match found {
        None => None,
        Some(row) => row
            .try_get::<_, Option<i64>>(0)
            .map_err(error::unreadable)?,
    };
    Ok(match before {
        None => Revocation::Unknown,
        Some(micros) => Revocation::AlreadyRevoked(time_of(micros)?),
    })
}

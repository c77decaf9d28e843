//! Stores pets and keys in SQLite with sqlx.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::{
    FromRow, SqlitePool, Type,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{fmt, time::Duration};

/// The tables of the service's own store, with a plain index. With the partial index of the
/// service, SQLite would prepare the query of a filtered page each time; the option that prevents
/// this is not available in sqlx.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS pets (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        name        TEXT    NOT NULL,
        category_id INTEGER NOT NULL,
        status      TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status);
    CREATE TABLE IF NOT EXISTS api_keys (
        hash       BLOB PRIMARY KEY,
        revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;";

/// The pets that the example `seed` of petstore-store generates.
const SEED: &str = "
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
    INSERT INTO pets (name, category_id, status)
    SELECT printf('pet number %d', n), n % 1000,
        CASE WHEN n % max(?1 / 25, 1) = 0 THEN 'sold' WHEN n % 4 = 1 THEN 'available' WHEN n % 4 = 2 THEN 'pending' END
    FROM numbers";

const KNOWS: &str = "SELECT EXISTS (SELECT 1 FROM api_keys WHERE hash = ?1 AND revoked_at IS NULL)";
const INSERT: &str = "INSERT INTO pets (name, category_id, status) VALUES (?1, ?2, ?3)";
const GET: &str = "SELECT name, category_id, status, id FROM pets WHERE id = ?1";
const PAGE: &str =
    "SELECT name, category_id, status, id FROM pets WHERE id > ?1 ORDER BY id LIMIT ?2";
const PAGE_OF_STATUS: &str = "SELECT name, category_id, status, id FROM pets WHERE status = ?3 AND id > ?1 ORDER BY id LIMIT ?2";

#[derive(Clone, Copy, Deserialize, Serialize, Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub(crate) enum Status {
    Available,
    Pending,
    Sold,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Available => "available",
            Status::Pending => "pending",
            Status::Sold => "sold",
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewPet {
    name: String,
    category_id: i64,
    status: Option<Status>,
}

#[derive(FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pet {
    name: String,
    category_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    pub(crate) id: i64,
}

#[derive(Clone)]
pub(crate) struct Store {
    readers: SqlitePool,
    /// One connection: SQLite allows one write at a time, and further writes wait in the
    /// queue of this pool.
    writer: SqlitePool,
}

impl Store {
    pub(crate) async fn open(file: &str) -> sqlx::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(5));
        let pool = |connections| {
            SqlitePoolOptions::new()
                .max_connections(connections)
                .min_connections(connections)
                // A connection to a file does not become stale.
                .test_before_acquire(false)
        };
        let writer = pool(1).connect_with(options.clone()).await?;
        sqlx::raw_sql(TABLES).execute(&writer).await?;
        // This is the default number of connections of sqlx. With one connection for each
        // processor, lists are slower by a third, because the pool passes each connection from one
        // request to the next.
        let readers = pool(10).connect_with(options).await?;
        Ok(Self { readers, writer })
    }

    /// Fills an empty store with pets and one key.
    pub(crate) async fn seed(&self, pets: i64, key: &str) -> sqlx::Result<()> {
        let hash = Sha256::digest(key);
        sqlx::query(SEED).bind(pets).execute(&self.writer).await?;
        sqlx::query("INSERT INTO api_keys (hash) VALUES (?1)")
            .bind(&hash[..])
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    pub(crate) async fn close(self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    pub(crate) async fn knows(&self, key: &str) -> sqlx::Result<bool> {
        let hash = Sha256::digest(key);
        sqlx::query_scalar(KNOWS)
            .bind(&hash[..])
            .fetch_one(&self.readers)
            .await
    }

    pub(crate) async fn page(
        &self,
        after: i64,
        status: Option<Status>,
        rows: i64,
    ) -> sqlx::Result<Vec<Pet>> {
        let query = match status {
            None => sqlx::query_as(PAGE).bind(after).bind(rows),
            Some(status) => sqlx::query_as(PAGE_OF_STATUS)
                .bind(after)
                .bind(rows)
                .bind(status),
        };
        query.fetch_all(&self.readers).await
    }

    pub(crate) async fn pet(&self, id: i64) -> sqlx::Result<Option<Pet>> {
        sqlx::query_as(GET)
            .bind(id)
            .fetch_optional(&self.readers)
            .await
    }

    pub(crate) async fn create(&self, pet: NewPet) -> sqlx::Result<Pet> {
        let NewPet {
            name,
            category_id,
            status,
        } = pet;
        let done = sqlx::query(INSERT)
            .bind(&name)
            .bind(category_id)
            .bind(status)
            .execute(&self.writer)
            .await?;
        Ok(Pet {
            name,
            category_id,
            status,
            id: done.last_insert_rowid(),
        })
    }
}

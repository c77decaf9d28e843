//! The stores of the comparison services on axum and sqlx, which are written as usual: sqlx's
//! default pool, one commit for each creation, and a look-up of the key for each request, so that a
//! revoked key is rejected at once.
//!
//! On SQLite, the store has a write-ahead log and `synchronous=FULL`. It has a pool for reads and
//! one connection for writes, so that no write finds the database locked. It uses prepared
//! statements and pages by key with an index.

use anyhow::Result;
use petstore_bench_axum::{NewPet, Pet, Status, key_hash};
use sqlx::{
    Database, Pool, Postgres, Sqlite,
    postgres::PgPoolOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::time::Duration;

/// sqlx's default number of connections. With one connection for each processor, lists on SQLite
/// are slower by a third, because the pool passes each connection from one request to the next.
const CONNECTIONS: u32 = 10;

const KNOWS: &str = "SELECT EXISTS (SELECT 1 FROM api_keys WHERE hash = $1 AND revoked_at IS NULL)";
const GET: &str = "SELECT name, category_id, status, id FROM pets WHERE id = $1";
const PAGE: &str =
    "SELECT name, category_id, status, id FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
const PAGE_OF_STATUS: &str = "SELECT name, category_id, status, id FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2";
const SQLITE_INSERT: &str = "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3)";
const POSTGRES_INSERT: &str =
    "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id";

/// A store on one of the two databases.
#[derive(Debug)]
pub struct Store<D: Database> {
    readers: Pool<D>,
    /// On SQLite, one connection: SQLite allows one write at a time, and further writes wait in the
    /// queue of this pool. On PostgreSQL, the same pool.
    writer: Pool<D>,
}

impl Store<Sqlite> {
    async fn connect(file: &str) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(file)
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
        let readers = pool(CONNECTIONS).connect_with(options).await?;
        Ok(Self { readers, writer })
    }

    async fn insert(&self, pet: &NewPet) -> Result<i64> {
        let insert = sqlx::query(SQLITE_INSERT)
            .bind(&pet.name)
            .bind(pet.category_id)
            .bind(pet.status);
        Ok(insert.execute(&self.writer).await?.last_insert_rowid())
    }
}

impl Store<Postgres> {
    async fn connect(url: &str) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS);
        let pool = pool.connect(url).await?;
        Ok(Self {
            readers: pool.clone(),
            writer: pool,
        })
    }

    async fn insert(&self, pet: &NewPet) -> Result<i64> {
        let insert = sqlx::query_scalar(POSTGRES_INSERT)
            .bind(&pet.name)
            .bind(pet.category_id)
            .bind(pet.status);
        Ok(insert.fetch_one(&self.writer).await?)
    }
}

/// The rest of a store has the same text for both databases. As generic code, it would need a long
/// list of bounds.
macro_rules! store {
    ($database:ty) => {
        impl petstore_bench_axum::Store for Store<$database> {
            async fn open(database: &str) -> Result<Self> {
                Self::connect(database).await
            }

            async fn knows(&self, key: &str) -> Result<bool> {
                let hash = key_hash(key);
                let knows = sqlx::query_scalar(KNOWS).bind(&hash[..]);
                Ok(knows.fetch_one(&self.readers).await?)
            }

            async fn page(
                &self,
                after: i64,
                status: Option<Status>,
                rows: i64,
            ) -> Result<Vec<Pet>> {
                let query = match status {
                    None => sqlx::query_as(PAGE).bind(after).bind(rows),
                    Some(status) => sqlx::query_as(PAGE_OF_STATUS)
                        .bind(after)
                        .bind(rows)
                        .bind(status),
                };
                Ok(query.fetch_all(&self.readers).await?)
            }

            async fn pet(&self, id: i64) -> Result<Option<Pet>> {
                let query = sqlx::query_as(GET).bind(id);
                Ok(query.fetch_optional(&self.readers).await?)
            }

            async fn create(&self, pet: NewPet) -> Result<Pet> {
                let id = self.insert(&pet).await?;
                Ok(pet.with_id(id))
            }
        }
    };
}

store!(Sqlite);
store!(Postgres);

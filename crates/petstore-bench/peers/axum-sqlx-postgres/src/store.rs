//! Stores pets and keys in PostgreSQL with sqlx.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::{
    FromRow, PgPool, Type,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::fmt;

/// The tables of the service's own store, and a plain index.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS pets (
        id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name        text   NOT NULL,
        category_id bigint NOT NULL,
        status      text
    );
    CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
    CREATE TABLE IF NOT EXISTS api_keys (
        hash       bytea PRIMARY KEY,
        revoked_at timestamptz
    )";

/// The pets that the example `seed` of petstore-store generates.
const SEED: &str = "
    INSERT INTO pets (name, category_id, status)
    SELECT 'pet number ' || n, n % 1000,
        CASE WHEN n % greatest($1 / 25, 1) = 0 THEN 'sold' WHEN n % 4 = 1 THEN 'available' WHEN n % 4 = 2 THEN 'pending' END
    FROM generate_series(1, $1) AS n ORDER BY n";

const KNOWS: &str = "SELECT EXISTS (SELECT 1 FROM api_keys WHERE hash = $1 AND revoked_at IS NULL)";
const INSERT: &str =
    "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id";
const GET: &str = "SELECT name, category_id, status, id FROM pets WHERE id = $1";
const PAGE: &str =
    "SELECT name, category_id, status, id FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
const PAGE_OF_STATUS: &str = "SELECT name, category_id, status, id FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2";

#[derive(Clone, Copy, Deserialize, Serialize, Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
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
    pool: PgPool,
}

impl Store {
    /// Opens a pool with sqlx's default number of connections, 10.
    pub(crate) async fn open(url: &str) -> sqlx::Result<Self> {
        let options: PgConnectOptions = url.parse()?;
        let pool = PgPoolOptions::new().connect_with(options).await?;
        sqlx::raw_sql(TABLES).execute(&pool).await?;
        Ok(Self { pool })
    }

    /// Fills an empty store with pets and one key.
    pub(crate) async fn seed(&self, pets: i64, key: &str) -> sqlx::Result<()> {
        let hash = Sha256::digest(key);
        sqlx::query(SEED).bind(pets).execute(&self.pool).await?;
        sqlx::query("INSERT INTO api_keys (hash) VALUES ($1)")
            .bind(&hash[..])
            .execute(&self.pool)
            .await?;
        sqlx::raw_sql("VACUUM ANALYZE pets")
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    pub(crate) async fn close(self) {
        self.pool.close().await;
    }

    pub(crate) async fn knows(&self, key: &str) -> sqlx::Result<bool> {
        let hash = Sha256::digest(key);
        sqlx::query_scalar(KNOWS)
            .bind(&hash[..])
            .fetch_one(&self.pool)
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
        query.fetch_all(&self.pool).await
    }

    pub(crate) async fn pet(&self, id: i64) -> sqlx::Result<Option<Pet>> {
        sqlx::query_as(GET)
            .bind(id)
            .fetch_optional(&self.pool)
            .await
    }

    pub(crate) async fn create(&self, pet: NewPet) -> sqlx::Result<Pet> {
        let NewPet {
            name,
            category_id,
            status,
        } = pet;
        let id = sqlx::query_scalar(INSERT)
            .bind(&name)
            .bind(category_id)
            .bind(status)
            .fetch_one(&self.pool)
            .await?;
        Ok(Pet {
            name,
            category_id,
            status,
            id,
        })
    }
}

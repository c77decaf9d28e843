//! Stores pets and keys in SQLite with rusqlite. Each thread reads on its own connection, and one
//! thread writes all waiting creations in one transaction.

use rusqlite::{
    Connection, OptionalExtension as _, Row, ToSql, params,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{
    cell::RefCell,
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, oneshot};

/// The tables of the service's own store.
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

/// The highest number of writes in one transaction.
const BATCH: usize = 256;
/// The highest number of waiting writes.
const QUEUE: usize = 1024;
/// How long a key is cached.
const BELIEVED: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Available,
    Pending,
    Sold,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Available => "available",
            Status::Pending => "pending",
            Status::Sold => "sold",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ToSql for Status {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let all = [Status::Available, Status::Pending, Status::Sold];
        let name = value.as_str()?;
        let found = all.into_iter().find(|status| status.name() == name);
        found.ok_or(FromSqlError::InvalidType)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewPet {
    pub(crate) name: String,
    pub(crate) category_id: i64,
    pub(crate) status: Option<Status>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pet {
    pub(crate) name: String,
    pub(crate) category_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Status>,
    pub(crate) id: i64,
}

impl Pet {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            name: row.get(0)?,
            category_id: row.get(1)?,
            status: row.get(2)?,
            id: row.get(3)?,
        })
    }
}

/// A creation and the request that waits for it.
struct Write {
    pet: NewPet,
    caller: oneshot::Sender<Result<Pet, Problem>>,
}

/// What can go wrong in the store.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error(transparent)]
    Sqlite(#[from] Arc<rusqlite::Error>),
    #[error("the thread that writes has ended")]
    NoWriter,
    #[error("too many writes wait")]
    Busy,
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

thread_local! {
    /// The connection on which this thread reads.
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

#[derive(Clone)]
pub(crate) struct Store {
    file: Arc<PathBuf>,
    writes: mpsc::Sender<Write>,
    /// The cached keys, with the time until which each is valid.
    keys: Arc<RwLock<HashMap<String, Instant>>>,
}

impl Store {
    pub(crate) fn open(file: &str) -> anyhow::Result<Self> {
        let writer = connect(file)?;
        writer.execute_batch(TABLES)?;
        let (writes, queue) = mpsc::channel(QUEUE);
        thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || write_all(writer, queue))?;
        Ok(Self {
            file: Arc::new(file.into()),
            writes,
            keys: Arc::default(),
        })
    }

    /// Fills an empty store with pets and one key.
    pub(crate) fn seed(file: &str, pets: i64, key: &str) -> anyhow::Result<()> {
        let db = connect(file)?;
        db.execute_batch(TABLES)?;
        db.execute(SEED, [pets])?;
        let hash = Sha256::digest(key);
        db.execute("INSERT INTO api_keys (hash) VALUES (?1)", [&hash[..]])?;
        Ok(())
    }

    /// Reads on the connection of this thread. A read takes microseconds, which is less than
    /// passing it to a thread that may block.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Problem> {
        READER.with_borrow_mut(|reader| {
            let db = match reader {
                Some(db) => db,
                None => reader.insert(connect(&*self.file)?),
            };
            Ok(read(db)?)
        })
    }

    pub(crate) fn knows(&self, key: &str) -> Result<bool, Problem> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        if keys.get(key).is_some_and(|until| Instant::now() < *until) {
            return Ok(true);
        }
        drop(keys);
        let hash = Sha256::digest(key);
        let known = self.read(|db| {
            let mut knows = db.prepare_cached(KNOWS)?;
            knows.query_row([&hash[..]], |row| row.get(0))
        })?;
        if known {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            keys.insert(key.to_owned(), Instant::now() + BELIEVED);
        }
        Ok(known)
    }

    pub(crate) fn page(
        &self,
        after: i64,
        status: Option<Status>,
        rows: i64,
    ) -> Result<Vec<Pet>, Problem> {
        self.read(|db| match status {
            None => db
                .prepare_cached(PAGE)?
                .query_map([after, rows], Pet::read)?
                .collect(),
            Some(status) => db
                .prepare_cached(PAGE_OF_STATUS)?
                .query_map(params![after, rows, status], Pet::read)?
                .collect(),
        })
    }

    pub(crate) fn pet(&self, id: i64) -> Result<Option<Pet>, Problem> {
        self.read(|db| {
            db.prepare_cached(GET)?
                .query_row([id], Pet::read)
                .optional()
        })
    }

    pub(crate) async fn create(&self, pet: NewPet) -> Result<Pet, Problem> {
        let (caller, created) = oneshot::channel();
        let write = Write { pet, caller };
        self.writes.try_send(write).map_err(|_| Problem::Busy)?;
        created.await.map_err(|_| Problem::NoWriter)?
    }
}

fn connect(file: impl AsRef<Path>) -> rusqlite::Result<Connection> {
    let db = Connection::open(file)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "full")?;
    Ok(db)
}

/// Repeatedly writes all waiting creations in one transaction.
fn write_all(mut db: Connection, mut queue: mpsc::Receiver<Write>) {
    let mut writes = Vec::new();
    while let Some(first) = queue.blocking_recv() {
        writes.push(first);
        while writes.len() < BATCH {
            let Ok(next) = queue.try_recv() else { break };
            writes.push(next);
        }
        let ids = insert(&mut db, &writes).map_err(Problem::from);
        for (place, Write { pet, caller }) in writes.drain(..).enumerate() {
            let created = ids.as_ref().map_err(Clone::clone).map(|ids| Pet {
                name: pet.name,
                category_id: pet.category_id,
                status: pet.status,
                id: ids[place],
            });
            // The request may have ended before its creation was written.
            let _ = caller.send(created);
        }
    }
}

fn insert(db: &mut Connection, writes: &[Write]) -> rusqlite::Result<Vec<i64>> {
    let batch = db.transaction()?;
    let ids = writes.iter().map(|Write { pet, .. }| {
        let mut insert = batch.prepare_cached(INSERT)?;
        insert.insert(params![pet.name, pet.category_id, pet.status])
    });
    let ids = ids.collect::<rusqlite::Result<_>>()?;
    batch.commit()?;
    Ok(ids)
}

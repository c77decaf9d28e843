//! A comparison service of the benchmark: the pet store as an expert would write it in a week with
//! axum and rusqlite, on SQLite with a write-ahead log and `synchronous=FULL`. One thread writes all
//! waiting creations in one transaction, reads run on the thread that handles the request and on a
//! connection of that thread, and keys are cached for half a second.
//!
//! `seed FILE PETS KEY` creates the store of all comparison services on SQLite.

use anyhow::{Result, anyhow};
use petstore_bench_axum::{NewPet, Pet, Status, key_hash};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::{
    cell::RefCell,
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, oneshot};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The tables of the service's own store, with a plain index. With the partial index of the
/// service, SQLite would prepare the query of a filtered page each time; the option that prevents
/// this is not available in all libraries.
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

/// A creation and the request that waits for its pet or an error message.
struct Write {
    pet: NewPet,
    caller: oneshot::Sender<Result<Pet, String>>,
}

thread_local! {
    /// The connection on which this thread reads.
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

struct Store {
    file: PathBuf,
    writes: mpsc::Sender<Write>,
    /// The cached keys, with the time until which each is valid.
    keys: RwLock<HashMap<String, Instant>>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [seed, file, pets, key] if seed == "seed" => fill(Path::new(file), pets.parse()?, key),
        _ => petstore_bench_axum::run::<Store>().await,
    }
}

/// Creates a store with pets and one key.
fn fill(file: &Path, pets: i64, key: &str) -> Result<()> {
    let db = connect(file)?;
    db.execute_batch(TABLES)?;
    db.execute(SEED, [pets])?;
    db.execute("INSERT INTO api_keys (hash) VALUES (?1)", [key_hash(key)])?;
    Ok(())
}

impl Store {
    /// Reads on the connection of this thread. A read takes microseconds, which is less than
    /// passing it to a thread that may block.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        READER.with_borrow_mut(|reader| {
            let db = match reader {
                Some(db) => db,
                None => reader.insert(connect(&self.file)?),
            };
            Ok(read(db)?)
        })
    }
}

impl petstore_bench_axum::Store for Store {
    async fn open(file: &str) -> Result<Self> {
        let writer = connect(Path::new(file))?;
        let (writes, queue) = mpsc::channel(QUEUE);
        thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || write_all(writer, queue))?;
        Ok(Self {
            file: file.into(),
            writes,
            keys: RwLock::default(),
        })
    }

    async fn knows(&self, key: &str) -> Result<bool> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        if keys.get(key).is_some_and(|until| Instant::now() < *until) {
            return Ok(true);
        }
        drop(keys);
        let known = self.read(|db| {
            let mut knows = db.prepare_cached(KNOWS)?;
            knows.query_row([&key_hash(key)[..]], |row| row.get(0))
        })?;
        if known {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            keys.insert(key.to_owned(), Instant::now() + BELIEVED);
        }
        Ok(known)
    }

    async fn page(&self, after: i64, status: Option<Status>, rows: i64) -> Result<Vec<Pet>> {
        self.read(|db| match status {
            None => db
                .prepare_cached(PAGE)?
                .query_map([after, rows], pet)?
                .collect(),
            Some(status) => db
                .prepare_cached(PAGE_OF_STATUS)?
                .query_map(params![after, rows, status.name()], pet)?
                .collect(),
        })
    }

    async fn pet(&self, id: i64) -> Result<Option<Pet>> {
        self.read(|db| db.prepare_cached(GET)?.query_row([id], pet).optional())
    }

    async fn create(&self, pet: NewPet) -> Result<Pet> {
        let (caller, created) = oneshot::channel();
        let write = Write { pet, caller };
        let waits = self.writes.try_send(write);
        waits.map_err(|_| anyhow!("too many writes wait, or the thread that writes has ended"))?;
        created.await?.map_err(anyhow::Error::msg)
    }
}

fn pet(row: &Row<'_>) -> rusqlite::Result<Pet> {
    let status = row.get_ref(2)?.as_str_or_null()?;
    let named = |name: &str| Status::ALL.into_iter().find(|status| status.name() == name);
    Ok(Pet {
        name: row.get(0)?,
        category_id: row.get(1)?,
        status: status.and_then(named),
        id: row.get(3)?,
    })
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
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
        let ids = insert(&mut db, &writes).map_err(|error| error.to_string());
        for (place, Write { pet, caller }) in writes.drain(..).enumerate() {
            let created = ids.as_ref().map_err(Clone::clone);
            // The request may have ended before its creation was written.
            let _ = caller.send(created.map(|ids| pet.with_id(ids[place])));
        }
    }
}

fn insert(db: &mut Connection, writes: &[Write]) -> rusqlite::Result<Vec<i64>> {
    let batch = db.transaction()?;
    let ids = writes.iter().map(|Write { pet, .. }| {
        let mut insert = batch.prepare_cached(INSERT)?;
        insert.insert(params![
            pet.name,
            pet.category_id,
            pet.status.map(Status::name)
        ])
    });
    let ids = ids.collect::<rusqlite::Result<_>>()?;
    batch.commit()?;
    Ok(ids)
}

//! Creates a store with many pets, some hundred thousand pets a second. It writes to the file without
//! the service. Use it to test a large store; the example `growth` measures the cost of reads.
//!
//! ```text
//! cargo run --release -p petstore-store --example seed -- big.db 10000000
//! ```

use petstore_store::DatabaseUrl;
use rusqlite::{Connection, params};
use std::{env, error::Error, path::Path};

/// The number of pets in one transaction: large enough to be fast, small enough for memory.
const AT_ONCE: i64 = 500_000;
/// The number of pets with the rare status. It does not depend on the size of the store, and the pets
/// are spread over the store. So a page with this status has the same size in every store.
const FEW: i64 = 25;

/// The name, category and status of a pet depend only on its number, so each run creates the same store. Half of the
/// pets without the rare status have no status.
const INSERT: &str = "
    WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
    INSERT INTO pets (name, category_id, status)
    SELECT printf('pet number %d', n), n % 1000,
        CASE WHEN n % ?3 = 0 THEN 'sold' WHEN n % 4 = 1 THEN 'available' WHEN n % 4 = 2 THEN 'pending' END
    FROM numbers";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path, pets] = arguments.as_slice() else {
        return Err("pass a new file and the number of pets: seed FILE PETS".into());
    };
    let pets: i64 = pets.parse()?;
    if Path::new(path).exists() {
        return Err(format!("`{path}` already exists; pass a new file").into());
    }
    // Opening the store creates the tables.
    let store = petstore_store::open(&DatabaseUrl::SqliteFile(path.into())).await?;
    store.close().await?;

    let db = Connection::open(path)?;
    db.pragma_update(None, "synchronous", "normal")?;
    for first in (1..=pets).step_by(usize::try_from(AT_ONCE)?) {
        let last = pets.min(first + AT_ONCE - 1);
        db.execute(INSERT, params![first, last, (pets / FEW).max(1)])?;
    }
    println!("`{path}` has {pets} pets");
    Ok(())
}

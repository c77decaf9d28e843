//! Makes a store with many pets, at some hundred thousand a second, by writing
//! to the store without the service. Use it to test the behaviour of a large store; `growth` measures the cost of reads.
//!
//! ```text
//! cargo run --release -p petstore-store --example seed -- big.db 10000000
//! ```

use petstore_store::DatabaseUrl;
use rusqlite::{Connection, params};
use std::{env, error::Error, path::Path};

/// Pets in one transaction: large enough to be fast, small enough for memory.
const AT_ONCE: i64 = 500_000;
/// The number of pets with the rare status. They are spread over the store, whatever its size, so
/// that their page is the same in every store.
const FEW: i64 = 25;

/// Names, categories and statuses depend only on the number, so each run creates the same store. Half of the rest have no status.
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
        return Err("name a new file and the number of pets: seed FILE PETS".into());
    };
    let pets: i64 = pets.parse()?;
    if Path::new(path).exists() {
        return Err(format!("`{path}` exists already; name a new file").into());
    }
    // The store itself makes the tables, as it does for everybody.
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

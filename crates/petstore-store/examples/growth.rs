//! Measures how the cost of reads grows with the size of a store. It opens the given
//! stores, reads from all of them in turn, and prints a table with the ratio to
//! the first store. The example `seed` creates such stores.
//!
//! ```text
//! cargo run --release -p petstore-store --example growth -- small.db big.db
//! ```

use petstore_models::PetStatus;
use petstore_store::{DatabaseUrl, PetQuery, Store, StoreError};
use std::{
    env,
    error::Error,
    fs::File,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

/// The rounds of all stores are interleaved, so that a temporary slowdown of the machine affects all
/// stores alike.
const ROUNDS: usize = 41;
const CALLS: i64 = 200;
const LIMIT: usize = 20;

/// Returns the page to read for this id, or `None` to read the pet itself.
type Read = fn(i64) -> Option<PetQuery>;

const READS: [(&str, Read); 4] = [
    ("first page", |_| page(None, None)),
    ("a page in the middle", |id| page(Some(id), None)),
    // Few pets have this status.
    ("a filtered page", |_| page(None, Some(PetStatus::Sold))),
    ("get", |_| None),
];

fn page(after: Option<i64>, status: Option<PetStatus>) -> Option<PetQuery> {
    Some(PetQuery {
        after,
        status,
        ..PetQuery::first(LIMIT)
    })
}

struct Measured {
    store: Arc<dyn Store>,
    name: String,
    pets: i64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut stores = Vec::new();
    for name in env::args().skip(1) {
        // Reads the file into the page cache of the operating system, like a store
        // in use: this example does not measure the disk. It does so before it opens
        // the store, since closing the file would release the locks of this process.
        io::copy(&mut File::open(&name)?, &mut io::sink())?;
        let store = petstore_store::open(&DatabaseUrl::SqliteFile((&name).into())).await?;
        let pets = count(&*store).await?;
        stores.push(Measured { store, name, pets });
    }
    if stores.iter().any(|measured| measured.pets < 1000) || stores.is_empty() {
        return Err(
            "pass stores with at least 1000 pets each; the example `seed` creates them".into(),
        );
    }
    println!(
        "{:<24} {:>12} {:>12} {:>8}",
        "read", "pets", "median", "ratio"
    );
    for (name, read) in READS {
        let mut first = None;
        for (measured, cost) in stores.iter().zip(costs(&stores, read).await?) {
            let ratio = cost / *first.get_or_insert(cost);
            let Measured { pets, .. } = measured;
            println!("{name:<24} {pets:>12} {:>9.2} µs {ratio:>8.2}", cost * 1e6);
        }
    }
    for Measured { store, name, .. } in stores {
        store
            .close()
            .await
            .map_err(|error| format!("`{name}`: {error}"))?;
    }
    Ok(())
}

/// The number of pets, which is the greatest id, because pets are never removed.
async fn count(store: &dyn Store) -> Result<i64, StoreError> {
    let (mut low, mut high) = (0, i64::MAX);
    while low < high {
        let middle = low + (high - low) / 2 + 1;
        match store.pet(middle).await? {
            Some(_) => low = middle,
            None => high = middle - 1,
        }
    }
    Ok(low)
}

/// The median cost of a call in seconds, for each store.
async fn costs(stores: &[Measured], read: Read) -> Result<Vec<f64>, StoreError> {
    let mut rounds = vec![Vec::new(); stores.len()];
    for round in 0..ROUNDS {
        for (measured, costs) in stores.iter().zip(&mut rounds) {
            costs.push(time(measured, read, round).await?);
        }
    }
    let median = |mut costs: Vec<Duration>| {
        costs.sort_unstable();
        costs[costs.len() / 2].as_secs_f64() / CALLS as f64
    };
    Ok(rounds.into_iter().map(median).collect())
}

async fn time(measured: &Measured, read: Read, round: usize) -> Result<Duration, StoreError> {
    let begin = Instant::now();
    for call in 0..CALLS {
        // Each call reads another part of the store, as with many clients. The
        // golden ratio spreads the calls evenly.
        let number = CALLS * round as i64 + call;
        let place = (number as f64 * 0.618_033_988_749_895).fract();
        let id = (place * (measured.pets - 1) as f64) as i64 + 1;
        match read(id) {
            Some(query) => measured.store.list_pets(query).await.map(drop)?,
            None => measured.store.pet(id).await.map(drop)?,
        }
    }
    Ok(begin.elapsed())
}

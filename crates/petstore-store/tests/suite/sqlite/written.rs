//! Tests how much an order writes: it changes the status of its pet, but does not write
//! the name of the pet again, even if the name is long.

use super::{open, place};
use crate::fixtures::{new_order, new_pet};
use chrono::DateTime;
use petstore_models::{OrderStatus, PetStatus};
use petstore_store::PetQuery;
use rusqlite::Connection;
use std::{fs, path::Path, time::Duration};

/// The size of the log of an open store.
fn log_size(path: &Path) -> u64 {
    fs::metadata(path.with_extension("db-wal")).map_or(0, |log| log.len())
}

/// Empties the log of a store. Closing the store also empties it, unless the disk is slow.
fn empty_log(path: &Path) {
    let db = Connection::open(path).expect("the store");
    db.busy_timeout(Duration::from_secs(20)).expect("a timeout");
    let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy: i64 = db
        .query_row(truncate, [], |row| row.get(0))
        .expect("a checkpoint");
    assert_eq!((is_busy, log_size(path)), (0, 0));
}

#[tokio::test]
async fn an_order_of_a_pet_with_a_long_name_writes_a_few_pages() {
    /// Twice the bytes that an order of a pet with a short name writes (up to 29 KB).
    const ENOUGH: u64 = 58 << 10;
    let at = DateTime::UNIX_EPOCH;
    for length in [3, 64 << 10, 1 << 20] {
        let place = place();
        let store = open(&place.path).await.expect("a new store");
        let name = "x".repeat(length);
        let pet = new_pet(&name, 1, Some(PetStatus::Available));
        let pet = store.create_pet(pet).await.expect("a pet");
        store.close().await.expect("closed");
        let mut written = Vec::new();
        for number in 0..4 {
            empty_log(&place.path);
            let store = open(&place.path).await.expect("the store");
            let before = log_size(&place.path);
            let done = match number {
                1 => store
                    .update_order(1, OrderStatus::Cancelled, at)
                    .await
                    .map(|step| step.is_ok()),
                3 => store
                    .update_order(2, OrderStatus::Approved, at)
                    .await
                    .map(|step| step.is_ok()),
                _ => store
                    .create_order(new_order(pet.id), at)
                    .await
                    .map(|order| order.is_ok()),
            };
            assert!(done.expect("a result"));
            written.push(log_size(&place.path) - before);
            let query = PetQuery {
                status: Some([PetStatus::Pending, PetStatus::Available][number % 2]),
                ..PetQuery::first(2)
            };
            if number < 3 {
                let page = store.list_pets(query).await.expect("a page");
                assert_eq!(page.pets.len(), 1);
                assert_eq!(page.pets[0].name, name);
            }
            store.close().await.expect("closed");
        }
        println!("a name of {length} bytes: {written:?} bytes written");
        for bytes in written {
            assert!((1..ENOUGH).contains(&bytes), "{length}: {bytes}");
        }
    }
}

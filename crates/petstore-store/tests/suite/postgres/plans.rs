//! Tests that a page is read by an index, though a read is planned only once for each
//! connection, and possibly while its table was so small that to scan it is cheaper.

use super::{pet, store};
use crate::postgres_server::shared;
use futures::future::join_all;
use petstore_models::PetStatus;
use petstore_store::{OrderQuery, PetQuery, Store};
use std::time::{Duration, Instant};

/// So few that the server would scan them.
const FEW: i64 = 20;
const PETS: i64 = 2_000;
/// Scans that are counted before the test looks at what they read.
const SCANS: i64 = 20;
/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

async fn read_pages(store: &dyn Store) {
    for status in [None, Some(PetStatus::Available)] {
        let query = PetQuery {
            status,
            ..PetQuery::first(2)
        };
        store.list_pets(query).await.expect("a page");
    }
    for pet_id in [None, Some(1)] {
        let query = OrderQuery {
            before: None,
            status: None,
            pet_id,
            limit: 2,
        };
        store.list_orders(query).await.expect("a page");
    }
}

#[tokio::test]
async fn a_page_that_was_planned_for_a_small_table_is_read_by_an_index() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let db = database.client().await;
    join_all((0..FEW).map(|_| store.create_pet(pet("Rex")))).await;
    db.batch_execute("ANALYZE pets").await.expect("statistics");
    join_all((0..20).map(|_| read_pages(&*store))).await;
    join_all((0..PETS).map(|_| store.create_pet(pet("Rex")))).await;
    // The server counts with a delay.
    let begin = Instant::now();
    let rows = loop {
        read_pages(&*store).await;
        let counts =
            "SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0), coalesce(seq_tup_read, 0)
             FROM pg_stat_user_tables WHERE relname = 'pets' AND n_live_tup > 0";
        let counted = db.query_opt(counts, &[]).await.expect("the counts");
        if let Some(counted) = counted.filter(|counted| counted.get::<_, i64>(0) > SCANS) {
            break counted.get::<_, i64>(1);
        }
        assert!(begin.elapsed() < PATIENCE, "no scan is counted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(rows, 0, "rows were read without an index");
}

//! Tests following the pages while ids are committed out of order.

use super::{pet, store};
use crate::postgres_server::shared;
use petstore_store::{PetQuery, Store};

/// The ids of one page, and whether there are more.
async fn page(store: &dyn Store, after: Option<i64>, limit: usize) -> (Vec<i64>, bool) {
    let page = store
        .list_pets(PetQuery {
            after,
            ..PetQuery::first(limit)
        })
        .await
        .expect("a page");
    (page.pets.iter().map(|pet| pet.id).collect(), page.more)
}

/// The transaction of another server. It takes ids from the sequence, but does not commit yet.
const LATE: &str =
    "BEGIN; INSERT INTO pets (name, category_id) SELECT 'late', 1 FROM generate_series(1, 2)";

#[tokio::test]
async fn paging_returns_every_earlier_pet_once_even_if_lower_ids_are_committed_later() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    assert_eq!(store.create_pet(pet("first")).await.expect("a pet").id, 1);
    let other = database.client().await;
    other.batch_execute(LATE).await.expect("2 and 3 are drawn");
    for id in 4..=7 {
        assert_eq!(
            store.create_pet(pet("earlier")).await.expect("a pet").id,
            id
        );
    }

    assert_eq!(page(&*store, None, 2).await, (vec![1, 4], true));
    other
        .batch_execute("COMMIT")
        .await
        .expect("2 and 3 are there");
    assert_eq!(page(&*store, Some(4), 2).await, (vec![5, 6], true));
    assert_eq!(page(&*store, Some(6), 2).await, (vec![7], false));
    // Reading the pages again returns the pets that were committed too late.
    assert_eq!(
        page(&*store, None, 9).await,
        (vec![1, 2, 3, 4, 5, 6, 7], false)
    );
}

#[tokio::test]
async fn a_late_commit_after_the_cursor_neither_skips_nor_repeats_other_pets() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    store.create_pet(pet("first")).await.expect("a pet");
    store.create_pet(pet("second")).await.expect("a pet");
    let other = database.client().await;
    other.batch_execute(LATE).await.expect("3 and 4 are drawn");
    assert_eq!(store.create_pet(pet("third")).await.expect("a pet").id, 5);

    assert_eq!(page(&*store, None, 2).await, (vec![1, 2], true));
    other
        .batch_execute("COMMIT")
        .await
        .expect("3 and 4 are there");
    assert_eq!(
        page(&*store, Some(2), 2).await,
        (vec![3, 4], true),
        "the page after is no longer the last"
    );
    assert_eq!(page(&*store, Some(4), 2).await, (vec![5], false));
}

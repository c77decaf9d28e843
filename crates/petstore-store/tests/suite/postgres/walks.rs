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

/// What another server does: it draws ids, but does not commit yet.
const LATE: &str =
    "BEGIN; INSERT INTO pets (name, category_id) SELECT 'late', 1 FROM generate_series(1, 2)";

#[tokio::test]
async fn paging_returns_every_earlier_pet_once_although_lower_ids_are_committed_later() {
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
    // The next walk meets those that came too late for this one.
    assert_eq!(
        page(&*store, None, 9).await,
        (vec![1, 2, 3, 4, 5, 6, 7], false)
    );
}

#[tokio::test]
async fn a_lower_id_that_is_committed_ahead_of_the_cursor_moves_no_other_pet() {
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

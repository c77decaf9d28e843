//! Tests pages, filters, and following pages from the first to the last.

use super::{AnyStore, create, walk};
use petstore_models::PetStatus;
use petstore_store::{PetPage, PetQuery};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};
use tokio::task::JoinHandle;

async fn ids(store: &AnyStore, after: Option<i64>, limit: usize) -> (Vec<i64>, bool) {
    let page = store
        .list_pets(PetQuery {
            after,
            ..PetQuery::first(limit)
        })
        .await
        .expect("a page");
    (page.pets.iter().map(|pet| pet.id).collect(), page.more)
}

pub(crate) async fn an_empty_store_has_an_empty_page(store: AnyStore) {
    let empty = PetPage {
        pets: Vec::new(),
        more: false,
    };
    let statuses = PetStatus::ALL.iter().copied().map(Some).chain([None]);
    for status in statuses {
        let page = store
            .list_pets(PetQuery {
                status,
                ..PetQuery::first(20)
            })
            .await;
        assert_eq!(page.expect("a page"), empty);
    }
}

pub(crate) async fn a_page_says_whether_more_pets_follow(store: AnyStore) {
    for _ in 0..3 {
        create(&store, "Rex", None).await;
    }
    assert_eq!(ids(&store, None, 0).await, (vec![], true));
    assert_eq!(ids(&store, None, 2).await, (vec![1, 2], true));
    assert_eq!(ids(&store, None, 3).await, (vec![1, 2, 3], false));
    assert_eq!(ids(&store, None, usize::MAX).await, (vec![1, 2, 3], false));
}

pub(crate) async fn a_page_ends_before_it_becomes_too_large(store: AnyStore) {
    let large = "x".repeat(100_000);
    for name in [&*large, &large, &large, "Rex", &large] {
        create(&store, name, None).await;
    }
    assert_eq!(ids(&store, None, 100).await, (vec![1, 2], true));
    assert_eq!(ids(&store, Some(2), 100).await, (vec![3, 4, 5], false));
    assert_eq!(ids(&store, Some(2), 2).await, (vec![3, 4], true));
    // A page has at least one pet, even if the pet is very large.
    create(&store, &"y".repeat(900_000), None).await;
    create(&store, "Rex", None).await;
    assert_eq!(ids(&store, Some(5), 100).await, (vec![6], true));
    assert_eq!(ids(&store, Some(4), 100).await, (vec![5], true));
    assert_eq!(ids(&store, Some(6), 100).await, (vec![7], false));
}

pub(crate) async fn a_page_may_begin_after_any_id(store: AnyStore) {
    for _ in 0..3 {
        create(&store, "Rex", None).await;
    }
    assert_eq!(ids(&store, Some(i64::MIN), 9).await, (vec![1, 2, 3], false));
    assert_eq!(ids(&store, Some(0), 9).await, (vec![1, 2, 3], false));
    assert_eq!(ids(&store, Some(1), 1).await, (vec![2], true));
    assert_eq!(ids(&store, Some(2), 1).await, (vec![3], false));
    assert_eq!(ids(&store, Some(3), 9).await, (vec![], false));
    assert_eq!(ids(&store, Some(i64::MAX), 9).await, (vec![], false));
}

pub(crate) async fn a_status_filter_returns_only_pets_with_that_status(store: AnyStore) {
    let statuses = [
        None,
        Some(PetStatus::Available),
        Some(PetStatus::Pending),
        Some(PetStatus::Sold),
    ];
    let mut created = Vec::new();
    for number in 0..40 {
        created.push(create(&store, number.to_string(), statuses[number % 7 % 4]).await);
    }
    for status in statuses.into_iter().flatten() {
        let expected: Vec<_> = created
            .iter()
            .filter(|pet| pet.status == Some(status))
            .cloned()
            .collect();
        for limit in [1, 2, 7, 100] {
            assert_eq!(
                walk(&store, Some(status), limit).await,
                expected,
                "{status:?} by {limit}"
            );
        }
    }
    assert_eq!(walk(&store, None, 7).await, created);
}

pub(crate) async fn paging_returns_every_earlier_pet_once_while_others_are_added(store: AnyStore) {
    let status = Some(PetStatus::Available);
    let returned = Arc::new(Mutex::new(Vec::new()));
    let adders: Vec<_> = (0..4)
        .map(|_| {
            let (store, returned) = (store.clone(), Arc::clone(&returned));
            tokio::spawn(async move {
                for _ in 0..150 {
                    let id = create(&store, "Rex", status).await.id;
                    returned.lock().expect("no panic").push(id);
                }
            })
        })
        .collect();
    let mut walks = 0;
    while walks < 4 || !adders.iter().all(JoinHandle::is_finished) {
        let earlier: BTreeSet<i64> = returned.lock().expect("no panic").iter().copied().collect();
        let limit = [1, 7, 20, 100][walks % 4];
        let met = walk_beyond(&store, status, limit, earlier.last().copied()).await;
        assert!(
            met.windows(2).all(|pair| pair[0] < pair[1]),
            "a pet was met twice: {met:?}"
        );
        let met = met.into_iter().collect();
        let missed: Vec<_> = earlier.difference(&met).collect();
        assert!(missed.is_empty(), "by {limit}, missed {missed:?}");
        walks += 1;
        tokio::task::yield_now().await;
    }
    for adder in adders {
        adder.await.expect("no panic");
    }
    assert_eq!(walk(&store, status, 100).await.len(), 600);
}

/// Follows the pages and returns the ids. It stops after `last`, since other pets may be added
/// faster than it reads.
async fn walk_beyond(
    store: &AnyStore,
    status: Option<PetStatus>,
    limit: usize,
    last: Option<i64>,
) -> Vec<i64> {
    let mut met = Vec::new();
    let mut after = None;
    while after < last {
        let page = store
            .list_pets(PetQuery {
                after,
                status,
                ..PetQuery::first(limit)
            })
            .await
            .expect("a page");
        met.extend(page.pets.iter().map(|pet| pet.id));
        after = page.pets.last().map(|pet| pet.id);
        if !page.more {
            break;
        }
    }
    met
}

pub(crate) async fn names_of_every_length_are_returned_in_pages_of_a_status(store: AnyStore) {
    // SQLite's index by status contains names of up to 255 bytes.
    let lengths = [0, 1, 127, 128, 254, 255, 256, 1_000, 4_096, 100_000];
    let names = lengths
        .into_iter()
        .flat_map(|length| ["x".repeat(length), "é".repeat(length)]);
    let names: Vec<_> = names.chain(["\0".to_owned(), "a\0".repeat(200)]).collect();
    for status in [Some(PetStatus::Available), Some(PetStatus::Sold), None] {
        for name in &names {
            create(&store, name, status).await;
        }
    }
    for status in [PetStatus::Available, PetStatus::Sold] {
        for limit in [1, 7, 100] {
            let found = walk(&store, Some(status), limit).await;
            assert!(found.iter().all(|pet| pet.status == Some(status)));
            let found: Vec<_> = found.into_iter().map(|pet| pet.name).collect();
            assert_eq!(found, names, "{status} {limit}");
        }
    }
}

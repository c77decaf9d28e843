//! Tests adding pets and reading them back.

use super::{AnyStore, create, new_pet, walk};
use crate::fixtures::without_id;
use petstore_models::{NewPet, PetStatus};
use std::collections::BTreeSet;
use tokio::task::JoinSet;

pub(crate) async fn a_pet_is_returned_as_it_was_added(store: AnyStore) {
    let statuses = PetStatus::ALL.iter().copied().map(Some).chain([None]);
    for status in statuses {
        let added = new_pet("Rex", status);
        let created = store.create_pet(added.clone()).await.expect("a pet");
        assert_eq!(without_id(&created), added);
        assert_eq!(
            store.pet(created.id).await.expect("a result"),
            Some(created.clone())
        );
        assert_eq!(walk(&store, None, 10).await.last(), Some(&created));
    }
}

pub(crate) async fn no_pet_is_found_for_an_unknown_id(store: AnyStore) {
    create(&store, "Rex", None).await;
    for id in [i64::MIN, -1, 0, 2, i64::MAX] {
        assert_eq!(store.pet(id).await.expect("a result"), None, "{id}");
    }
}

pub(crate) async fn ids_begin_at_one_and_ascend(store: AnyStore) {
    for expected in 1..=5 {
        assert_eq!(create(&store, "Rex", None).await.id, expected);
    }
}

pub(crate) async fn any_name_is_returned_unchanged(store: AnyStore) {
    let names = [
        "",
        " ",
        "\0",
        "Rex\0",
        "\0Rex\0Tom",
        "\u{1F415}\u{200D}\u{1F9BA}",
        "\u{FEFF}Rex",
        "e\u{301} is not \u{e9}",
        "\u{202E}xeR",
        "\u{1}\u{7F}\u{85}\r\n\t",
        "\u{FFFF}\u{FFFD}\u{10FFFF}",
        "'; DROP TABLE pets; -- \"$1 %s \\x00",
    ];
    let long = "\u{1F415}".repeat(1 << 18);
    for name in names.into_iter().chain([long.as_str()]) {
        let created = create(&store, name, None).await;
        assert!(created.name == name);
        let found = store
            .pet(created.id)
            .await
            .expect("a result")
            .expect("the pet");
        assert!(
            found.name.as_bytes() == name.as_bytes(),
            "{} bytes came back of {}",
            found.name.len(),
            name.len()
        );
        assert!(
            walk(&store, None, 100)
                .await
                .last()
                .is_some_and(|pet| pet.name == name)
        );
    }
}

pub(crate) async fn categories_can_have_every_value_of_int64(store: AnyStore) {
    for category_id in [i64::MIN, i64::MIN + 1, -1, 0, (1 << 53) + 1, i64::MAX] {
        let created = store
            .create_pet(NewPet {
                category_id,
                ..new_pet("Rex", None)
            })
            .await
            .expect("a pet");
        assert_eq!(created.category_id, category_id);
        let found = store
            .pet(created.id)
            .await
            .expect("a result")
            .expect("the pet");
        assert_eq!(found.category_id, category_id);
    }
}

pub(crate) async fn pets_that_are_added_concurrently_have_different_ids(store: AnyStore) {
    let mut creates = JoinSet::new();
    for number in 0..200 {
        let store = store.clone();
        creates.spawn(async move { create(&store, number.to_string(), None).await });
    }
    let mut created = creates.join_all().await;
    created.sort_by_key(|pet| pet.id);
    assert_eq!(created, walk(&store, None, 7).await);
    let names: BTreeSet<_> = created.iter().map(|pet| &pet.name).collect();
    let ids: BTreeSet<_> = created.iter().map(|pet| pet.id).collect();
    assert_eq!((names.len(), ids.len()), (200, 200));
}

pub(crate) async fn a_created_pet_is_visible_to_every_caller(store: AnyStore) {
    let mut tasks = JoinSet::new();
    for task in 0..8 {
        let store = store.clone();
        tasks.spawn(async move {
            for _ in 0..20 {
                let created = create(&store, task.to_string(), None).await;
                let other = store.clone();
                let seen = tokio::spawn(async move { other.pet(created.id).await });
                let seen = seen.await.expect("no panic").expect("a result");
                assert_eq!(seen, Some(created));
            }
        });
    }
    tasks.join_all().await;
}

//! Tests that the data still exists when a file is opened again.

use super::{Place, open, pet, place};
use chrono::DateTime;
use petstore_store::{KeyHash, KeyId, NewKey, PetQuery};
use rusqlite::Connection;
use std::fs;

#[tokio::test]
async fn pets_and_keys_are_kept_after_the_store_is_closed_and_opened_again() {
    let place = place();
    let key = NewKey {
        id: KeyId::from_random(1),
        name: "first".to_owned(),
        hash: KeyHash::new([1; 32]),
        created_at: DateTime::UNIX_EPOCH,
        limits: petstore_store::KeyLimits::default(),
    };
    let store = open(&place.path).await.expect("a new store");
    let created = store.create_pet(pet("Rex")).await.expect("a pet");
    store.create_key(key.clone()).await.expect("a key");
    store.close().await.expect("closed");

    let store = open(&place.path).await.expect("the same store");
    assert_eq!(
        store.pet(created.id).await.expect("a result"),
        Some(created)
    );
    assert!(store.find_key(&key.hash).await.expect("a result").is_some());
    assert!(
        !store
            .create_first_key(NewKey {
                id: KeyId::from_random(2),
                ..key
            })
            .await
            .expect("a result")
    );
    assert_eq!(store.create_pet(pet("Tom")).await.expect("a pet").id, 2);
}

#[tokio::test]
async fn a_created_pet_is_stored_before_the_store_is_closed() {
    let place = place();
    let store = open(&place.path).await.expect("a new store");
    let created = store.create_pet(pet("Rex")).await.expect("a pet");
    // Copies the files that a crash would leave: the current database and its log.
    let left = tempfile::TempDir::new().expect("a temporary folder");
    for (path, bytes) in place.contents() {
        fs::write(left.path().join(path.file_name().expect("a name")), bytes).expect("a copy");
    }
    let recovered = open(&left.path().join("pets.db"))
        .await
        .expect("it recovers");
    assert_eq!(
        recovered.pet(created.id).await.expect("a result"),
        Some(created)
    );
}

/// If the last connections were closed at the same moment, none of them would remove the log.
#[tokio::test]
async fn a_closed_store_leaves_no_write_ahead_log() {
    const ROUNDS: usize = 200;
    let place = Place::with_pets(0).await;
    for round in 0..ROUNDS {
        let store = open(&place.path).await.expect("the store");
        store.close().await.expect("closed");
        let files: Vec<_> = place.contents().into_iter().map(|(path, _)| path).collect();
        assert_eq!(files, std::slice::from_ref(&place.path), "round {round}");
    }
}

#[tokio::test]
async fn ids_are_not_reused() {
    let place = Place::with_pets(3).await;
    let db = Connection::open(&place.path).expect("the database");
    db.execute("DELETE FROM pets WHERE id >= 2", [])
        .expect("pets are removed");
    drop(db);
    let store = open(&place.path).await.expect("the store");
    assert_eq!(store.create_pet(pet("Tom")).await.expect("a pet").id, 4);
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let place = place();
    fs::write(&place.path, "").expect("an empty file");
    let store = open(&place.path).await.expect("a new store");
    assert_eq!(store.create_pet(pet("Rex")).await.expect("a pet").id, 1);
}

#[tokio::test]
async fn an_interrupted_creation_of_a_store_is_completed() {
    let place = Place::only_marked().await;
    let store = open(&place.path).await.expect("the store");
    let page = store.list_pets(PetQuery::first(1)).await;
    assert!(page.expect("a page").pets.is_empty());
}

#[tokio::test]
async fn the_database_path_may_contain_a_symbolic_link() {
    let place = Place::with_pets(1).await;
    let link = place.folder.path().join("link.db");
    std::os::unix::fs::symlink(&place.path, &link).expect("a link");
    let store = open(&link).await.expect("the store");
    assert!(store.pet(1).await.expect("a result").is_some());
}

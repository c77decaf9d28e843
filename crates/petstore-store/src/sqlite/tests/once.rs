//! Tests repeated creations with an idempotency key within one batch.

use super::*;
use crate::{Creation, IdempotencyKey, Once};

fn once(key: &str) -> Once {
    Once {
        key_id: KeyId::from_random(1),
        key: IdempotencyKey::try_from(key.to_owned()).expect("a key"),
        at: DateTime::UNIX_EPOCH,
    }
}

impl Fixture {
    fn create_once(&self, name: &str, key: &str) -> JoinHandle<Result<Creation, StoreError>> {
        let (store, pet, once) = (Arc::clone(&self.store), pet(name), once(key));
        tokio::spawn(async move { store.create_pet_once(pet, once).await })
    }
}

#[tokio::test]
async fn two_creations_with_the_same_key_in_a_batch_add_one_pet() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let mut creates = Vec::new();
    for (name, key) in [("Rex", "a"), ("Rex", "a"), ("Tom", "a"), ("Tom", "b")] {
        creates.push(fixture.create_once(name, key));
        fixture.until_queued(creates.len()).await;
    }
    gate.open().await;
    let mut created = Vec::new();
    for create in creates {
        created.push(create.await.expect("no panic").expect("a result"));
    }
    let pet = |id, name: &str| fixtures::pet_with_id(id, &pet(name));
    assert_eq!(
        created,
        [
            Creation::Added(pet(1, "Rex")),
            Creation::Repeated(pet(1, "Rex")),
            Creation::KeyReused,
            Creation::Added(pet(2, "Tom")),
        ]
    );
    assert_eq!(fixture.names().await, ["Rex", "Tom"]);
    assert_eq!(fixture.store.stats().batches, 2);
}

#[tokio::test]
async fn a_batch_that_is_rolled_back_does_not_use_up_idempotency_keys() {
    let fixture = in_a_file();
    fixture.store.create_key(key(1)).await.expect("a key");
    let gate = fixture.gate().await;
    let once_before = fixture.create_once("Rex", "a");
    fixture.until_queued(1).await;
    // This creation fails, and the batch runs again with a savepoint for each write.
    let store = Arc::clone(&fixture.store);
    let failing = tokio::spawn(async move { store.create_key(key(1)).await });
    fixture.until_queued(2).await;
    let again = fixture.create_once("Rex", "a");
    fixture.until_queued(3).await;
    gate.open().await;
    let first = once_before.await.expect("no panic").expect("a result");
    let Creation::Added(first) = first else {
        panic!("{first:?}")
    };
    failing
        .await
        .expect("no panic")
        .expect_err("the key is there");
    let again = again.await.expect("no panic").expect("a result");
    assert_eq!(again, Creation::Repeated(first));
    assert_eq!(fixture.names().await, ["Rex"]);
}

#[tokio::test]
async fn a_pet_and_its_key_are_stored_together_or_not_at_all() {
    let fixture = in_a_file();
    // The pet is written first: if storing the key fails, the pet must be rolled back.
    let trigger = "CREATE TRIGGER no_keys BEFORE INSERT ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'for the test'); END";
    fixture.execute(trigger).await.expect("a trigger");
    let rejected = fixture.create_once("Rex", "a").await.expect("no panic");
    assert!(rejected.is_err(), "{rejected:?}");
    assert!(fixture.names().await.is_empty());
    fixture
        .execute("DROP TRIGGER no_keys")
        .await
        .expect("dropped");
    let created = fixture.create_once("Rex", "a").await.expect("no panic");
    assert!(matches!(created, Ok(Creation::Added(_))), "{created:?}");
    assert_eq!(fixture.names().await, ["Rex"]);
}

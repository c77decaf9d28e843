//! Tests that the current code opens databases of every older schema and keeps
//! their data.

use super::{pet, store};
use crate::fixtures::{new_order, new_pet, pet_with_id};
use crate::postgres_server::{Database, shared};
use chrono::DateTime;
use petstore_models::PetStatus;
use petstore_store::{KeyHash, KeyLimits, PetQuery, schema_version};
use std::{fs, path::Path, sync::LazyLock};

/// The migrations. Each one upgrades the schema to the next version.
pub(super) static MIGRATIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/postgres/migrations");
    let files = fs::read_dir(folder).expect("the folder");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let texts = files.into_iter().map(fs::read_to_string);
    texts.map(|text| text.expect("a migration")).collect()
});

/// Creates a store of an older schema, with some pets and a key.
async fn fill(database: &Database<'_>, version: usize) {
    let db = database.client().await;
    for sql in &MIGRATIONS[..version] {
        db.batch_execute(sql).await.expect("a migration");
    }
    let rows = format!(
        "CREATE TABLE petstore_schema (version bigint NOT NULL);
         INSERT INTO petstore_schema VALUES ({version});
         INSERT INTO pets (name, category_id, status) VALUES
             ('Rex', 7, 'available'), ('\\x610062', 9223372036854775807, 'sold'), ('', 0, NULL);
         SELECT nextval('pet_ids');
         INSERT INTO api_keys (id, name, hash, created_at, is_first)
             VALUES ('k_mvbvqf8yh5d5', 'first', decode(repeat('01', 32), 'hex'), 1795132800000000, true)"
    );
    db.batch_execute(&rows).await.expect("some rows");
}

/// The columns and indexes of a database.
async fn tables(database: &Database<'_>) -> Vec<String> {
    let db = database.client().await;
    let rows = db
        .query(
            "SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, collation_name)
             FROM information_schema.columns WHERE table_schema = 'public'
             UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
            &[],
        )
        .await
        .expect("what is there");
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn an_upgraded_store_keeps_its_pets_and_keys_and_has_the_schema_of_a_new_store() {
    let Some(cluster) = shared().await else {
        return;
    };
    let new = cluster.database().await;
    store(&new).await.close().await.expect("closed");
    let newest = schema_version(&new.url()).await.expect("a store");
    assert_eq!(newest, MIGRATIONS.len() as i64, "a schema without its test");

    for version in 1..=MIGRATIONS.len() {
        let database = cluster.database().await;
        fill(&database, version).await;
        let found = schema_version(&database.url()).await.expect("a store");
        assert_eq!(found, version as i64);
        let store = store(&database).await;
        let all = PetQuery::first(10);
        let kept = |id, name: &str, category_id, status| {
            pet_with_id(id, &new_pet(name, category_id, status))
        };
        assert_eq!(
            store.list_pets(all).await.expect("a page").pets,
            [
                kept(1, "Rex", 7, Some(PetStatus::Available)),
                kept(2, "a\0b", i64::MAX, Some(PetStatus::Sold)),
                kept(3, "", 0, None),
            ]
        );
        let found = store.find_key(&KeyHash::new([1; 32])).await.expect("a key");
        let keys = store.list_keys().await.expect("the keys");
        let named = keys
            .iter()
            .find(|key| Some(key.id) == found.map(|found| found.id));
        let named = named.expect("the key");
        assert_eq!(named.name, "first");
        assert_eq!(named.limits, KeyLimits::default());
        let order = store.create_order(new_order(1), DateTime::UNIX_EPOCH);
        let order = order.await.expect("a result").expect("an order");
        assert_eq!((order.id, order.pet_id), (1, 1));
        // The id 4 was already taken from the sequence.
        assert_eq!(store.create_pet(pet("Tom")).await.expect("a pet").id, 5);
        store.close().await.expect("closed");
        assert_eq!(
            schema_version(&database.url()).await.expect("a store"),
            newest
        );
        assert_eq!(tables(&database).await, tables(&new).await, "{version}");
    }
}

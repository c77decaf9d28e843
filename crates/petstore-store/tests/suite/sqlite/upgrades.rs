//! Tests that the current code opens stores of every earlier schema and keeps
//! their data. `schemas/` has a text file for each schema, including a schema that is
//! not released yet. The file of a released schema is never changed.

use super::{Place, open, pet, place};
use crate::fixtures::{new_order, new_pet, pet_with_id};
use chrono::{DateTime, NaiveDate};
use petstore_models::{NewPet, OrderStatus, Pet, PetStatus};
use petstore_store::{
    Creation, DatabaseUrl, DeliveryQuery, KeyHash, KeyLimits, KeyRate, KeyScope, OnMigration, Once,
    OpenProblem, OrderQuery, PetQuery, open_current, open_with, schema_version,
};
use rusqlite::Connection;
use std::{
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex},
};

/// The schemas, the oldest first.
static RELEASED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/sqlite/schemas");
    let files = fs::read_dir(folder).expect("the folder");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    // `schema_10` comes after `schema_9`.
    files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    let texts = files.into_iter().map(fs::read_to_string);
    texts.map(|text| text.expect("a schema")).collect()
});

/// For each schema, whether it is this schema or a later one.
fn since(first: usize) -> Vec<bool> {
    (1..=RELEASED.len()).map(|schema| schema >= first).collect()
}

fn released(schema: &str) -> Place {
    let place = place();
    let db = Connection::open(&place.path).expect("a new database");
    db.execute_batch(schema).expect("a store of that schema");
    place
}

fn version(db: &Connection) -> i64 {
    db.pragma_query_one(None, "user_version")
        .expect("the version")
}

/// The statements of the schema of a database, without differences in white space.
fn schema(db: &Connection) -> Vec<String> {
    let mut statements = db
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .expect("a query");
    let statements = statements.query_map([], |row| row.get::<_, String>(0));
    let laid_out = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    statements
        .expect("rows")
        .map(|sql| laid_out(sql.expect("a row")))
        .collect()
}

fn first_pets() -> [Pet; 4] {
    let pet =
        |id, name: &str, category_id, status| pet_with_id(id, &new_pet(name, category_id, status));
    [
        pet(1, "Rex", 7, Some(PetStatus::Available)),
        pet(2, "Zoë 🐈", i64::MIN, Some(PetStatus::Pending)),
        pet(3, "a\0b", i64::MAX, Some(PetStatus::Sold)),
        pet(5, "", 0, None),
    ]
}

#[tokio::test]
async fn pets_and_keys_of_every_released_schema_are_kept() {
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let all = PetQuery::first(100);
        let page = store.list_pets(all).await.expect("a page");
        assert_eq!(page.pets, first_pets());
        for pet in first_pets().into_iter().filter(|pet| pet.status.is_some()) {
            let same_status = PetQuery {
                status: pet.status,
                ..all
            };
            let page = store.list_pets(same_status).await.expect("a page");
            assert_eq!(page.pets, [pet]);
        }

        let [first, revoked] = store
            .list_keys()
            .await
            .expect("the keys")
            .try_into()
            .expect("two of them");
        assert_eq!((first.name.as_str(), first.revoked_at), ("first", None));
        assert_eq!(
            Some(first.created_at),
            DateTime::from_timestamp_micros(1_795_132_800_000_000)
        );
        assert_eq!(
            revoked.revoked_at,
            DateTime::from_timestamp_micros(1_795_219_200_123_456)
        );
        let found = store.find_key(&KeyHash::new([1; 32])).await.expect("a key");
        assert_eq!(found.map(|key| key.id), Some(first.id));
        let found = store.find_key(&KeyHash::new([2; 32])).await.expect("a key");
        assert_eq!(found, None);
    }
}

#[tokio::test]
async fn an_upgraded_store_accepts_pets_and_does_not_reuse_ids() {
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let created = store.create_pet(pet("Tom")).await.expect("a pet");
        let NewPet {
            name, category_id, ..
        } = pet("Tom");
        assert_eq!(
            (created.id, created.name, created.category_id),
            (9, name, category_id)
        );
    }
}

#[tokio::test]
async fn the_dry_run_prints_the_schema_version_and_changes_nothing() {
    let nowhere = place();
    let url = DatabaseUrl::SqliteFile(nowhere.path.clone());
    assert_eq!(schema_version(&url).await.expect("no store"), 0);
    assert!(!nowhere.path.exists());
    for (number, text) in (1..).zip(RELEASED.iter()) {
        let place = released(text);
        let url = DatabaseUrl::SqliteFile(place.path.clone());
        for _ in 0..2 {
            assert_eq!(schema_version(&url).await.expect("a store"), number);
        }
    }
}

#[tokio::test]
async fn an_upgraded_store_has_the_schema_of_a_new_store() {
    let new = Place::with_pets(0).await;
    let new = Connection::open(&new.path).expect("a new store");
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        store.close().await.expect("closed");
        let upgraded = Connection::open(&place.path).expect("the store");
        assert_eq!(version(&upgraded), version(&new));
        assert_eq!(schema(&upgraded), schema(&new));
    }
}

#[tokio::test]
async fn every_schema_has_its_released_store() {
    let newest = Place::with_pets(0).await;
    let newest = version(&Connection::open(&newest.path).expect("a new store"));
    if newest == RELEASED.len() as i64 + 1 && test_support::updates_golden() {
        return write_schema(newest);
    }
    let versions: Vec<_> = RELEASED
        .iter()
        .map(|text| version(&Connection::open(released(text).path).expect("the store")))
        .collect();
    assert_eq!(
        versions,
        (1..=newest).collect::<Vec<_>>(),
        "a schema has no store among the tests; write that of schema {newest} with \
         `UPDATE_GOLDEN=1 cargo test -p petstore-store --test suite every_schema_has_its_released_store`, \
         and add values of new columns to its rows"
    );
}

/// Creates the file of a schema, by migrating the store of the previous schema.
fn write_schema(number: i64) {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let migrations = fs::read_dir(crate_folder.join("src/sqlite/migrations")).expect("the folder");
    let mut files = migrations.map(|file| file.expect("a file").path());
    let start = format!("{number:04}_");
    let is_of_number = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&start))
    };
    let migration = files.find(is_of_number).expect("the migration");
    let migration = fs::read_to_string(migration).expect("a migration");
    let last = RELEASED.last().expect("a schema");
    let (before, now) = (number - 1, number);
    let text = last
        .replace(&format!("schema {before}"), &format!("schema {now}"))
        .replace(
            &format!("user_version = {before};"),
            &format!("user_version = {now};"),
        )
        .replace("\nCOMMIT;", &format!("\n{migration}COMMIT;"));
    let file = format!("tests/suite/sqlite/schemas/schema_{number}.sql");
    fs::write(crate_folder.join(file), text).expect("the folder is writable");
}

#[tokio::test]
async fn usage_counters_of_a_released_schema_are_kept_and_older_schemas_have_none() {
    let mut calls = Vec::new();
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let counters = store.usage().await.expect("the counters");
        let keys = store.list_keys().await.expect("the keys");
        let used = keys.iter().filter(|key| key.last_used_at.is_some()).count();
        let by_day = store.usage_by_day(NaiveDate::MIN).await.expect("the days");
        let agents = counters
            .iter()
            .filter_map(|row| row.last_user_agent.clone());
        calls.push((
            counters.iter().map(|row| row.calls).sum::<u64>(),
            used,
            by_day.iter().map(|row| row.calls).sum::<u64>(),
            agents.collect::<String>(),
        ));
    }
    let expected = since(2).into_iter().zip(since(8));
    let expected = expected.map(|kept| match kept {
        (false, _) => (0, 0, 0, String::new()),
        (true, false) => (3, 1, 0, String::new()),
        (true, true) => (3, 1, 3, "curl/8".to_owned()),
    });
    assert_eq!(calls, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn an_older_schema_has_no_start_times_of_the_call_counts() {
    let mut since = Vec::new();
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let counted = store.counted_operations().await.expect("the operations");
        since.push(counted.first().map(|row| row.since));
    }
    let stored = DateTime::from_timestamp_micros(1_795_132_800_000_003);
    let expected = self::since(9).into_iter();
    let expected = expected.map(|is_kept| stored.filter(|_| is_kept));
    assert_eq!(since, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn an_older_store_is_rejected_unchanged_if_it_must_not_be_upgraded() {
    let newest = RELEASED.len() as i64;
    for (number, text) in (1..).zip(RELEASED.iter()) {
        let place = released(text);
        let url = DatabaseUrl::SqliteFile(place.path.clone());
        let opened = open_current(&url).await;
        if number == newest {
            opened
                .expect("the present one")
                .close()
                .await
                .expect("closed");
            continue;
        }
        let problem = opened.err().expect("an older one").problem;
        let OpenProblem::TooOld { found, needed } = problem else {
            panic!("{problem:?}")
        };
        assert_eq!((found, needed), (number, newest));
        assert_eq!(schema_version(&url).await.expect("a store"), number);
    }
}

#[tokio::test]
async fn keys_of_an_older_schema_have_no_limits_and_limits_are_kept() {
    let mut limits = Vec::new();
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let keys = store.list_keys().await.expect("the keys");
        assert_eq!(keys[0].limits, KeyLimits::default());
        limits.push(keys[1].limits);
    }
    let kept = KeyLimits {
        expires_at: DateTime::from_timestamp_micros(1_795_305_600_000_007),
        rate: NonZeroU32::new(20).map(KeyRate::PerSecond),
        scope: KeyScope::Read,
    };
    let expected = since(6).into_iter().map(|is_kept| match is_kept {
        true => kept,
        false => KeyLimits::default(),
    });
    assert_eq!(limits, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn an_upgrade_is_reported_and_the_creation_of_a_store_is_not() {
    for (number, text) in (1..).zip(RELEASED.iter()) {
        let place = released(text);
        let url = DatabaseUrl::SqliteFile(place.path.clone());
        let reports = Arc::new(Mutex::new(Vec::new()));
        let kept = reports.clone();
        let on_migration: OnMigration =
            Arc::new(move |progress| kept.lock().expect("no panic").push(progress.clone()));
        let store = open_with(&url, on_migration.clone()).await;
        store.expect("a store").close().await.expect("closed");
        let newest = schema_version(&url).await.expect("a store");
        let seen = std::mem::take(&mut *reports.lock().expect("no panic"));
        let missing = usize::try_from(newest - number).expect("not newer");
        let steps: Vec<_> = seen.iter().filter(|report| !report.is_done).collect();
        assert_eq!(steps.len(), missing, "{seen:?}");
        for (step, report) in (1..).zip(steps) {
            let told = (report.from, report.to, report.step, report.steps);
            assert_eq!(told, (number, newest, step, missing));
            assert!(!report.about.is_empty(), "{report:?}");
        }
        let done = seen.iter().filter(|report| report.is_done).count();
        assert_eq!(done, usize::from(missing > 0));

        // Opens the upgraded store again, and a new store: neither is reported.
        let fresh = place.path.with_extension("new");
        for url in [url, DatabaseUrl::SqliteFile(fresh)] {
            let store = open_with(&url, on_migration.clone()).await;
            store.expect("a store").close().await.expect("closed");
            assert_eq!(*reports.lock().expect("no panic"), []);
        }
    }
}

#[tokio::test]
async fn idempotency_keys_of_a_released_schema_stay_in_effect() {
    let mut repeated = Vec::new();
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let key = "a \"first\" one".to_owned();
        let once = Once {
            key_id: "k_mvbvqf8yh5d5".parse().expect("an id"),
            key: key.try_into().expect("a key"),
            at: DateTime::from_timestamp_micros(1_795_132_800_000_002).expect("a time"),
        };
        let rex = new_pet("Rex", 7, Some(PetStatus::Available));
        let created = store.create_pet_once(rex, once).await.expect("a result");
        let [first, ..] = first_pets();
        repeated.push(created == Creation::Repeated(first));
    }
    assert_eq!(repeated, since(3));
}

#[tokio::test]
async fn orders_of_a_released_schema_are_kept_and_an_older_store_accepts_orders_after_the_upgrade()
{
    let all = OrderQuery {
        before: None,
        status: None,
        pet_id: None,
        limit: 10,
    };
    let mut found = Vec::new();
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let orders = store.list_orders(all).await.expect("a page").orders;
        // Pet 1 is available.
        let at = DateTime::UNIX_EPOCH;
        let new = store.create_order(new_order(1), at).await;
        let new = new.expect("a result").expect("an order");
        let cancelled = store.update_order(new.id, OrderStatus::Cancelled, at).await;
        cancelled.expect("a result").expect("a step");
        found.push((orders.iter().map(|order| order.id).collect(), new.id));
    }
    let expected = since(4).into_iter().map(|has_orders| match has_orders {
        true => (vec![2, 1], 6),
        false => (Vec::new(), 1),
    });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn an_order_of_a_released_schema_can_be_repeated_and_changed() {
    let text = RELEASED.last().expect("a released schema");
    let place = released(text);
    let store = open(&place.path).await.expect("a store");
    let once = Once {
        key_id: "k_mvbvqf8yh5d5".parse().expect("an id"),
        key: "an order".to_owned().try_into().expect("a key"),
        at: DateTime::from_timestamp_micros(1_795_132_800_000_005).expect("a time"),
    };
    let repeated = store.create_order_once(new_order(2), once).await;
    let Ok(Creation::Repeated(first)) = repeated else {
        panic!("{repeated:?}")
    };
    assert_eq!((first.id, first.status), (2, OrderStatus::Placed));
    let now = store.order(2).await.expect("a result").expect("an order");
    assert_eq!(now.status, OrderStatus::Approved);
    assert_eq!(now.placed_at, first.placed_at);
    let sold = store
        .update_order(2, OrderStatus::Delivered, DateTime::UNIX_EPOCH)
        .await;
    let sold = sold.expect("a result").expect("a step");
    assert_eq!(sold.updated_at, now.updated_at);
    let pet = store.pet(2).await.expect("a result").expect("the pet");
    assert_eq!(pet.status, Some(PetStatus::Sold));
}

#[tokio::test]
async fn webhooks_of_a_released_schema_are_kept() {
    let mut found = Vec::new();
    for text in RELEASED.iter() {
        let place = released(text);
        let store = open(&place.path).await.expect("it is brought up to date");
        let key = "k_mvbvqf8yh5d5".parse().expect("an id");
        let endpoints = store
            .list_endpoints(Some(key))
            .await
            .expect("the endpoints");
        let Some(endpoint) = endpoints.first() else {
            found.push(false);
            continue;
        };
        assert_eq!(endpoint.webhook.url.as_str(), "https://example.com/hook");
        assert_eq!(endpoint.secret.generation, 2);
        let query = DeliveryQuery {
            endpoint: endpoint.id,
            before: None,
            status: None,
            limit: 10,
        };
        let page = store.list_deliveries(query).await.expect("a page");
        let ids: Vec<_> = page.deliveries.iter().map(|delivery| delivery.id).collect();
        assert_eq!(ids, [4]);
        let now = DateTime::from_timestamp_micros(1_795_132_800_000_006).expect("a time");
        let claim = openapi_dropshot_webhooks::Claim {
            now,
            lease_until: now,
            limit: 9,
            per_endpoint: 9,
            failing: endpoint.webhook.failing_since.is_some(),
            busy: Vec::new(),
        };
        let claimed = store.claim_deliveries(claim).await;
        let claimed = claimed.expect("the deliveries");
        assert_eq!((claimed.len(), claimed[0].0.tries), (1, 1));
        found.push(true);
    }
    assert_eq!(found, since(11));
}

#[tokio::test]
async fn webhooks_of_an_upgraded_store_receive_only_events_after_the_newest_existing_event() {
    let place = released(&RELEASED[9]);
    let db = Connection::open(&place.path).expect("the store");
    let event = "INSERT INTO events VALUES (7, x'01', 'pet.status_changed', 0, 1, 2, x'7b7d')";
    db.execute_batch(event).expect("an event");
    drop(db);
    let store = open(&place.path).await.expect("it is brought up to date");
    assert_eq!(store.webhook_position().await.expect("the position"), 7);
}

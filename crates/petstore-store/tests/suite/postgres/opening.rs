//! Tests what is rejected when a store is opened, and the error messages.

use super::{pet, rejected, store};
use crate::postgres_server::shared;
use petstore_store::{OpenProblem, open, schema_version};

#[tokio::test]
async fn a_database_that_can_lose_completed_writes_is_rejected() {
    let Some(cluster) = shared().await else {
        return;
    };
    for value in ["off", "local", "remote_write"] {
        let database = cluster.database().await;
        database.set(&format!("synchronous_commit = {value}")).await;
        let error = rejected(&database).await;
        assert!(
            matches!(
                error.problem,
                OpenProblem::NotDurable {
                    setting: "synchronous_commit",
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains(&format!("`{value}`")), "{error}");
    }
    let database = cluster.database().await;
    database.set("synchronous_commit = remote_apply").await;
    store(&database)
        .await
        .create_pet(pet("Rex"))
        .await
        .expect("more than `on` is welcome");
}

#[tokio::test]
async fn a_server_that_does_not_sync_is_rejected() {
    let Some(cluster) = crate::postgres_server::own(&["fsync=off"]).await else {
        return;
    };
    let error = rejected(&cluster.database().await).await;
    assert!(
        matches!(
            error.problem,
            OpenProblem::NotDurable {
                setting: "fsync",
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_rejected_unchanged() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    store(&database).await.close().await.expect("closed");
    let db = database.client().await;
    db.batch_execute("UPDATE petstore_schema SET version = 99")
        .await
        .expect("a newer version");
    let error = rejected(&database).await;
    assert!(
        matches!(error.problem, OpenProblem::TooNew { found: 99, .. }),
        "{error:?}"
    );
    let version = db
        .query_one("SELECT version FROM petstore_schema", &[])
        .await
        .expect("a version");
    assert_eq!(version.get::<_, i64>(0), 99);
}

#[tokio::test]
async fn the_schema_version_is_known_before_and_after_the_creation_of_a_store() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let url = database.url();
    assert_eq!(schema_version(&url).await.expect("no store"), 0);
    assert_eq!(schema_version(&url).await.expect("still none"), 0);
    store(&database).await.close().await.expect("closed");
    let newest = i64::try_from(super::upgrades::MIGRATIONS.len()).expect("a few");
    assert_eq!(schema_version(&url).await.expect("a store"), newest);
}

#[tokio::test]
async fn the_tables_of_another_program_are_not_changed() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let db = database.client().await;
    db.batch_execute("CREATE TABLE pets (id int)")
        .await
        .expect("another table");
    let error = rejected(&database).await;
    assert!(matches!(error.problem, OpenProblem::NotAStore), "{error:?}");
    let made = db
        .query_one("SELECT to_regclass('petstore_schema') IS NULL", &[])
        .await
        .expect("a result");
    assert!(made.get::<_, bool>(0), "nothing was made");
}

#[tokio::test]
async fn pets_and_keys_are_kept_after_the_store_is_closed_and_opened_again() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let first = store(&database).await;
    let created = first
        .create_pet(pet("Rex \0 \u{1F415}"))
        .await
        .expect("a pet");
    first.create_key(super::key(1)).await.expect("a key");
    first.close().await.expect("closed");
    let again = store(&database).await;
    assert_eq!(
        again.pet(created.id).await.expect("a result"),
        Some(created)
    );
    assert!(again.has_keys().await.expect("a result"));
}

#[tokio::test]
async fn if_several_hosts_are_given_the_host_that_accepts_writes_is_used() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let socket = cluster.socket().display().to_string().replace('/', "%2F");
    let url = format!(
        "postgres://postgres@%2Fnowhere:1,{socket}:5432,127.0.0.1:1/{}",
        database.name()
    );
    let store = open(&url.parse().expect("a URL"))
        .await
        .expect("the second host");
    store.create_pet(pet("Rex")).await.expect("a pet");
}

#[tokio::test]
async fn a_read_only_database_is_rejected() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    database.set("default_transaction_read_only = on").await;
    let error = rejected(&database).await;
    assert!(
        matches!(error.problem, OpenProblem::Unreachable(_)),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("does not allow writes"),
        "{error}"
    );
}

#[tokio::test]
async fn the_error_about_an_unreachable_database_does_not_contain_the_password() {
    let url = "postgres://pets:s3cret@127.0.0.1:1/pets?sslmode=disable"
        .parse()
        .expect("a URL");
    let error = open(&url).await.map(drop).expect_err("nobody is there");
    assert!(
        matches!(error.problem, OpenProblem::Unreachable(_)),
        "{error:?}"
    );
    let texts = format!("{error} {error:?} {url} {url:?}");
    assert!(
        texts.contains("pets@127.0.0.1:1") && !texts.contains("s3cret"),
        "{texts}"
    );
}

#[tokio::test]
async fn a_missing_database_and_an_unreachable_server_have_different_errors() {
    let Some(cluster) = shared().await else {
        return;
    };
    let url = format!(
        "postgres://postgres@/nothing?host={}",
        cluster.socket().display()
    );
    let error = open(&url.parse().expect("a URL"))
        .await
        .map(drop)
        .expect_err("there is none");
    assert!(
        matches!(error.problem, OpenProblem::Refused(_)),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("\"nothing\" does not exist"),
        "{error}"
    );
}

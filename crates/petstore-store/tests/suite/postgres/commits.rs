//! Tests commits that wait for a replica: if the server ends the session or cancels the commit, or if
//! the wait never ends, the commit is never reported as a success.

use super::{outcome, pet, store};
use crate::postgres_server::own;
use petstore_store::Outcome;
use std::time::Duration;
use tokio_postgres::Client;

/// The settings of a server whose commits wait for a replica that never connects.
const LONELY: &[&str] = &["synchronous_standby_names=nobody"];

/// Waits for a session whose commit waits, and calls this SQL function with its process id.
async fn when_one_waits(db: &Client, function: &str) {
    let sql = format!("SELECT {function}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    while db.query(&sql, &[]).await.expect("a result").is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Creates a pet, and calls this SQL function while the commit waits.
async fn while_a_commit_waits(function: &str, settings: &[&str]) {
    // The server starts without a replica setting, so that the setup does not wait for a replica.
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    for setting in settings {
        database.set(setting).await;
    }
    let store = store(&database).await;
    let first = store
        .create_pet(pet("first"))
        .await
        .expect("no replica is asked for yet");
    for setting in LONELY {
        let (name, value) = setting.split_once('=').expect("a setting");
        cluster
            .execute(&format!("ALTER SYSTEM SET {name} = '{value}'"))
            .await;
    }
    cluster.execute("SELECT pg_reload_conf()").await;
    let db = database.client().await;
    until_lonely(&db).await;

    // Commits wait only after the checkpointer has read the new setting, so several pets may be created before.
    let second = async {
        let mut created = store.create_pet(pet("second")).await;
        while created.is_ok() {
            created = store.create_pet(pet("second")).await;
        }
        created
    };
    let (created, ()) = tokio::join!(second, when_one_waits(&db, function));
    assert_eq!(outcome(&created), Some(Outcome::Unknown), "{created:?}");
    assert_eq!(
        store.pet(first.id).await.expect("reads continue"),
        Some(first)
    );

    cluster
        .execute("ALTER SYSTEM RESET synchronous_standby_names")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    store
        .create_pet(pet("third"))
        .await
        .expect("writes continue");
}

/// Waits until the server has read the new settings.
async fn until_lonely(db: &Client) {
    let set =
        "SELECT 1 FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'";
    while db.query(set, &[]).await.expect("a result").is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_cancelled_commit_has_an_unknown_outcome() {
    while_a_commit_waits("pg_cancel_backend", &[]).await;
}

#[tokio::test]
async fn a_cancelled_commit_has_an_unknown_outcome_even_if_the_server_sends_no_warnings() {
    while_a_commit_waits("pg_cancel_backend", &["client_min_messages = error"]).await;
}

#[tokio::test]
async fn a_commit_whose_session_was_ended_has_an_unknown_outcome() {
    while_a_commit_waits("pg_terminate_backend", &[]).await;
}

#[tokio::test]
async fn a_commit_that_never_ends_is_abandoned_and_not_cancelled_by_a_server_timeout() {
    while_a_commit_waits("pg_backend_pid() + 0 * ", &["statement_timeout = 500"]).await;
}

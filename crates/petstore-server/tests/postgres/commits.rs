//! Tests a commit that waits for a replica that never confirms it: the client gets 503 at the
//! deadline and never 201. The service cancels nothing, because a commit whose wait is cancelled
//! becomes visible and is reported as successful.

use crate::{
    count_of,
    postgres::{Cluster, Database, own},
    process::Service,
    raw::Request,
    scrape::Watched,
    serve,
};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio_postgres::Client;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Makes every later commit of this database's sessions wait for a replica.
async fn ask_for_a_replica(cluster: &Cluster, database: &Database<'_>, db: &Client) {
    cluster
        .execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    let asked = "SELECT count(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'";
    until(db, asked, 1).await;
    // The other sessions start to wait after a process of the server has notified them.
    let other = database.client().await;
    let commits = tokio::spawn(async move {
        let commit = "SELECT pg_logical_emit_message(true, '', '')";
        while other.batch_execute(commit).await.is_ok() {}
    });
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    until(db, waiting, 1).await;
    commits.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_without_their_replica_make_the_service_not_ready_until_a_replica_exists() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let url = database.url().to_string();
    let arguments = ["--database", &url, "--request-deadline-seconds", "1"];
    let watched = Watched::start_with(&arguments);
    let db = database.client().await;
    ask_for_a_replica(&cluster, &database, &db).await;

    create(&watched.service, "alone").assert_error(503, "unavailable");
    let why = watched.until_readiness(503);
    assert!(why.contains("writes have not succeeded for"), "{why}");
    assert_eq!(watched.ask("/livez").status, 200);
    assert_eq!(watched.service.get("/v1/pets").status, 200);
    // The service also stays not ready after the deadline of the write, when only the service
    // itself writes.
    watched.service.log.wait_for("writes failed: ");
    let why = watched.until_readiness(503);
    assert!(why.contains("the last error is: "), "{why}");
    cluster
        .execute("ALTER SYSTEM RESET synchronous_standby_names")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    watched.until_readiness(200);
    watched.service.add("after", None);
}

async fn until(db: &Client, count: &str, least: i64) {
    let begin = Instant::now();
    loop {
        let found: i64 = db.query_one(count, &[]).await.expect("a response").get(0);
        if found >= least {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "{found} of {least}: {count}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn create(service: &Service, name: &str) -> crate::raw::RawResponse {
    let pet = json!({"name": name, "categoryId": 7}).to_string();
    service.send(&Request::post("/v1/pets", pet).key(&service.key))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_commit_has_not_reached_the_replica_gets_503_and_the_commit_is_not_cancelled()
 {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore' AND wait_event = 'SyncRep'";
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let service = serve(&database);
    service.add("before", None);
    let db = database.client().await;
    ask_for_a_replica(&cluster, &database, &db).await;

    create(&service, "alone").assert_error(503, "unavailable");
    create(&service, "alone too").assert_error(503, "unavailable");
    // Both connections accept no further write, according to the service.
    service.log.wait_for("takes no further write");
    // Both sessions still wait, so neither was cancelled.
    until(&db, WAITING, 2).await;
    let log = cluster.log();
    assert!(!log.contains("canceling"), "{log}");
    // A waiting commit is not visible to other sessions before the wait is over.
    assert_eq!(service.pets().len(), 1);

    cluster
        .execute("ALTER SYSTEM RESET synchronous_standby_names")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    let begin = Instant::now();
    while create(&service, "after").status != 201 {
        assert!(begin.elapsed() < PATIENCE, "{}", service.log.text());
    }
    assert_eq!(count_of(&service, "before"), 1);
    assert!(count_of(&service, "alone") <= 1 && count_of(&service, "alone too") <= 1);
    assert!(count_of(&service, "after") >= 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_wait_for_its_replica_is_cancelled_gets_503() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let service = serve(&database);
    service.add("before", None);
    let db = database.client().await;
    ask_for_a_replica(&cluster, &database, &db).await;
    let response = tokio::task::spawn_blocking(move || create(&service, "cancelled"));
    let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE application_name = 'petstore' AND wait_event = 'SyncRep'";
    until(&db, cancel, 1).await;
    response
        .await
        .expect("no panic")
        .assert_error(503, "unavailable");
}

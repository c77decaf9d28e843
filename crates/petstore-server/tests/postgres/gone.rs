//! Tests an unreachable database: at the start, during requests, and if it is reachable but has a
//! locked table.

use crate::{
    count_of,
    postgres::{own, shared},
    process::{Service, run_failing},
    raw::{RawResponse, Request, send},
    relay::Relay,
    scrape::Watched,
};
use serde_json::json;
use std::{
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends requests until one gets this status; all requests before it must get the other status.
/// Returns their number. Also checks the form of each 503.
fn until(status: u16, before: u16, ask: impl Fn() -> RawResponse) -> usize {
    let begin = Instant::now();
    for count in 0.. {
        let response = ask();
        if response.status == 503 {
            response.assert_error(503, "unavailable");
        }
        if response.status == status {
            return count;
        }
        assert_eq!(response.status, before, "{response:?}");
        assert!(begin.elapsed() < PATIENCE, "{response:?}");
        thread::sleep(Duration::from_millis(20));
    }
    unreachable!("it is asked until then")
}

fn post(name: &str) -> Request {
    Request::post(
        "/v1/pets",
        json!({"name": name, "categoryId": 7}).to_string(),
    )
}

fn until_ready(watched: &Watched, status: u16) {
    let begin = Instant::now();
    while watched.ask("/readyz").status != status {
        assert!(begin.elapsed() < PATIENCE, "{}", watched.service.log.text());
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_unreachable_database_at_the_start_is_reported_with_a_remedy_and_without_its_password() {
    let folder = TempDir::new().expect("a folder can be made");
    for database in [
        "postgres://pets:s3cret@127.0.0.1:1/pets?sslmode=disable",
        "postgres://pets:s3cret@127.0.0.1:1,127.0.0.1:2/pets?sslmode=disable",
        "postgres://pets:s3cret@/pets?host=/no/such/folder",
    ] {
        let error = run_failing(
            folder.path(),
            &[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--database-wait-seconds",
                "0",
                "--database",
                database,
            ],
            1,
        );
        assert!(
            error.starts_with("error: cannot open the database `postgres://pets@"),
            "{error}"
        );
        assert!(error.contains("check that it runs"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_or_not_durable_database_prevents_the_start() {
    let Some(cluster) = shared().await else {
        return;
    };
    let folder = TempDir::new().expect("a folder can be made");
    let error_of = |url: &str| {
        run_failing(
            folder.path(),
            &["serve", "--listen", "127.0.0.1:0", "--database", url],
            1,
        )
    };
    let nothing = format!(
        "postgres://postgres@/nothing?host={}",
        cluster.socket().display()
    );
    let error = error_of(&nothing);
    assert!(error.contains("\"nothing\" does not exist"), "{error}");
    let database = cluster.database().await;
    database.set("synchronous_commit = local").await;
    let error = error_of(&database.url().to_string());
    assert!(
        error.contains("`synchronous_commit` is `local`; set it to `on`"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_get_503_while_the_database_is_unreachable_and_succeed_afterwards() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let watched = Watched::start_with(&["--database", &database.url().to_string()]);
    let service = &watched.service;
    let ask = |request: Request| service.send(&request.key(&service.key));
    service.add("before", None);
    let mut stored = 0;
    for round in 0..3 {
        cluster.kill();
        // The sessions of the database are separate processes, so each may respond once more.
        until(503, 200, || ask(Request::get("/v1/pets")));
        until(503, 200, || ask(Request::get("/v1/pets/1")));
        stored += until(503, 201, || ask(post("meanwhile")));
        // The service recognises an invalid key without the database.
        service
            .send(&Request::get("/v1/pets").key("no-key"))
            .assert_error(401, "unauthorized");
        until_ready(&watched, 503);
        assert_eq!(watched.ask("/livez").status, 200, "a restart mends nothing");

        cluster.start().await;
        until(200, 503, || ask(Request::get("/v1/pets/1")));
        until(201, 503, || ask(post(&format!("after {round}"))));
        until_ready(&watched, 200);
    }
    assert_eq!(count_of(service, "before"), 1);
    assert_eq!(count_of(service, "meanwhile"), stored);
    for round in 0..3 {
        assert_eq!(count_of(service, &format!("after {round}")), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_metrics_report_a_lost_database_even_without_requests() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let watched = Watched::start_with(&["--database", &database.url().to_string()]);
    let until_reported = |ready: f64| {
        let begin = Instant::now();
        while watched.scrape().find("petstore_ready", &[]) != Some(ready) {
            assert!(begin.elapsed() < PATIENCE, "{}", watched.service.log.text());
            thread::sleep(Duration::from_millis(50));
        }
    };
    until_reported(1.0);
    for _ in 0..2 {
        cluster.kill();
        until_reported(0.0);
        cluster.start().await;
        until_reported(1.0);
    }
    watched
        .scrape()
        .assert("petstore_errors_total", &[("code", "unavailable")], 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_of_a_locked_table_end_at_their_timeout_and_creations_at_their_deadline() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let watched = Watched::start_with(&["--database", &database.url().to_string()]);
    let service = &watched.service;
    let id = service.add("before", None);
    let holder = database.client().await;
    holder
        .batch_execute("BEGIN; LOCK TABLE pets")
        .await
        .expect("it is held");
    let (read, created) = thread::scope(|scope| {
        let read = scope.spawn(|| service.get("/v1/pets"));
        let created = scope.spawn(|| service.send(&post("meanwhile").key(&service.key)));
        (
            read.join().expect("no panic"),
            created.join().expect("no panic"),
        )
    });
    read.assert_error(503, "unavailable");
    created.assert_error(503, "unavailable");
    until_ready(&watched, 503);

    holder
        .batch_execute("ROLLBACK")
        .await
        .expect("it is let go");
    until(200, 503, || service.get(&format!("/v1/pets/{id}")));
    until(201, 503, || service.send(&post("after").key(&service.key)));
    until_ready(&watched, 200);
    // The response said that the outcome is unknown.
    assert!(count_of(service, "meanwhile") <= 1);
    assert_eq!(count_of(service, "after"), 1);
}

/// This many reads can use the connections at the same time, on a machine with two processors.
const READS: usize = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_of_a_silent_database_fail_after_the_connection_timeout_and_before_their_deadline() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let relay = Relay::start(&cluster).await;
    let (address, name) = (relay.address, database.name());
    let url = format!("postgres://postgres@{address}/{name}?sslmode=disable");
    let service = Service::start_with(&["--database", &url, "--max-in-flight", "1000"]);
    service.add("before", None);
    relay.fall_silent();
    thread::scope(|scope| {
        for _ in 0..READS {
            scope.spawn(|| {
                let request = Request::get("/v1/pets").key(&service.key);
                assert_eq!(send(service.address, &request).status, 503);
            });
        }
    });
    let log = service.log.text();
    assert!(log.contains("no response within 2 s"), "{log}");
    assert!(!log.contains("5000 ms"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creations_get_503_and_the_service_is_not_ready_when_ids_are_used_up() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let watched = Watched::start_with(&["--database", &database.url().to_string()]);
    let db = database.client().await;
    let last = "SELECT setval('pet_ids', 9223372036854775806)";
    db.batch_execute(last).await.expect("the sequence");
    assert_eq!(watched.ask("/readyz").status, 200);
    assert_eq!(watched.service.add("the last one", None), i64::MAX);
    for _ in 0..2 {
        let response = watched
            .service
            .send(&post("one more").key(&watched.service.key));
        let message = response.assert_error(503, "unavailable");
        assert!(message.contains("nothing was changed"), "{message}");
    }
    watched.until_readiness(503);
    watched
        .service
        .log
        .wait_for("the sequence `pet_ids` has reached its end");
    db.batch_execute("DELETE FROM pets; SELECT setval('pet_ids', 1)")
        .await
        .expect("the sequence");
    watched.until_readiness(200);
    assert_eq!(watched.service.add("again", None), 2);
}

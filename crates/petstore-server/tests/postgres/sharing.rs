//! Tests several servers that share one database.

use crate::{
    postgres::shared,
    process::{run_failing, run_ok},
    raw::Request,
    serve, serve_beside,
};
use rustix::process::Signal;
use std::{
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_created_by_one_server_are_valid_on_another() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let one = serve(&database);
    let two = serve_beside(&one, &database);
    assert!(!two.showed_a_key(), "the store has one: {}", two.log.text());

    let folder = TempDir::new().expect("a folder can be made");
    let url = database.url().to_string();
    let made = run_ok(
        folder.path(),
        &["key", "create", "shop", "--database", &url],
    );
    let asks = || {
        [&one, &two].map(|service| {
            service
                .send(&Request::get("/v1/pets").key(made.trim()))
                .status
        })
    };
    assert_eq!(asks(), [200, 200]);
    let listed = run_ok(folder.path(), &["key", "list", "--database", &url]);
    assert_eq!(listed.lines().skip(1).count(), 2, "{listed}");
    let line = listed.lines().find(|line| line.contains("\tshop\t"));
    let id = line
        .and_then(|line| line.split('\t').next())
        .expect("its id");
    run_ok(folder.path(), &["key", "revoke", id, "--database", &url]);
    let revoked = Instant::now();
    while asks() != [401, 401] {
        assert!(revoked.elapsed() < Duration::from_secs(20), "still works");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_assign_distinct_ids_and_list_each_others_pets() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let one = serve(&database);
    let two = serve_beside(&one, &database);
    let mut ids: Vec<i64> = thread::scope(|scope| {
        let add = |service| {
            move || {
                (0..50)
                    .map(|_| crate::Service::add(service, "Rex", None))
                    .collect()
            }
        };
        let both = [scope.spawn(add(&one)), scope.spawn(add(&two))];
        both.into_iter()
            .flat_map(|adds| -> Vec<i64> { adds.join().expect("no panic") })
            .collect()
    });
    ids.sort_unstable();
    // Follows the pages and requests each one from the other server.
    let mut met = Vec::new();
    let mut target = "/v1/pets?limit=7".to_owned();
    for service in [&one, &two].into_iter().cycle() {
        let response = service.get(&target);
        assert_eq!(response.status, 200, "{response:?}");
        let page = response.json();
        met.extend(
            page.as_array()
                .expect("a page")
                .iter()
                .filter_map(|pet| pet["id"].as_i64()),
        );
        let Some(link) = response.header("link") else {
            break;
        };
        let next = link.strip_prefix('<').and_then(|link| link.split_once('>'));
        target = format!("/v1/pets{}", next.expect("a target").0);
    }
    assert_eq!(met, ids, "each once, in order");
    assert_eq!(ids.len(), 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_or_is_killed_does_not_stop_the_other_one() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let (first, signals) = (serve(&database), [Signal::TERM, Signal::KILL]);
    for signal in signals {
        let mut other = serve_beside(&first, &database);
        let id = other.add("Rex", None);
        other.signal(signal);
        other.ended();
        assert_eq!(first.get(&format!("/v1/pets/{id}")).status, 200);
        first.add("Tom", None);
    }
    assert_eq!(first.pets().len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_server_creates_the_tables_of_an_empty_database() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let folder = TempDir::new().expect("a folder can be made");
    let url = database.url().to_string();
    for command in [&["key", "list"][..], &["usage"], &["migrate"]] {
        let error = run_failing(folder.path(), &[command, &["--database", &url]].concat(), 1);
        assert!(error.contains("there is no store"), "{error}");
    }
    let plan = ["migrate", "--dry-run", "--database", &url];
    let said = run_ok(folder.path(), &plan);
    assert!(
        said.contains("has no store; `serve` would create one"),
        "{said}"
    );
    let made = run_ok(folder.path(), &["migrate", "--create", "--database", &url]);
    assert!(made.contains("is a new store"), "{made}");
    let listed = run_ok(folder.path(), &["key", "list", "--database", &url]);
    assert_eq!(listed.lines().count(), 1, "{listed}");
    let said = run_ok(folder.path(), &plan);
    assert!(said.contains("there is nothing to upgrade"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_backup_rejects_a_postgresql_database_and_names_pg_dump() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let _service = serve(&database);
    let folder = TempDir::new().expect("a folder can be made");
    let url = database.url().to_string();
    let error = run_failing(folder.path(), &["backup", "copy.db", "--database", &url], 1);
    assert!(error.contains("`pg_dump`"), "{error}");
}

//! Tests URLs with several hosts, some of which are machines that no longer exist: connections to
//! them are neither accepted nor rejected.

use crate::{
    postgres::{Cluster, Database, own},
    process::run_failing,
    raw::Request,
    relay::Relay,
    scrape::Watched,
};
use std::{
    net::{SocketAddr, TcpListener},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A connection to a machine that vanished must be closed within this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// A host that never responds.
fn silent() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a port is free")
}

fn url_of(hosts: &[SocketAddr], database: &Database<'_>) -> String {
    let hosts: Vec<_> = hosts.iter().map(ToString::to_string).collect();
    let (hosts, name) = (hosts.join(","), database.name());
    format!("postgres://postgres@{hosts}/{name}?sslmode=disable")
}

/// Ends all connections of the service, as a failover does.
async fn end_connections(cluster: &Cluster) {
    cluster
        .execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'",
        )
        .await;
}

/// Finding the host that responds takes six seconds. This is longer than a read may take, and much
/// longer than a health check waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_whose_first_hosts_are_silent_becomes_ready_through_health_checks_only() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let (first, second, third) = (Relay::start(&cluster).await, silent(), silent());
    let last = Relay::start(&cluster).await;
    let addresses = [&second, &third].map(|host| host.local_addr().expect("it has one"));
    let hosts = [first.address, addresses[0], addresses[1], last.address];
    let watched = Watched::start_with(&["--database", &url_of(&hosts, &database)]);
    watched.service.add("before", None);
    assert_eq!(watched.ask("/readyz").status, 200);
    assert_eq!(last.accepted(), 0, "the first host accepts writes");

    first.fall_silent();
    end_connections(&cluster).await;
    watched.until_readiness(503);
    watched.until_readiness(200);
    assert!(last.accepted() > 0);
    assert_eq!(watched.service.get("/v1/pets").status, 200);
    watched.service.add("after", None);

    // From now on, this host is tried first.
    let before = (first.accepted(), last.accepted());
    end_connections(&cluster).await;
    let key = &watched.service.key;
    let request = Request::get("/v1/pets").key(key);
    assert_eq!(watched.service.send(&request).status, 200);
    assert_eq!(first.accepted(), before.0);
    assert!(last.accepted() > before.1);
}

#[test]
fn the_connect_timeout_of_the_url_applies_to_each_host() {
    let host = silent();
    let address = host.local_addr().expect("it has one");
    let folder = TempDir::new().expect("a folder can be made");
    let error_with = |parameter: &str| {
        let url = format!("postgres://postgres@{address}/pets?sslmode=disable{parameter}");
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--database", &url];
        let at_once = ["--database-wait-seconds", "0"];
        run_failing(folder.path(), &[&arguments[..], &at_once].concat(), 1)
    };
    for (parameter, seconds) in [
        ("", 2),
        ("&connect_timeout=0", 2),
        ("&connect_timeout=1", 1),
        ("&connect_timeout=4", 4),
    ] {
        let error = error_with(parameter);
        let expected = format!("no response within {seconds} s");
        assert!(error.contains(&expected), "{parameter}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_to_a_machine_that_vanished_are_closed_within_seconds() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let relay = Relay::start(&cluster).await;
    let url = url_of(&[relay.address], &database);
    let watched = Watched::start_with(&["--database", &url]);
    assert_eq!(watched.service.get("/v1/pets").status, 200);
    let idle = || {
        let scrape = watched.scrape();
        scrape.find("petstore_store_connections", &[("state", "idle")])
    };
    assert!(idle() > Some(0.0));
    relay.vanish();
    let begin = Instant::now();
    while idle() > Some(0.0) {
        assert!(begin.elapsed() < PATIENCE, "they are still open");
        thread::sleep(Duration::from_millis(100));
    }
    println!("closed after {:.1} s", begin.elapsed().as_secs_f64());
}

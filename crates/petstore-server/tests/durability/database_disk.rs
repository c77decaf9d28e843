//! Tests a PostgreSQL server whose disk is slow: `strace` delays the syncs of its write-ahead log.

use crate::{
    postgres::{Cluster, own},
    process::Service,
    stalled::Stall,
    trace::can_trace,
};
use std::time::{Duration, Instant};
use test_support::{Need, skip};
use tokio_postgres::Client;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until the query counts at least this many.
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

/// Waits until the server has accepted this many more sessions.
async fn until_sessions(cluster: &Cluster, more: usize) {
    let sessions = || cluster.log().matches("connection authorized").count();
    let (begin, before) = (Instant::now(), sessions());
    while sessions() < before + more {
        assert!(begin.elapsed() < PATIENCE, "{}", cluster.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The sync of a commit takes longer than the deadline of the commit, and then the commit waits for
/// its replica. If the server gets a cancel request during the sync, it executes the request when
/// the wait begins.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_waits_for_the_disk_is_not_cancelled_before_its_replica_confirms() {
    const WRITERS: &str =
        "FROM pg_stat_activity WHERE application_name = 'petstore' AND query ~ 'INSERT|UPDATE'";
    const AT_DISK: &str =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event IN ('WALSync', 'WalSync')";
    const AT_REPLICA: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    if !can_trace() {
        return skip(Need::Strace, "strace cannot trace here");
    }
    let Some(cluster) = own(&["log_connections=on"]).await else {
        return;
    };
    let database = cluster.database().await;
    let url = database.url().to_string();
    let service = Service::start_with(&["--database", &url]);
    service.add("before", None);
    let db = database.client().await;
    until(&db, &format!("SELECT count(*) {WRITERS}"), 2).await;
    let writers = format!("SELECT pid {WRITERS}");
    let writers = db.query(&writers, &[]).await.expect("processes");
    let writers: Vec<i32> = writers.iter().map(|row| row.get(0)).collect();
    cluster
        .execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    let asked = "SELECT count(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'";
    until(&db, asked, 1).await;

    let stall = Stall::of_processes(&writers, "fsync,fdatasync", "delay_enter=600s");
    let response = service.post(r#"{"name":"Rex","categoryId":7}"#);
    response.assert_error(503, "unavailable");
    service.log.wait_for("takes no further write");
    until(&db, AT_DISK, 1).await;
    // The service checks the commit more than once.
    until_sessions(&cluster, 3).await;
    drop(stall);
    until(&db, AT_REPLICA, 1).await;
    assert_eq!(service.pets().len(), 1, "it is not on a replica");
    let log = cluster.log();
    assert!(!log.contains("canceling"), "{log}");
}

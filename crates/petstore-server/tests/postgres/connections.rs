//! Tests the number of connections to the database: while writes block for half a minute, and if the
//! database has too few connections for the service.

use crate::{
    postgres::{Cluster, Database, own},
    process::Service,
    raw::{RawResponse, Request, send},
    scrape::Watched,
};
use serde_json::json;
use std::{
    collections::HashSet,
    net::SocketAddr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};
use tokio_postgres::Client;

/// How long writes block: three and a half times the deadline of a write. After each deadline, the
/// service used to open another connection for each blocked write.
const BLOCKED: Duration = Duration::from_secs(35);
/// The number of connections that write.
const WRITERS: usize = 2;
/// The number of additional connections that may exist for short times: those that end while their
/// successors open, and one that checks what the database does for another connection.
const SPARE: usize = 4;
/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(30);

const BACKENDS: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore'";

/// The responses that clients got to the creations of one test.
#[derive(Default)]
struct Told {
    created: HashSet<String>,
    not_applied: HashSet<String>,
    unknown: HashSet<String>,
}

impl Told {
    fn add(&mut self, name: String, response: &RawResponse) {
        if response.status == 201 {
            self.created.insert(name);
            return;
        }
        let body = String::from_utf8_lossy(&response.body);
        assert_eq!(response.status, 503, "{response:?}");
        if body.contains("nothing was changed") || body.contains("nothing was started") {
            self.not_applied.insert(name);
        } else {
            self.unknown.insert(name);
        }
    }

    fn merge(&mut self, other: Told) {
        self.created.extend(other.created);
        self.not_applied.extend(other.not_applied);
        self.unknown.extend(other.unknown);
    }
}

/// A service and clients that create and read pets all the time.
struct Busy<'cluster> {
    database: Database<'cluster>,
    watched: Watched,
    db: Client,
}

impl<'cluster> Busy<'cluster> {
    async fn start(cluster: &'cluster Cluster) -> Self {
        let database = cluster.database().await;
        let watched = Watched::start_with(&["--database", &database.url().to_string()]);
        watched.service.add("before", None);
        let db = database.client().await;
        Busy {
            database,
            watched,
            db,
        }
    }

    /// Returns the highest number of backends of the service in this time, and the responses that
    /// clients got.
    async fn for_this_long(&self, time: Duration) -> (usize, Told) {
        let end = Instant::now() + time;
        let (address, key) = (
            self.watched.service.address,
            self.watched.service.key.clone(),
        );
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let key = key.clone();
                tokio::task::spawn_blocking(move || create_until(end, client, address, &key))
            })
            .collect();
        let readers = (0..2).map(|_| {
            let key = key.clone();
            tokio::task::spawn_blocking(move || {
                while Instant::now() < end {
                    send(address, &Request::get("/v1/pets").key(&key));
                    thread::sleep(Duration::from_millis(20));
                }
            })
        });
        let readers: Vec<_> = readers.collect();
        let mut most = 0;
        while Instant::now() < end {
            most = most.max(self.backends().await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let mut told = Told::default();
        for client in clients {
            told.merge(client.await.expect("no panic"));
        }
        for reader in readers {
            reader.await.expect("no panic");
        }
        (most, told)
    }

    async fn backends(&self) -> usize {
        let count: i64 = self
            .db
            .query_one(BACKENDS, &[])
            .await
            .expect("a count")
            .get(0);
        usize::try_from(count).expect("not negative")
    }

    fn limit(&self) -> usize {
        let scrape = self.watched.scrape();
        let readers = scrape.find("petstore_store_connections_limit", &[]);
        readers.expect("a limit") as usize + WRITERS + SPARE
    }

    async fn until_writes_succeed(&self) {
        let begin = Instant::now();
        while create(
            self.watched.service.address,
            &self.watched.service.key,
            "after",
        )
        .status
            != 201
        {
            assert!(
                begin.elapsed() < PATIENCE,
                "{}",
                self.watched.service.log.text()
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns the names of all pets, read from the database itself.
    async fn names(&self) -> Vec<String> {
        let db = self.database.client().await;
        let rows = db.query("SELECT convert_from(name, 'UTF8') FROM pets", &[]);
        let rows = rows.await.expect("the pets");
        rows.iter().map(|row| row.get(0)).collect()
    }
}

fn create(address: SocketAddr, key: &str, name: &str) -> RawResponse {
    let pet = json!({"name": name, "categoryId": 7}).to_string();
    send(address, &Request::post("/v1/pets", pet).key(key))
}

fn create_until(end: Instant, client: usize, address: SocketAddr, key: &str) -> Told {
    let mut told = Told::default();
    for number in 0.. {
        if Instant::now() >= end {
            break;
        }
        let name = format!("{client}/{number}");
        let response = create(address, key, &name);
        if response.status == 503 {
            // Waits like a client that obeys `Retry-After`, but for a shorter time.
            thread::sleep(Duration::from_millis(50));
        }
        told.add(name, &response);
    }
    told
}

/// Checks that the responses were true: no created pet is missing, and no pet exists whose creation
/// was reported as not done.
fn check(names: &[String], told: &Told) {
    let stored: HashSet<&String> = names.iter().collect();
    for name in &told.created {
        assert!(stored.contains(name), "{name} was created and is lost");
    }
    for name in &told.not_applied {
        assert!(!stored.contains(name), "{name} exists, and was said not to");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_table_does_not_use_up_the_connections_of_the_database() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let busy = Busy::start(&cluster).await;
    let holder = busy.database.client().await;
    holder
        .batch_execute("BEGIN; LOCK TABLE pets")
        .await
        .expect("it is held");
    let (most, told) = busy.for_this_long(BLOCKED).await;
    let limit = busy.limit();
    println!(
        "at most {most} backends, {limit} are allowed; created {}, not applied {}, unknown {}",
        told.created.len(),
        told.not_applied.len(),
        told.unknown.len()
    );
    assert!(most <= limit, "{most} backends, {limit} are allowed");
    holder.batch_execute("ROLLBACK").await.expect("it is free");
    busy.until_writes_succeed().await;
    check(&busy.names().await, &told);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_replica_does_not_use_up_the_connections_of_the_database() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let busy = Busy::start(&cluster).await;
    cluster
        .execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    let (most, told) = busy.for_this_long(BLOCKED).await;
    let limit = busy.limit();
    println!(
        "at most {most} backends, {limit} are allowed; created {}, not applied {}, unknown {}",
        told.created.len(),
        told.not_applied.len(),
        told.unknown.len()
    );
    assert!(most <= limit, "{most} backends, {limit} are allowed");
    assert!(!told.unknown.is_empty(), "some commits waited");
    cluster
        .execute("ALTER SYSTEM RESET synchronous_standby_names")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    busy.until_writes_succeed().await;
    check(&busy.names().await, &told);
}

/// Each order is a separate statement. Many such statements in one batch wait for the lock one after
/// the other, so the deadline of the batch comes long before the last statement.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_that_still_wait_after_the_deadline_are_cancelled() {
    const ORDERS: i64 = 60;
    const WAITING: &str = "SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore' AND wait_event_type = 'Lock'";
    const LEFT: &str = "SELECT concat_ws(' ', now() - backend_start, state, wait_event, now() - query_start, query)
        FROM pg_stat_activity WHERE pid = ANY($1)";
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let busy = Busy::start(&cluster).await;
    let service = &busy.watched.service;
    let pets: Vec<i64> = (0..ORDERS)
        .map(|_| service.add("Rex", Some("available")))
        .collect();
    let holder = busy.database.client().await;
    holder
        .batch_execute("BEGIN; LOCK TABLE orders")
        .await
        .expect("it is held");
    let order = |pet: i64| {
        let body = json!({"petId": pet}).to_string();
        let request = Request::post("/v1/store/orders", body).key(&service.key);
        send(service.address, &request).status
    };
    thread::scope(|scope| {
        let orders: Vec<_> = pets
            .iter()
            .map(|pet| scope.spawn(move || order(*pet)))
            .collect();
        for order in orders {
            assert_eq!(order.join().expect("no panic"), 503);
        }
    });
    // One after the other, they would wait for most of a minute. Later connections also wait for the
    // lock, because they prepare statements, so only the current ones are checked.
    let waiting = busy.db.query(WAITING, &[]).await.expect("processes");
    let waiting: Vec<i32> = waiting.iter().map(|row| row.get(0)).collect();
    let begin = Instant::now();
    loop {
        let left = busy.db.query(LEFT, &[&waiting]).await.expect("processes");
        let left: Vec<String> = left.iter().map(|row| row.get(0)).collect();
        if left.is_empty() {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "they wait on: {left:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    holder.batch_execute("ROLLBACK").await.expect("it is free");
    let begin = Instant::now();
    while order(pets[0]) == 503 {
        assert!(begin.elapsed() < PATIENCE, "{}", service.log.text());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Runs clients that order pets that another session has locked, and clients that create and order
/// other pets.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_locked_by_another_session_do_not_stop_other_writes() {
    const LOCKED: usize = 30;
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let busy = Busy::start(&cluster).await;
    let service = &busy.watched.service;
    let (address, key) = (service.address, &service.key);
    let pets: Vec<i64> = (0..LOCKED + 10)
        .map(|_| service.add("Rex", Some("available")))
        .collect();
    let (locked, free) = pets.split_at(LOCKED);
    let holder = busy.database.client().await;
    let lock = format!(
        "BEGIN; UPDATE pets SET status = status WHERE id BETWEEN {} AND {}",
        locked[0],
        locked[LOCKED - 1]
    );
    holder.batch_execute(&lock).await.expect("they are locked");
    let order = |pet: i64| {
        let body = json!({"petId": pet}).to_string();
        send(address, &Request::post("/v1/store/orders", body).key(key))
    };
    let (tried, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for pet in locked {
            let (tried, is_over) = (&tried, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Acquire) {
                    tried.fetch_add(1, Ordering::AcqRel);
                    let message = order(*pet).assert_error(503, "unavailable");
                    assert!(message.contains("nothing was changed"), "{message}");
                }
            });
        }
        while tried.load(Ordering::Acquire) < LOCKED {
            thread::sleep(Duration::from_millis(10));
        }
        let others = free.iter().map(|pet| {
            let begin = Instant::now();
            let statuses = [create(address, key, "Tom").status, order(*pet).status];
            println!("{statuses:?} after {:.2} s", begin.elapsed().as_secs_f64());
            statuses
        });
        let others: Vec<_> = others.collect();
        is_over.store(true, Ordering::Release);
        assert_eq!(others, [[201; 2]; 10]);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_with_two_connections_is_enough_to_read_and_to_write() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let name = database.name();
    cluster
        .execute("CREATE ROLE pets LOGIN CONNECTION LIMIT 2")
        .await;
    cluster
        .execute(&format!("ALTER DATABASE {name} OWNER TO pets"))
        .await;
    let url = format!(
        "postgres://pets@/{name}?host={}",
        cluster.socket().display()
    );
    let service = Service::start_with(&["--database", &url]);
    let (address, key) = (service.address, &service.key);
    let (created, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let reads_failed = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    if send(address, &Request::get("/v1/pets?limit=1").key(key)).status != 200 {
                        reads_failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let writers: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..40 {
                        let counter = match create(address, key, "Rex").status {
                            201 => &created,
                            _ => &failed,
                        };
                        counter.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("no panic");
        }
        is_over.store(true, Ordering::Release);
    });
    let (created, failed) = (created.into_inner(), failed.into_inner());
    let reads_failed = reads_failed.into_inner();
    println!("created {created}, failed {failed}, reads failed {reads_failed}");
    assert_eq!((created, failed, reads_failed), (640, 0, 0));
}

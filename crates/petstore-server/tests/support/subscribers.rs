//! A consumer of the feed and a webhook beside a load, both of which must get each event although processes are killed.
//!
//! The consumer is a separate process, so that it can be killed, too. It stores the effect of each event and the
//! event's cursor in one transaction of its own table, as `book/src/petstore/events.md` describes.

use crate::{
    load::Target,
    webhooks::{Got, Receiver, enable, request},
};
use reqwest::{Client, Response, StatusCode, Url};
use rusqlite::{Connection, OptionalExtension as _};
use rustix::process::getppid;
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    env, fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Set for the process of the consumer: the folder with its files.
const CONSUMER: &str = "PETSTORE_TEST_CONSUMER";
/// If this is set, a check waits until the leases of a killed server end. Otherwise it ends them by the operation that
/// sends a delivery again.
const WAIT: &str = "PETSTORE_WAIT_FOR_LEASES";
/// If a subscriber makes no progress for this time, the test has failed. It is longer than a lease, which takes 75 seconds.
const PATIENCE: Duration = Duration::from_secs(150);
/// The consumer sends its request again after this time without a response. The service waits for an event for a second.
const RESPONSE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);
/// The greatest number of requests to one webhook at the same time: so many can be sent twice because of a kill.
const AT_ONCE: usize = 4;

/// The two subscribers of a service.
pub struct Subscribers {
    /// The test that runs the consumer.
    test: &'static str,
    folder: TempDir,
    consumer: Child,
    consumer_kills: usize,
    address: SocketAddr,
    key: String,
    webhook: String,
    types: &'static [&'static str],
    received: Arc<Mutex<Received>>,
}

/// What the receiver of the webhook got.
#[derive(Default)]
struct Received {
    /// How often each event was received.
    times: HashMap<String, usize>,
    /// A request without a valid signature, or with another id than that of the event.
    invalid: Option<Got>,
}

/// Runs the consumer, if this process was started as one. The first line of the test that is passed to
/// [`Subscribers::start`] calls this function.
pub async fn is_consumer() -> bool {
    let Some(folder) = env::var_os(CONSUMER) else {
        return false;
    };
    consume(Path::new(&folder)).await;
    true
}

/// Applies events until the process is killed, or until the process that started it has ended.
async fn consume(folder: &Path) {
    let mut own = table(folder);
    // A network may hold a response back for ever.
    let client = Client::builder().no_proxy().timeout(RESPONSE).build();
    let client = client.expect("a client");
    let parent = getppid();
    while getppid() == parent {
        let service = fs::read_to_string(folder.join("service")).expect("the service");
        let (feed, key) = service.split_once(' ').expect("its feed and a key");
        let mut page: Url = feed.parse().expect("a URL");
        let cursor: Option<String> = own
            .query_row("SELECT cursor FROM consumed", [], |row| row.get(0))
            .optional()
            .expect("a cursor");
        if let Some(cursor) = cursor {
            page.query_pairs_mut().append_pair("cursor", &cursor);
        }
        let response = client.get(page).bearer_auth(key).send().await;
        let events: reqwest::Result<Vec<Value>> =
            match response.and_then(Response::error_for_status) {
                Ok(response) => response.json().await,
                Err(error) => Err(error),
            };
        let events = match events {
            Ok(events) => events,
            Err(error) => {
                assert_ne!(error.status(), Some(StatusCode::GONE), "{error}");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        for event in &events {
            let text = |name: &str| event[name].as_str().expect("a text");
            let both = own.transaction().expect("begun");
            both.execute("INSERT INTO seen (event) VALUES (?1)", [text("id")])
                .expect("the effect");
            let store = "INSERT OR REPLACE INTO consumed VALUES (1, ?1)";
            both.execute(store, [text("cursor")]).expect("the cursor");
            both.commit().expect("committed");
        }
    }
}

/// Opens the own tables of the consumer.
fn table(folder: &Path) -> Connection {
    let own = Connection::open(folder.join("own.db")).expect("a database");
    // No power failure happens here.
    let tables = "PRAGMA journal_mode = wal; PRAGMA synchronous = off;
        CREATE TABLE IF NOT EXISTS seen (number INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS consumed (id INTEGER PRIMARY KEY, cursor TEXT NOT NULL)";
    own.execute_batch(tables).expect("tables");
    own
}

fn start_consumer(test: &str, folder: &Path) -> Child {
    let program = env::current_exe().expect("this test");
    let child = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(CONSUMER, folder)
        .stdout(Stdio::null())
        .spawn();
    child.expect("the consumer can be run")
}

impl Subscribers {
    /// Creates a webhook for these types at the service, whose key must have the scope, and starts the consumer.
    pub fn start(
        test: &'static str,
        service: SocketAddr,
        key: &str,
        types: &'static [&'static str],
    ) -> Self {
        let receiver = Receiver::open();
        let url = receiver.url("/events");
        Self::start_with(test, service, key, types, receiver, &url)
    }

    /// Like [`start`](Self::start), with another address of the receiver.
    pub fn start_with(
        test: &'static str,
        service: SocketAddr,
        key: &str,
        types: &'static [&'static str],
        receiver: Receiver,
        url: &str,
    ) -> Self {
        let (webhook, secret) = enable(service, key, url, &json!(types));
        let received = Arc::<Mutex<Received>>::default();
        let record = Arc::clone(&received);
        thread::spawn(move || {
            while let Some(got) = receiver.next() {
                let id = id_of(&got.json());
                let mut received = record.lock().expect("no panic");
                match got.verify(&secret) && got.headers["webhook-id"] == id {
                    true => *received.times.entry(id).or_default() += 1,
                    false => received.invalid = Some(got),
                }
            }
        });
        let folder = TempDir::new().expect("a folder can be made");
        table(folder.path());
        point(folder.path(), service, key);
        let consumer = start_consumer(test, folder.path());
        Subscribers {
            test,
            folder,
            consumer,
            consumer_kills: 0,
            address: service,
            key: key.to_owned(),
            webhook,
            types,
            received,
        }
    }

    /// Points the consumer to another address, at which the service was started again.
    pub fn follow(&mut self, service: SocketAddr) {
        self.address = service;
        point(self.folder.path(), service, &self.key);
    }

    /// Points only the consumer to another address: a proxy in front of the service.
    pub fn consume_through(&self, proxy: SocketAddr) {
        point(self.folder.path(), proxy, &self.key);
    }

    /// Kills the consumer, and starts it again.
    pub fn kill_consumer(&mut self) {
        self.consumer.kill().expect("it can be killed");
        let status = self.consumer.wait().expect("it ends");
        assert!(!status.success() && status.code().is_none(), "{status}");
        self.consumer = start_consumer(self.test, self.folder.path());
        self.consumer_kills += 1;
    }

    /// Checks that both subscribers got all events of these pets and orders, after this many kills of the service or its
    /// database. `by_network` says how many requests to the webhook the network has repeated.
    pub async fn check(
        &self,
        name: &str,
        kills: usize,
        by_network: impl Fn() -> usize,
        entities: &[&[Value]],
    ) {
        let target = Target::new(self.address, &self.key);
        let feed = target.read("events?limit=500").await;
        let wanted = |event: &&Value| self.types.iter().any(|name| event["type"] == *name);
        let sent: HashSet<String> = feed.iter().filter(wanted).map(id_of).collect();
        self.until_consumed(&feed).await;
        let ended_early = self.until_delivered(&target, &sent, AT_ONCE * kills).await;

        let counts = judge(entities, &feed, &seen(self.folder.path()));
        let consumer = self.consumer_kills;
        println!(
            "feed: {name}: {} events, {kills} kills and {consumer} of the consumer, {counts:?}",
            feed.len()
        );
        let received = self.received.lock().expect("no panic");
        let repeated = received.times.values().sum::<usize>() - received.times.len();
        let most = AT_ONCE * kills + ended_early + by_network();
        println!(
            "webhooks: {name}: {} events, {kills} kills, {repeated} more than once (at most {most}), {ended_early} leases ended early",
            sent.len()
        );
        assert_eq!(counts, Counts::default(), "{name}");
        let others = received.times.keys().find(|id| !sent.contains(*id));
        assert_eq!(others, None, "an event that is not in the feed");
        assert!(repeated <= most, "{repeated} requests were repeated");
        assert!(!sent.is_empty(), "{name}");
    }

    /// Waits until the consumer has the newest event of the feed.
    async fn until_consumed(&self, feed: &[Value]) {
        let newest = feed.last().map(id_of);
        let own = table(self.folder.path());
        let last = "SELECT number, event FROM seen ORDER BY number DESC LIMIT 1";
        let mut progress = (0, Instant::now());
        loop {
            let row = own.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?)));
            let row: Option<(u32, String)> = row.optional().expect("a row");
            let (count, event) = row.map_or((0, None), |(count, event)| (count, Some(event)));
            if event == newest {
                return;
            }
            progressed(&mut progress, count as usize, "consumed", feed.len());
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the webhook has received these events. Returns how many leases the test has ended.
    async fn until_delivered(
        &self,
        target: &Target,
        sent: &HashSet<String>,
        most_leased: usize,
    ) -> usize {
        let mut ended = HashSet::new();
        let mut progress = (0, Instant::now());
        loop {
            let missing: HashSet<&String> = {
                let received = self.received.lock().expect("no panic");
                assert_eq!(received.invalid, None);
                let is_missing = |id: &&String| !received.times.contains_key(*id);
                sent.iter().filter(is_missing).collect()
            };
            if missing.is_empty() {
                return ended.len();
            }
            if env::var_os(WAIT).is_none() && missing.len() <= most_leased {
                let list = format!(
                    "webhooks/{}/deliveries?status=waiting&limit=100",
                    self.webhook
                );
                for delivery in target.read(&list).await {
                    let message = delivery["messageId"].as_str().expect("an id").to_owned();
                    if missing.contains(&message) && ended.insert(message) {
                        let again = json!({"delivery": delivery["id"]});
                        let redeliver = format!("/{}/redeliveries", self.webhook);
                        let response =
                            request(self.address, &self.key, "POST", &redeliver, Some(&again));
                        assert_eq!(response.json()["count"], 1);
                    }
                }
            }
            let count = sent.len() - missing.len();
            progressed(&mut progress, count, "delivered", sent.len());
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Drop for Subscribers {
    fn drop(&mut self) {
        // The consumer may already have ended, which is not an error here.
        let _ = self.consumer.kill();
        let _ = self.consumer.wait();
    }
}

/// Writes the address of the feed and the key for the consumer. The consumer never reads half of it.
fn point(folder: &Path, service: SocketAddr, key: &str) {
    let [new, file]: [PathBuf; 2] = ["new", "service"].map(|name| folder.join(name));
    fs::write(
        &new,
        format!("http://{service}/v1/events?limit=20&wait=1 {key}"),
    )
    .expect("a file");
    fs::rename(new, file).expect("renamed");
}

fn id_of(event: &Value) -> String {
    event["id"].as_str().expect("an id").to_owned()
}

fn seen(folder: &Path) -> Vec<String> {
    let own = table(folder);
    let mut seen = own
        .prepare("SELECT event FROM seen ORDER BY number")
        .expect("a statement");
    let seen = seen.query_map([], |row| row.get(0)).expect("rows");
    seen.collect::<Result<_, _>>().expect("rows")
}

/// Fails if the count has not changed for a long time.
fn progressed(last: &mut (usize, Instant), count: usize, action: &str, all: usize) {
    if last.0 != count {
        *last = (count, Instant::now());
    }
    let is_late = last.1.elapsed() > PATIENCE;
    assert!(!is_late, "only {count} of {all} events were {action}");
}

/// The differences between the changes of the store, the feed, and the table of the consumer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Changes without an event, and events that the consumer does not have.
    lost: usize,
    /// Events before an event with a lower version of the same pet or order, and events of the consumer before an earlier one.
    out_of_order: usize,
    /// Events that report the same change, and events that the consumer has twice.
    twice: usize,
    /// Events without a change, and events of the consumer that the feed does not have.
    unasked: usize,
}

/// Compares them. A pet or an order has changed as often as its version says.
fn judge(entities: &[&[Value]], feed: &[Value], seen: &[String]) -> Counts {
    let mut counts = Counts::default();
    let mut versions: HashMap<(bool, i64), Vec<i64>> = HashMap::new();
    for event in feed {
        let name = event["type"].as_str().expect("a type");
        let entity = (name.starts_with("order."), number(&event["data"], "id"));
        versions
            .entry(entity)
            .or_default()
            .push(number(event, "version"));
    }
    for entity in entities.iter().copied().flatten() {
        let key = (entity.get("petId").is_some(), number(entity, "id"));
        let reported = versions.remove(&key).unwrap_or_default();
        let distinct: HashSet<i64> = reported.iter().copied().collect();
        let changes: HashSet<i64> = (1..=number(entity, "version")).collect();
        counts.lost += changes.difference(&distinct).count();
        counts.unasked += distinct.difference(&changes).count();
        counts.twice += reported.len() - distinct.len();
        counts.out_of_order += reported.windows(2).filter(|pair| pair[0] > pair[1]).count();
    }
    counts.unasked += versions.len();

    let places: HashMap<String, usize> = feed.iter().map(id_of).zip(0..).collect();
    let distinct: HashSet<&String> = seen.iter().collect();
    counts.lost += places.keys().filter(|id| !distinct.contains(id)).count();
    counts.twice += seen.len() - distinct.len();
    counts.unasked += distinct
        .iter()
        .filter(|id| !places.contains_key(**id))
        .count();
    let places: Vec<_> = seen.iter().filter_map(|id| places.get(id)).collect();
    counts.out_of_order += places.windows(2).filter(|pair| pair[0] > pair[1]).count();
    counts
}

fn number(value: &Value, name: &str) -> i64 {
    value[name].as_i64().expect("a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_reordered_repeated_and_unrequested_events_are_counted() {
        let event = |id, pet, version| json!({"id": id, "type": "pet.created", "version": version, "data": {"id": pet}});
        let [a, b, c] = [event("a", 1, 1), event("b", 2, 1), event("c", 1, 2)];
        let pets = [1, 2].map(|id| json!({"id": id, "version": 3 - id}));
        let counts = |feed: &[&Value], seen: &str| {
            let feed: Vec<Value> = feed.iter().copied().cloned().collect();
            let seen: Vec<_> = seen.chars().map(String::from).collect();
            let counts = judge(&[&pets], &feed, &seen);
            let Counts { lost, twice, .. } = counts;
            [lost, counts.out_of_order, twice, counts.unasked]
        };
        assert_eq!(counts(&[&a, &b, &c], "abc"), [0, 0, 0, 0]);
        assert_eq!(counts(&[&a, &b, &c], "ac"), [1, 0, 0, 0]);
        assert_eq!(counts(&[&a, &b, &c], "bac"), [0, 1, 0, 0]);
        assert_eq!(counts(&[&a, &b, &c], "abbc"), [0, 0, 1, 0]);
        assert_eq!(counts(&[&a, &b, &c], "abcd"), [0, 0, 0, 1]);
        assert_eq!(counts(&[&a, &b], "ab"), [1, 0, 0, 0]);
        assert_eq!(counts(&[&c, &a, &b], "cab"), [0, 1, 0, 0]);
        assert_eq!(
            counts(&[&a, &b, &c, &event("d", 1, 2)], "abcd"),
            [0, 0, 1, 0]
        );
        assert_eq!(
            counts(&[&a, &b, &c, &event("d", 1, 3)], "abcd"),
            [0, 0, 0, 1]
        );
    }
}

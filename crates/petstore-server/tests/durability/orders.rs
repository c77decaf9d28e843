//! Tests SIGKILL while clients place, approve, deliver and cancel orders: every
//! confirmed change is stored, and the status of an order always agrees with
//! the status of its pet.

use crate::{
    crash::{CONSUMER, setting},
    load,
    postgres::shared,
    sales::{Told, check, note},
    subscribers::Subscribers,
    webhooks::{serve, serve_again},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use reqwest::{Client, Method, StatusCode};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinSet};

/// There are few rounds, so that the suite stays fast.
const ROUNDS: u64 = 4;
const SEED: u64 = 20_261_122;
const CLIENTS: usize = 12;
/// There are fewer pets than clients, so that the clients conflict.
const PETS: usize = 6;

/// A service as its clients see it.
#[derive(Clone)]
struct Target {
    client: Client,
    base: String,
    key: String,
}

impl Target {
    fn new(address: SocketAddr, key: &str) -> Self {
        let client = Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(60));
        Target {
            client: client.build().expect("a client"),
            base: format!("http://{address}/v1"),
            key: key.to_owned(),
        }
    }

    /// Sends a request. Returns the response, or `None` if the service was killed before.
    async fn ask(&self, method: Method, path: &str, body: &Value) -> Option<(StatusCode, Value)> {
        let request = self.client.request(method, format!("{}{path}", self.base));
        let response = request
            .bearer_auth(&self.key)
            .json(body)
            .send()
            .await
            .ok()?;
        let status = response.status();
        Some((status, response.json().await.ok()?))
    }

    async fn add_pet(&self) -> Option<()> {
        let pet = json!({"name": "Rex", "categoryId": 7, "status": "available"});
        let (status, pet) = self.ask(Method::POST, "/pets", &pet).await?;
        assert_eq!(status, StatusCode::CREATED, "{pet}");
        Some(())
    }

    /// Places orders and ends them, until the service is killed.
    async fn sell(&self, mut random: StdRng, told: Told, steps: mpsc::UnboundedSender<()>) {
        loop {
            let query = "/pets?status=available&limit=100";
            let Some((_, free)) = self.ask(Method::GET, query, &Value::Null).await else {
                return;
            };
            let free = free.as_array().cloned().unwrap_or_default();
            if free.is_empty() {
                continue;
            }
            let pet = &free[random.random_range(0..free.len())]["id"];
            let asked = json!({"petId": pet});
            let Some((status, order)) = self.ask(Method::POST, "/store/orders", &asked).await
            else {
                return;
            };
            if status == StatusCode::CONFLICT {
                continue;
            }
            assert_eq!(status, StatusCode::CREATED, "{order}");
            note(&told, &order);
            let _counted = steps.send(());
            let path = format!("/store/orders/{}", order["id"]);
            let end = if random.random_ratio(1, 4) {
                "delivered"
            } else {
                "cancelled"
            };
            let way: &[&str] = if random.random_ratio(1, 3) && end == "cancelled" {
                &["cancelled"]
            } else {
                &["approved", end]
            };
            for to in way {
                let asked = json!({"status": to});
                let Some((status, order)) = self.ask(Method::PATCH, &path, &asked).await else {
                    return;
                };
                assert_eq!(status, StatusCode::OK, "{order}");
                note(&told, &order);
                let _counted = steps.send(());
            }
            if end == "delivered" && self.add_pet().await.is_none() {
                return;
            }
        }
    }
}

async fn rounds(backend: &str, arguments: &[&str], rounds: u64) {
    let seed = setting("PETSTORE_CRASH_SEED", SEED);
    let mut random = StdRng::seed_from_u64(seed);
    let mut service = serve(arguments);
    let (folder, key) = (Arc::clone(&service.folder), service.key.clone());
    let types = &["pet.status_changed", "order.placed", "order.updated"];
    let mut subscribers = Subscribers::start(CONSUMER, service.address, &key, types);
    let (mut pets, mut orders) = (Vec::new(), Vec::new());
    let told = Told::default();
    let (mut unanswered, mut left_open) = (0, 0);
    for round in 0..rounds {
        let target = Target::new(service.address, &key);
        for _ in 0..PETS {
            target.add_pet().await.expect("the service runs");
        }
        let (counter, mut steps) = mpsc::unbounded_channel();
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            let (target, told, counter) = (target.clone(), Arc::clone(&told), counter.clone());
            let random = StdRng::seed_from_u64(seed + round * 100 + client as u64);
            clients.spawn(async move { target.sell(random, told, counter).await });
        }
        for _ in 0..random.random_range(20..400) {
            steps.recv().await.expect("clients continue");
        }
        subscribers.kill_consumer();
        service.signal(Signal::KILL);
        clients.join_all().await;
        service.ended();

        service = serve_again(Arc::clone(&folder), arguments, Some(&key));
        subscribers.follow(service.address);
        let target = load::Target::new(service.address, &key);
        pets = target.walk().await;
        orders = target.read("store/orders?limit=100").await;
        check(&told, &pets, &orders);
        let told = told.lock().expect("no holder panics");
        unanswered = orders.len() - told.len();
        left_open = orders
            .iter()
            .filter(|order| {
                ["placed", "approved"]
                    .iter()
                    .any(|open| order["status"] == *open)
            })
            .count();
    }
    let kills = usize::try_from(rounds).expect("few");
    let (name, changed) = (format!("orders on {backend}"), [&pets[..], &orders]);
    subscribers.check(&name, kills, || 0, &changed).await;
    let told = told.lock().expect("no holder panics").len();
    println!(
        "{backend}: rounds {rounds}, seed {seed}; {told} orders were answered, {unanswered} more are there, {left_open} are open"
    );
    assert!(told > 0 && left_open > 0, "nothing was under way");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_sigkill_an_order_and_its_pet_are_both_changed_or_both_unchanged() {
    let count = setting("PETSTORE_CRASH_ROUNDS", ROUNDS);
    rounds("SQLite", &[], count).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_sigkill_an_order_and_its_pet_are_both_changed_or_both_unchanged_on_postgresql() {
    let Some(cluster) = shared().await else {
        return;
    };
    let count = setting("PETSTORE_CRASH_ROUNDS_POSTGRES", ROUNDS);
    let url = cluster.database().await.url().to_string();
    rounds("PostgreSQL", &["--database", &url], count).await;
}

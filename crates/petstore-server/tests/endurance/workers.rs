//! Well-behaved clients: each sends requests of all kinds at a moderate rate, and compares every
//! response with earlier responses.

use crate::{sales::note, world::World};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// The number of these clients.
pub(crate) const WORKERS: u64 = 8;
/// The longest pause of a client between two requests.
const PAUSE_MILLIS: u64 = 100;
/// If a client waits longer than this, it counts as not having received a response.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a request is repeated at the end, once per second.
const ATTEMPTS: usize = 30;
/// How many pets a client remembers.
const REMEMBERED: usize = 5000;

/// Why there is no response that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// 503 with `Retry-After`.
    Rejected,
    /// The connection broke.
    Cut,
    /// A defect, which was already recorded.
    Wrong,
}

/// A client.
#[derive(Clone)]
pub(crate) struct Worker {
    world: Arc<World>,
    client: Client,
    number: u64,
}

impl Worker {
    pub(crate) fn new(world: &Arc<World>, number: u64) -> Self {
        let client = Client::builder().no_proxy().timeout(PATIENCE).build();
        Self {
            world: Arc::clone(world),
            client: client.expect("a client"),
            number,
        }
    }

    /// Sends requests until the end of the run. Returns the pets with an idempotency key whose
    /// creation was not confirmed.
    pub(crate) async fn work(self, seed: u64) -> Vec<Value> {
        let mut random = StdRng::seed_from_u64(seed + self.number);
        let (mut left, mut own) = (Vec::new(), Vec::new());
        for number in 0.. {
            if self.world.is_over() {
                break;
            }
            match random.random_range(0..10) {
                0..3 => {
                    let pet = self.pet(number, &mut random);
                    self.world.ledger.ask(&pet);
                    match self.create(&pet).await {
                        Ok(created) if own.len() < REMEMBERED => own.push(created),
                        Ok(_) => {}
                        Err(_) => left.extend(key_of(&pet).map(|_| pet)),
                    }
                }
                3..7 if !own.is_empty() => {
                    self.read(&own[random.random_range(0..own.len())]).await;
                }
                7 => self.list("?limit=1").await,
                8 => {
                    let status = ["available", "pending"][random.random_range(0..2)];
                    self.list(&format!("?limit=20&status={status}")).await;
                }
                _ => self.sell(number, random.random_ratio(1, 2)).await,
            }
            let pause = random.random_range(0..PAUSE_MILLIS);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        left
    }

    fn pet(&self, number: u64, random: &mut StdRng) -> Value {
        let padding = "x".repeat(random.random_range(0..700));
        let name = format!("{}-{number}-{padding}", self.number);
        let mut pet = json!({"name": name, "categoryId": number});
        if let Some(status) = ["available", "pending"].get(random.random_range(0..3)) {
            pet["status"] = (*status).into();
        }
        pet
    }

    /// Creates a pet. Pets with an odd number get an idempotency key.
    async fn create(&self, pet: &Value) -> Result<Value, Failure> {
        let key = key_of(pet);
        let created = self
            .ask(
                Method::POST,
                "/pets",
                Some(pet),
                key.as_deref(),
                &[StatusCode::CREATED],
            )
            .await?
            .1;
        self.world.ledger.answered(created.clone());
        Ok(created)
    }

    async fn read(&self, pet: &Value) {
        let path = format!("/pets/{}", pet["id"]);
        let asked = self
            .ask(Method::GET, &path, None, None, &[StatusCode::OK])
            .await;
        if let Ok((_, found)) = asked
            && found != *pet
        {
            self.world.history.defect(format!("{pet} became {found}"));
        }
    }

    async fn list(&self, query: &str) {
        let path = format!("/pets{query}");
        let asked = self
            .ask(Method::GET, &path, None, None, &[StatusCode::OK])
            .await;
        if let Ok((_, found)) = asked
            && !found.is_array()
        {
            self.world.history.defect(format!("{path}: {found}"));
        }
    }

    /// Adds a pet, orders it, and ends the order. Each creation has an idempotency key and
    /// is repeated until it is confirmed.
    async fn sell(&self, number: u64, is_delivered: bool) {
        let name = format!("sale-{}-{number}", self.number);
        let pet = json!({"name": name, "categoryId": 1, "status": "available"});
        let created = [StatusCode::CREATED];
        let Some((_, pet)) = self.insist("/pets", &pet, &name, &created).await else {
            return;
        };
        let order = json!({"petId": pet["id"]});
        let key = format!("order-{name}");
        let Some((_, order)) = self.insist("/store/orders", &order, &key, &created).await else {
            return;
        };
        note(&self.world.orders, &order);
        let path = format!("/store/orders/{}", order["id"]);
        let end = if is_delivered {
            "delivered"
        } else {
            "cancelled"
        };
        for to in ["approved", end] {
            let change = json!({"status": to});
            let ok = [StatusCode::OK];
            match self
                .ask(Method::PATCH, &path, Some(&change), None, &ok)
                .await
            {
                Ok((_, order)) => note(&self.world.orders, &order),
                // It is unknown whether the order was changed.
                Err(_) => return,
            }
        }
    }

    /// Repeats a request that is safe to repeat until it has a response; returns `None` at the end
    /// of the run.
    async fn insist(
        &self,
        path: &str,
        body: &Value,
        key: &str,
        expected: &[StatusCode],
    ) -> Option<(StatusCode, Value)> {
        loop {
            match self
                .ask(Method::POST, path, Some(body), Some(key), expected)
                .await
            {
                Ok(response) => return Some(response),
                Err(Failure::Wrong) => return None,
                Err(_) if self.world.is_over() => return None,
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }

    /// Sends a request, and checks the form of the response.
    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
        expected: &[StatusCode],
    ) -> Result<(StatusCode, Value), Failure> {
        let what = format!("{method} {path}");
        let url = format!("http://{}/v1{path}", self.world.address);
        let mut request = self
            .client
            .request(method, url)
            .bearer_auth(&self.world.keys.load);
        if let Some(body) = body {
            request = request.json(body);
        }
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let sent = async {
            let response = request.send().await?;
            let (status, headers) = (response.status(), response.headers().clone());
            Ok((status, headers, response.bytes().await?))
        };
        let sent: reqwest::Result<_> = sent.await;
        let result = match sent {
            Err(error) if error.is_timeout() => {
                self.world
                    .history
                    .defect(format!("{what} had no response in {PATIENCE:?}"));
                Err(Failure::Wrong)
            }
            Err(_) => Err(Failure::Cut),
            Ok((status, headers, bytes)) => {
                let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
                let may_retry = headers.contains_key("retry-after");
                let is_in_flight = status == StatusCode::CONFLICT && json["code"] == "conflict";
                if expected.contains(&status) {
                    Ok((status, json))
                } else if may_retry && (status == StatusCode::SERVICE_UNAVAILABLE || is_in_flight) {
                    Err(Failure::Rejected)
                } else {
                    self.world
                        .history
                        .defect(format!("{what} got {status}: {json}"));
                    Err(Failure::Wrong)
                }
            }
        };
        self.world.history.requested(result.is_err());
        result
    }

    /// Repeats each unconfirmed creation twice. Afterwards each pet must exist once, whether it had
    /// been created before or not.
    pub(crate) async fn repeat(&self, left: &[Value]) {
        for pet in left {
            let first = self.create_at_last(pet).await;
            let second = self.create_at_last(pet).await;
            if first != second {
                self.world
                    .history
                    .defect(format!("{first:?} and {second:?} for one key"));
            }
        }
    }

    async fn create_at_last(&self, pet: &Value) -> Option<Value> {
        for _ in 0..ATTEMPTS {
            match self.create(pet).await {
                Ok(pet) => return Some(pet),
                Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
        self.world
            .history
            .defect(format!("{} cannot be created", pet["name"]));
        None
    }

    /// Returns all items of a list, read page by page.
    pub(crate) async fn walk(&self, path: &str) -> Vec<Value> {
        let mut met = Vec::new();
        let base = format!("http://{}/v1{path}", self.world.address);
        let mut target = format!("{base}?limit=100");
        loop {
            let request = self.client.get(&target).bearer_auth(&self.world.keys.load);
            let response = request.send().await.expect("the service responds");
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            let link = response.headers().get("link").cloned();
            met.extend(response.json::<Vec<Value>>().await.expect("a page"));
            let Some(link) = link else { return met };
            let link = link.to_str().expect("a link is text");
            let next = link.strip_prefix('<').and_then(|link| link.split_once('>'));
            target = format!("{base}{}", next.expect("a target").0);
        }
    }
}

/// Returns the idempotency key of a pet; every other pet has none.
fn key_of(pet: &Value) -> Option<String> {
    let has_one = pet["categoryId"].as_u64()? % 2 == 1;
    // The padding makes some names longer than a key may be.
    let name = pet["name"].as_str()?.trim_end_matches('x');
    has_one.then(|| name.to_owned())
}

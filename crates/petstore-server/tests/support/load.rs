//! Clients that create pets without a pause, and a check that reads all pages afterwards. The
//! clients record the responses in the ledger.

use crate::ledger::Ledger;
use futures::{StreamExt as _, stream};
use reqwest::{Client, Response, StatusCode, Url, header::RETRY_AFTER};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::JoinSet,
};

/// There are more clients than threads, so that one commit contains several creations.
const CLIENTS: usize = 16;
/// If a client waits longer than this, it counts as not having received a response.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause of a client after a rejection. It is shorter than `Retry-After`, so that the end of an
/// outage is noticed at once.
const PAUSE: Duration = Duration::from_millis(50);

/// The header that makes a creation safe to repeat.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// A service as its clients see it.
#[derive(Clone)]
pub struct Target {
    client: Client,
    pets: Url,
    key: String,
}

/// The results that a client accepts before the end, in addition to a created pet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Faults {
    /// No other result.
    None,
    /// A rejection with `Retry-After`, or a broken connection. Each created pet can be read, or the
    /// service is unreachable.
    Outages,
    /// The same behind a proxy that repeats requests if this is safe: only a creation without an
    /// idempotency key can stay without a response.
    ProxiedOutages,
}

impl Faults {
    /// Whether a client may get this result before the end.
    fn allow(self, event: Event, is_safe_to_repeat: bool) -> bool {
        match self {
            Faults::None => false,
            Faults::Outages => true,
            Faults::ProxiedOutages => event == Event::Rejected || !is_safe_to_repeat,
        }
    }
}

/// Running clients.
pub struct Load {
    /// Each client returns the pets for which it got no response and whose creation may be sent
    /// again.
    clients: JoinSet<Vec<Value>>,
    events: UnboundedReceiver<(Event, Instant)>,
    /// From here on, it is not an error if the service does not respond.
    ends: Arc<AtomicBool>,
    seen: Seen,
    last_response: Instant,
}

/// The results of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A pet was created.
    Answered,
    /// A correct 503.
    Rejected,
    /// The connection broke before a response.
    Cut,
}

/// How often each result occurred, and the longest time without a successful creation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub answered: usize,
    pub rejected: usize,
    pub cut: usize,
    pub away: Duration,
}

impl Target {
    pub fn new(address: SocketAddr, key: &str) -> Self {
        let client = Client::builder().no_proxy().timeout(PATIENCE).build();
        Target {
            client: client.expect("a client"),
            pets: format!("http://{address}/v1/pets")
                .parse()
                .expect("an address"),
            key: key.to_owned(),
        }
    }

    /// Returns all pets, read page by page.
    pub async fn walk(&self) -> Vec<Value> {
        self.read("pets?limit=100").await
    }

    /// Returns a whole list, read page by page. The feed of events has links to pages that are empty so far.
    pub async fn read(&self, list: &str) -> Vec<Value> {
        let mut met = Vec::new();
        let mut page = self.pets.join(list).expect("a list");
        loop {
            let request = self.client.get(page.clone()).bearer_auth(&self.key);
            let response = request.send().await.expect("the service responds");
            assert_eq!(response.status(), StatusCode::OK);
            let next = response.headers().get("link").map(|link| {
                let link = link.to_str().expect("a link is text");
                let target = link.strip_prefix('<').and_then(|link| link.split_once('>'));
                page.join(target.expect("a target").0).expect("a query")
            });
            let items: Vec<Value> = response.json().await.expect("a page");
            let is_end = items.is_empty();
            met.extend(items);
            match next {
                Some(next) if !is_end => page = next,
                _ => return met,
            }
        }
    }

    /// Starts the clients. The names of their pets begin with `prefix`.
    pub fn load(&self, prefix: &str, faults: Faults, ledger: &Arc<Ledger>) -> Load {
        let (happened, events) = unbounded_channel();
        let ends = Arc::<AtomicBool>::default();
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            let (target, ledger) = (self.clone(), Arc::clone(ledger));
            let (happened, ends) = (happened.clone(), Arc::clone(&ends));
            let prefix = format!("{prefix}-{number}");
            clients.spawn(async move {
                let mut left = Vec::new();
                for number in 0.. {
                    let pet = pet(&prefix, number);
                    ledger.ask(&pet);
                    let created = target.create(&pet).await;
                    let event = match &created {
                        Ok(pet) => {
                            ledger.answered(pet.clone());
                            Event::Answered
                        }
                        Err(event) => *event,
                    };
                    // The receiver may already have stopped counting.
                    let _ = happened.send((event, Instant::now()));
                    match created {
                        Ok(_) if faults == Faults::None => {}
                        Ok(pet) => {
                            let met = target.is_there(&pet).await;
                            let over = ends.load(Ordering::SeqCst);
                            let fault = met.err().filter(|event| !faults.allow(*event, true));
                            assert!(over || fault.is_none(), "{pet}: {fault:?}");
                        }
                        Err(_) => {
                            let allowed = faults.allow(event, key_of(&pet).is_some());
                            let over = ends.load(Ordering::SeqCst);
                            assert!(allowed || over, "before the end: {event:?}");
                            left.extend(key_of(&pet).map(|_| pet));
                            tokio::time::sleep(PAUSE).await;
                        }
                    }
                    if ends.load(Ordering::SeqCst) {
                        break;
                    }
                }
                left
            });
        }
        Load {
            clients,
            events,
            ends,
            seen: Seen::default(),
            last_response: Instant::now(),
        }
    }

    /// Creates a pet. Returns it, or the reason why there is no response.
    async fn create(&self, pet: &Value) -> Result<Value, Event> {
        let mut request = self.client.post(self.pets.clone()).bearer_auth(&self.key);
        if let Some(key) = key_of(pet) {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        let response = answered(request.json(pet).send().await)?;
        let response = not_rejected(response).await?;
        assert_eq!(response.status(), StatusCode::CREATED, "{response:?}");
        answered(response.json().await)
    }

    /// Repeats each creation without a response twice. Afterwards each pet must exist once, whether
    /// it had been created before or not.
    pub async fn repeat(&self, left: &[Value], ledger: &Ledger) {
        let repeats = stream::iter(left).for_each_concurrent(CLIENTS, |pet| async move {
            let first = self.create(pet).await.expect("it is created by now");
            let second = self.create(pet).await.expect("it was created");
            assert_eq!(first, second);
            ledger.answered(first);
        });
        repeats.await;
    }

    /// Fetches a created pet: every server that responds must have it.
    async fn is_there(&self, pet: &Value) -> Result<(), Event> {
        let mut address = self.pets.clone();
        address.set_path(&format!("{}/{}", address.path(), pet["id"]));
        let request = self.client.get(address).bearer_auth(&self.key);
        let response = not_rejected(answered(request.send().await)?).await?;
        assert_eq!(response.status(), StatusCode::OK, "{pet}: {response:?}");
        assert_eq!(answered(response.json::<Value>().await)?, *pet);
        Ok(())
    }
}

/// Distinguishes a broken connection from a timeout of the client.
fn answered<T>(result: reqwest::Result<T>) -> Result<T, Event> {
    result.map_err(|error| {
        assert!(!error.is_timeout(), "left without a response: {error:?}");
        Event::Cut
    })
}

/// Checks the form of a 503; other responses are not checked.
async fn not_rejected(response: Response) -> Result<Response, Event> {
    if response.status() != StatusCode::SERVICE_UNAVAILABLE {
        return Ok(response);
    }
    let wait = response.headers().get(RETRY_AFTER);
    let wait = wait.and_then(|wait| wait.to_str().ok()?.parse::<u32>().ok());
    assert!(wait.is_some_and(|seconds| seconds > 0), "{response:?}");
    let error: Value = answered(response.json().await)?;
    let codes = ["unavailable", "overloaded"];
    let code = error["code"].as_str().unwrap_or_default();
    assert!(error["status"] == 503 && codes.contains(&code), "{error}");
    assert!(error["message"].is_string(), "{error}");
    Err(Event::Rejected)
}

/// Returns a pet. The pets have many lengths and statuses, so that pages and the index are split.
fn pet(prefix: &str, number: usize) -> Value {
    let padding = "x".repeat(number * 97 % 700);
    let mut pet = json!({"name": format!("{prefix}-{number}-{padding}"), "categoryId": number});
    if let Some(status) = ["available", "pending", "sold"].get(number % 4) {
        pet["status"] = (*status).into();
    }
    pet
}

/// Returns the idempotency key of a pet; every other pet has none.
fn key_of(pet: &Value) -> Option<String> {
    let has_one = pet["categoryId"].as_u64()? % 2 == 1;
    // The padding makes some names longer than a key may be.
    let name = pet["name"].as_str()?.trim_end_matches('x');
    has_one.then(|| name.to_owned())
}

impl Load {
    /// Waits until this many more creations were confirmed.
    pub async fn answered(&mut self, count: usize) {
        self.met(Event::Answered, count).await;
    }

    /// Waits until a result has occurred this many more times.
    pub async fn met(&mut self, event: Event, count: usize) {
        let mut left = count;
        while left > 0 {
            let (met, when) = self.events.recv().await.expect("clients continue");
            self.note(met, when);
            left -= usize::from(met == event);
        }
    }

    /// Returns the results since the last call.
    pub fn seen(&mut self) -> Seen {
        while let Ok((met, when)) = self.events.try_recv() {
            self.note(met, when);
        }
        std::mem::take(&mut self.seen)
    }

    fn note(&mut self, met: Event, when: Instant) {
        let seen = &mut self.seen;
        match met {
            Event::Answered => {
                let gap = when.saturating_duration_since(self.last_response);
                seen.away = seen.away.max(gap);
                seen.answered += 1;
                self.last_response = when;
            }
            Event::Rejected => seen.rejected += 1,
            Event::Cut => seen.cut += 1,
        }
    }

    /// Ends the service with `end`, while clients may get no response. Returns the pets with an
    /// idempotency key whose creation was not confirmed.
    pub async fn end(self, end: impl FnOnce()) -> Vec<Value> {
        self.ends.store(true, Ordering::SeqCst);
        end();
        self.clients.join_all().await.concat()
    }
}

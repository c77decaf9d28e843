//! Clients that create pets as fast as they are answered, and the walk that
//! finds what is there.

use crate::ledger::Ledger;
use reqwest::{Client, StatusCode, Url};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::JoinSet,
};

/// More than there are threads, so that creates meet in one commit.
const CLIENTS: usize = 16;

/// A service as its clients see it.
#[derive(Clone)]
pub(crate) struct Target {
    client: Client,
    pets: Url,
    key: String,
}

/// Clients at work.
pub(crate) struct Load {
    clients: JoinSet<()>,
    answers: UnboundedReceiver<()>,
    /// From here on a service that does not answer is no fault.
    ends: Arc<AtomicBool>,
}

impl Target {
    pub(crate) fn new(address: SocketAddr, key: &str) -> Self {
        let client = Client::builder().no_proxy().build();
        Target {
            client: client.expect("a client"),
            pets: format!("http://{address}/v1/pets")
                .parse()
                .expect("an address"),
            key: key.to_owned(),
        }
    }

    /// All pets, page by page.
    pub(crate) async fn walk(&self) -> Vec<Value> {
        let mut met = Vec::new();
        let mut page = self.pets.join("?limit=100").expect("a query");
        loop {
            let request = self.client.get(page.clone()).bearer_auth(&self.key);
            let answer = request.send().await.expect("the service answers");
            assert_eq!(answer.status(), StatusCode::OK);
            let next = answer.headers().get("link").map(|link| {
                let link = link.to_str().expect("a link is text");
                let target = link.strip_prefix('<').and_then(|link| link.split_once('>'));
                page.join(target.expect("a target").0).expect("a query")
            });
            met.extend(answer.json::<Vec<Value>>().await.expect("pets"));
            match next {
                Some(next) => page = next,
                None => return met,
            }
        }
    }

    /// Sets clients to work. Their pets' names begin with `prefix`.
    pub(crate) fn load(&self, prefix: &str, ledger: &Arc<Ledger>) -> Load {
        let (answered, answers) = unbounded_channel();
        let ends = Arc::<AtomicBool>::default();
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            let (target, ledger) = (self.clone(), Arc::clone(ledger));
            let (answered, ends) = (answered.clone(), Arc::clone(&ends));
            let prefix = format!("{prefix}-{number}");
            clients.spawn(async move {
                for number in 0.. {
                    let pet = pet(&prefix, number);
                    ledger.ask(&pet);
                    match target.create(&pet).await {
                        Ok(pet) => ledger.answered(pet),
                        Err(_) if ends.load(Ordering::SeqCst) => return,
                        Err(error) => panic!("no answer before the end: {error}"),
                    }
                    // Who counts answers may have counted enough.
                    let _ = answered.send(());
                    if ends.load(Ordering::SeqCst) {
                        return;
                    }
                }
            });
        }
        Load {
            clients,
            answers,
            ends,
        }
    }

    async fn create(&self, pet: &Value) -> reqwest::Result<Value> {
        let request = self.client.post(self.pets.clone()).bearer_auth(&self.key);
        let answer = request.json(pet).send().await?;
        assert_eq!(answer.status(), StatusCode::CREATED, "{answer:?}");
        answer.json().await
    }
}

/// Of many lengths and statuses, so that pages and the index are split.
fn pet(prefix: &str, number: usize) -> Value {
    let padding = "x".repeat(number * 97 % 700);
    let mut pet = json!({"name": format!("{prefix}-{number}-{padding}"), "categoryId": number});
    if let Some(status) = ["available", "pending", "sold"].get(number % 4) {
        pet["status"] = (*status).into();
    }
    pet
}

impl Load {
    /// Waits until so many more creates were answered.
    pub(crate) async fn answered(&mut self, count: usize) {
        for _ in 0..count {
            self.answers.recv().await.expect("clients go on");
        }
    }

    /// Ends it by `end`, during which clients may go without an answer.
    pub(crate) async fn end(self, end: impl FnOnce()) {
        self.ends.store(true, Ordering::SeqCst);
        end();
        self.clients.join_all().await;
    }
}

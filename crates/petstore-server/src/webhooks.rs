//! Sends events to webhooks: creates deliveries for the events of the feed, and passes due deliveries to the engine of the
//! toolkit.

use crate::{
    config::WebhookSettings,
    event::{event, time},
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt as _;
use openapi_dropshot_server::{config::ConfigError, metrics::Metrics};
use openapi_dropshot_webhooks::{
    BoxError, Claim, Deliveries, Due, EgressRules, Engine, Finished, Handle, MasterKey, Secret,
    Sender, sign,
};
use parking_lot::Mutex;
use petstore_models::{self as models, Event, EventType};
use petstore_store::{
    Endpoint, EndpointSecret, EventPage, EventQuery, EventsAfter, NewMessage, Store, StoredEvent,
    WebhookStats,
};
use serde_json::{Value, json};
use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::{Arc, Once, OnceLock},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
    task::JoinHandle,
};

/// The type of a test event.
pub(crate) const TEST: &str = "webhook.test";
/// The type of the message that a webhook was disabled.
const DISABLED: &str = "webhook.disabled";
/// How long the previous secret still signs after a rotation.
pub(crate) const OVERLAP: TimeDelta = TimeDelta::hours(24);
/// How long a receiver has to respond to an event.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long a receiver has to return the challenge. It is shorter than the deadline of the request that verifies the webhook.
const CHALLENGE_PATIENCE: Duration = Duration::from_secs(5);
/// The greatest number of events for which one transaction creates deliveries.
const EVENTS: usize = 200;
/// How often the deliveries are counted for the metrics.
const COUNT_EVERY: TimeDelta = TimeDelta::seconds(10);
/// The greatest size of the key file in bytes.
const LONGEST_KEY: u64 = 4096;
/// How long a server that stops waits for the requests that are being sent.
const GRACE: Duration = Duration::from_secs(5);

/// Signs and sends the messages for webhooks.
#[derive(Debug)]
pub struct Webhooks {
    master: MasterKey,
    sender: Sender,
    /// It has one thread: reading what receivers send can use one processor.
    runtime: Option<Runtime>,
}

impl Drop for Webhooks {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Webhooks {
    /// Reads the key file of the settings. Returns `None` if the settings have no key file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its key is too short.
    pub fn new(settings: &WebhookSettings) -> Result<Option<Self>, ConfigError> {
        let Some(file) = &settings.webhook_key_file else {
            return Ok(None);
        };
        let unusable = |problem: &dyn fmt::Display| {
            ConfigError::new(format!(
                "`webhook-key-file`: the file `{}` {problem}",
                file.display()
            ))
        };
        let key = read_key(file).map_err(|error| unusable(&format!("cannot be read: {error}")))?;
        let master = MasterKey::from_bytes(key.trim_ascii())
            .map_err(|error| unusable(&format!("is not usable: {error}")))?;
        let receivers = &settings.receivers;
        let rules = EgressRules {
            allow_http: receivers.webhook_allow_http.is_on(),
            allowed_networks: receivers.webhook_allow_networks.as_slice().to_vec(),
            proxy: settings.proxy()?,
        };
        let agent = concat!("petstore-server/", env!("CARGO_PKG_VERSION"));
        let sender = Sender::new(rules, PATIENCE, agent)
            .map_err(|error| ConfigError::new(format!("webhooks cannot be sent: {error}")))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("petstore-webhooks")
            .enable_all()
            .build()
            .map_err(|error| ConfigError::new(format!("webhooks cannot be sent: {error}")))?;
        Ok(Some(Webhooks {
            master,
            sender,
            runtime: Some(runtime),
        }))
    }

    /// Runs a task on the thread for webhooks, so that receivers cannot delay the requests of the service.
    fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        let runtime = self.runtime.as_ref();
        runtime.expect("it ends with the webhooks").spawn(task)
    }

    /// The URLs and addresses that webhooks may have.
    pub(crate) fn rules(&self) -> &EgressRules {
        self.sender.rules()
    }

    /// The fingerprint of the key from which secrets are derived.
    pub(crate) fn master_id(&self) -> String {
        self.master.id()
    }

    /// The newest secret of an endpoint.
    pub(crate) fn newest_secret(&self, endpoint: &Endpoint) -> Secret {
        let (id, generation) = (endpoint.id.as_str(), endpoint.secret.generation);
        self.master.secret(id, generation)
    }

    /// The secrets with which the service signs at this time, the newest first.
    fn secrets(&self, endpoint: &str, secret: &EndpointSecret, now: DateTime<Utc>) -> Vec<Secret> {
        let newest = secret.generation;
        let signs_with_previous = secret.previous_until.is_some_and(|until| now < until);
        let oldest = newest - u32::from(newest > 1 && signs_with_previous);
        let generations = (oldest..=newest).rev();
        generations
            .map(|number| self.master.secret(endpoint, number))
            .collect()
    }

    /// Sends a challenge to the receiver of an endpoint, and checks that the response contains it.
    ///
    /// # Errors
    ///
    /// The receiver did not return the challenge; the message says why.
    pub(crate) async fn challenge(
        &self,
        endpoint: &Endpoint,
        now: DateTime<Utc>,
    ) -> Result<(), String> {
        let challenge = uuid::Uuid::new_v4().simple().to_string();
        let body = json!({ "type": "endpoint.verification", "challenge": challenge }).to_string();
        let secrets = self.secrets(endpoint.id.as_str(), &endpoint.secret, now);
        let id = format!("challenge_{challenge}");
        let headers =
            sign(&id, now, body.as_bytes(), &secrets).map_err(|error| error.to_string())?;
        let (sender, url) = (self.sender.clone(), endpoint.url.clone());
        let send = async move {
            let send = sender.send(&url, headers, body.into());
            tokio::time::timeout(CHALLENGE_PATIENCE, send).await
        };
        let Ok(Ok(sent)) = self.spawn(send).await else {
            return Err("it did not respond within 5 seconds".to_owned());
        };
        Err(match (sent.status, sent.failure) {
            (Some(200), _) if sent.body.trim_ascii() == challenge.as_bytes() => return Ok(()),
            (Some(200), _) => "its response had another body".to_owned(),
            (None, Some(failure)) => format!("the request failed (`{failure}`)"),
            (status, _) => format!("its status was {}", status.unwrap_or_default()),
        })
    }
}

/// Reads the key file. It must be a file, and its content is short.
fn read_key(path: &Path) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let (mut key, file) = (Vec::new(), File::open(path)?);
    file.take(LONGEST_KEY + 1).read_to_end(&mut key)?;
    if key.len() as u64 > LONGEST_KEY {
        let problem = format!("it has more than {LONGEST_KEY} bytes");
        return Err(io::Error::other(problem));
    }
    Ok(key)
}

/// Sends deliveries from [`start`](Sending::start) to [`stop`](Sending::stop).
#[derive(Default)]
pub(crate) struct Sending {
    engine: OnceLock<Running>,
    stored: Arc<Mutex<WebhookStats>>,
}

struct Running {
    handle: Arc<Handle>,
    end: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl Sending {
    pub(crate) fn start(&self, webhooks: &Arc<Webhooks>, store: Arc<dyn Store>) {
        self.engine.get_or_init(|| {
            let deliveries = StoredDeliveries {
                webhooks: Arc::clone(webhooks),
                store,
                stored: Arc::clone(&self.stored),
                counted_at: Mutex::default(),
                master_id: webhooks.master_id(),
                warning: Once::new(),
            };
            let engine = Engine::new(deliveries, webhooks.sender.clone());
            let handle = engine.handle();
            let (stop, stopped) = oneshot::channel();
            let run = engine.run(stopped.map(drop), GRACE);
            let end = Mutex::new(Some((stop, webhooks.spawn(run))));
            Running { handle, end }
        });
    }

    /// Wakes the engine, because there may be new deliveries.
    pub(crate) fn wake(&self) {
        if let Some(running) = self.engine.get() {
            running.handle.wake();
        }
    }

    /// Stops the engine, and waits for the requests that are being sent.
    pub(crate) async fn stop(&self) {
        let running = self.engine.get();
        if let Some((stop, task)) = running.and_then(|running| running.end.lock().take()) {
            drop(stop);
            let _ = task.await;
        }
    }

    pub(crate) fn register(self: &Arc<Self>, metrics: &Metrics) {
        let stored = |value: fn(&WebhookStats) -> f64| {
            let stored = Arc::clone(&self.stored);
            move || value(&stored.lock())
        };
        metrics.gauge(
            "petstore_webhook_deliveries_waiting",
            "Deliveries to webhooks that wait for their first or next attempt.",
            stored(|stats| stats.waiting as f64),
        );
        metrics.gauge(
            "petstore_webhook_oldest_due_seconds",
            "Age of the oldest delivery that could be sent now, in seconds.",
            stored(|stats| {
                let age = stats.oldest_due.map(|due| Utc::now() - due);
                age.map_or(0.0, |age| age.as_seconds_f64().max(0.0))
            }),
        );
        metrics.gauge(
            "petstore_webhooks_disabled",
            "Webhooks that the service has disabled, because the receiver responded with 410 or failed for five days.",
            stored(|stats| stats.disabled as f64),
        );
        let attempts = |value: fn(&Handle) -> u64| {
            let sending = Arc::clone(self);
            move || {
                let running = sending.engine.get();
                running.map_or(0, |running| value(&running.handle))
            }
        };
        metrics.counter(
            "petstore_webhook_deliveries_total",
            "Successful attempts to deliver an event to a webhook.",
            attempts(Handle::delivered),
        );
        metrics.counter(
            "petstore_webhook_failures_total",
            "Failed attempts to deliver an event to a webhook.",
            attempts(Handle::failed),
        );
    }
}

/// The deliveries of the store.
struct StoredDeliveries {
    webhooks: Arc<Webhooks>,
    store: Arc<dyn Store>,
    stored: Arc<Mutex<WebhookStats>>,
    /// When `stored` was read.
    counted_at: Mutex<Option<DateTime<Utc>>>,
    master_id: String,
    warning: Once,
}

impl StoredDeliveries {
    /// Creates deliveries for the events since the last call. Several servers may do this at the same time. Only the first server
    /// that moves the position creates the deliveries.
    async fn add_new(&self, now: DateTime<Utc>) -> Result<(), BoxError> {
        loop {
            let from = self.store.webhook_position().await?;
            let query = EventQuery {
                after: EventsAfter::Number(from),
                types: Vec::new(),
                limit: EVENTS,
            };
            // This cannot happen: only a cursor can be reset or expired, and not a position.
            let Ok(EventPage { events, next, more }) = self.store.list_events(query).await? else {
                return Ok(());
            };
            let to = next.position;
            if to != from {
                let messages = events.into_iter().filter_map(message).collect();
                self.store.add_deliveries(from, to, messages, now).await?;
            }
            if to == from || !more {
                return Ok(());
            }
        }
    }

    /// Logs once that the key is another one than that of the stored webhooks.
    fn warn_of_other_key(&self) {
        self.warning.call_once(|| {
            tracing::warn!(
                "the key in `webhook-key-file` is not the key with which the secrets of some webhooks were created; nothing is sent to these webhooks until their owners replace their secrets, or until the service runs with the other key"
            );
        });
    }

    /// Reads the numbers for the metrics if the last ones are old.
    async fn count(&self, now: DateTime<Utc>) -> Result<(), BoxError> {
        let is_old = |at: DateTime<Utc>| now - at >= COUNT_EVERY;
        if self.counted_at.lock().is_none_or(is_old) {
            *self.counted_at.lock() = Some(now);
            let stats = self.store.webhook_stats().await?;
            *self.stored.lock() = stats;
        }
        Ok(())
    }
}

/// Creates the message of an event. An event that cannot be serialised is logged and not sent.
pub(crate) fn message(stored: StoredEvent) -> Option<(i64, NewMessage)> {
    let position = stored.position.position;
    let message = event(stored).and_then(|event| {
        let (id, kind) = match &event {
            Event::PetCreated(event) => (&event.id, EventType::PetCreated),
            Event::PetStatusChanged(event) => (&event.id, EventType::PetStatusChanged),
            Event::OrderPlaced(event) => (&event.id, EventType::OrderPlaced),
            Event::OrderUpdated(event) => (&event.id, EventType::OrderUpdated),
        };
        let message = NewMessage {
            id: id.clone(),
            kind: kind.as_str().to_owned(),
            payload: serde_json::to_vec(&event).map_err(|error| error.to_string())?,
        };
        Ok((position, message))
    });
    match message {
        Ok(message) => Some(message),
        Err(problem) => {
            tracing::error!("an event is not sent to webhooks: {problem}");
            None
        }
    }
}

/// Creates a message that is not an event of the feed.
pub(crate) fn notice(kind: &str, at: &models::DateTime, data: &Value) -> NewMessage {
    let id = format!("evt_{}", uuid::Uuid::new_v4().simple());
    let payload = json!({ "id": id, "type": kind, "timestamp": at, "data": data }).to_string();
    NewMessage {
        id,
        kind: kind.to_owned(),
        payload: payload.into_bytes(),
    }
}

impl Deliveries for StoredDeliveries {
    async fn prepare(&self, now: DateTime<Utc>) -> Result<(), BoxError> {
        self.add_new(now).await?;
        self.count(now).await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Due>, BoxError> {
        let now = claim.now;
        let claimed = self.store.claim_deliveries(claim).await?.into_iter();
        let signed = claimed.map(|(mut due, secret)| {
            if secret.master_id == self.master_id {
                due.secrets = self.webhooks.secrets(&due.endpoint, &secret, now);
            } else {
                // The engine does not send what it cannot sign.
                self.warn_of_other_key();
            }
            due
        });
        Ok(signed.collect())
    }

    async fn finish(&self, finished: Finished) -> Result<(), BoxError> {
        let notice = match finished.disable {
            Some(reason) => {
                let data = json!({ "webhookId": finished.endpoint, "reason": reason.to_string() });
                let at = time(finished.at).map_err(|error| error.to_string())?;
                Some(notice(DISABLED, &at, &data))
            }
            None => None,
        };
        Ok(self.store.finish_delivery(finished, notice).await?)
    }
}

//! Sends events to webhooks: creates deliveries for the events of the feed, and passes due deliveries to the engine of the
//! toolkit.

use crate::config::WebhookSettings;
use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt as _;
use openapi_dropshot_server::{config::ConfigError, metrics::Metrics};
use openapi_dropshot_webhooks::{
    BoxError, Claim, Deliveries, Due, EgressRules, Engine, Finished, Handle, MasterKey, Secret,
    Sender, sign,
};
use parking_lot::Mutex;
use petstore_models as models;
use petstore_store::{
    Endpoint, EndpointSecret, EventPage, EventQuery, EventsAfter, NewMessage, Store, StoredEvent,
    WebhookStats,
};
use serde_json::{Value, json};
use std::{
    fmt, fs, io,
    path::Path,
    sync::{Arc, Once, OnceLock},
    thread,
    time::Duration,
};
use tokio::{
    runtime::{self, Builder},
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
    /// The key from which secrets are derived.
    pub(crate) master: MasterKey,
    /// It has the rules for URLs and addresses.
    pub(crate) sender: Sender,
    /// Runs the tasks that send, so that receivers cannot delay the requests of the service. It has one thread: reading what
    /// receivers send can use one processor.
    runtime: runtime::Handle,
    /// The thread ends when this is dropped.
    _alive: oneshot::Sender<()>,
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
        let not_sent = |error: &dyn fmt::Display| {
            ConfigError::new(format!("webhooks cannot be sent: {error}"))
        };
        let sender = Sender::new(rules, PATIENCE, agent).map_err(|error| not_sent(&error))?;
        let builder = Builder::new_current_thread().enable_all().build();
        let runtime = builder.map_err(|error| not_sent(&error))?;
        let (handle, (alive, dropped)) = (runtime.handle().clone(), oneshot::channel());
        let thread = thread::Builder::new().name("petstore-webhooks".to_owned());
        let thread = thread.spawn(move || runtime.block_on(dropped));
        thread.map_err(|error| not_sent(&error))?;
        Ok(Some(Webhooks {
            master,
            sender,
            runtime: handle,
            _alive: alive,
        }))
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
        let (sender, url) = (self.sender.clone(), endpoint.webhook.url.clone());
        let send = async move {
            let send = sender.send(url.as_str(), headers, body.into());
            tokio::time::timeout(CHALLENGE_PATIENCE, send).await
        };
        let Ok(Ok(sent)) = self.runtime.spawn(send).await else {
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
    let found = path.metadata()?;
    let problem = match found.len() {
        _ if !found.is_file() => "it is not a file".to_owned(),
        0..=LONGEST_KEY => return fs::read(path),
        _ => format!("it has more than {LONGEST_KEY} bytes"),
    };
    Err(io::Error::other(problem))
}

/// Sends deliveries from [`start`](Sending::start) to [`stop`](Sending::stop).
#[derive(Default)]
pub(crate) struct Sending {
    engine: OnceLock<Arc<Handle>>,
    end: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
    counted: Arc<Mutex<Counted>>,
}

/// The numbers for the metrics, and when they were read from the store.
type Counted = (Option<DateTime<Utc>>, WebhookStats);

impl Sending {
    pub(crate) fn start(&self, webhooks: &Arc<Webhooks>, store: Arc<dyn Store>) {
        self.engine.get_or_init(|| {
            let deliveries = StoredDeliveries {
                webhooks: Arc::clone(webhooks),
                store,
                counted: Arc::clone(&self.counted),
                warning: Once::new(),
            };
            let engine = Engine::new(deliveries, webhooks.sender.clone());
            let handle = engine.handle();
            let (stop, stopped) = oneshot::channel();
            let run = engine.run(stopped.map(drop), GRACE);
            *self.end.lock() = Some((stop, webhooks.runtime.spawn(run)));
            handle
        });
    }

    /// Wakes the engine, because there may be new deliveries.
    pub(crate) fn wake(&self) {
        if let Some(engine) = self.engine.get() {
            engine.wake();
        }
    }

    /// Stops the engine, and waits for the requests that are being sent.
    pub(crate) async fn stop(&self) {
        let running = self.end.lock().take();
        if let Some((stop, task)) = running {
            drop(stop);
            let _ = task.await;
        }
    }

    pub(crate) fn register(self: &Arc<Self>, metrics: &Metrics) {
        let stored = |value: fn(&WebhookStats) -> f64| {
            let counted = Arc::clone(&self.counted);
            move || value(&counted.lock().1)
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
            move || sending.engine.get().map_or(0, |engine| value(engine))
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
    counted: Arc<Mutex<Counted>>,
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
                let events = events.into_iter();
                let messages = events.map(|event| (event.position.position, message(event)));
                let messages = messages.collect();
                self.store.add_deliveries(from, to, messages, now).await?;
            }
            if to == from || !more {
                return Ok(());
            }
        }
    }
}

/// Creates the message of an event.
pub(crate) fn message(stored: StoredEvent) -> NewMessage {
    let payload = serde_json::to_vec(&stored.event);
    NewMessage {
        id: stored.id,
        kind: stored.kind.to_string(),
        payload: payload.expect("texts and numbers can always be written"),
    }
}

/// Creates a message that is not an event of the feed.
pub(crate) fn notice(kind: &str, at: DateTime<Utc>, data: &Value) -> NewMessage {
    let id = format!("evt_{}", uuid::Uuid::new_v4().simple());
    let at = models::DateTime::from(at);
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
        let last = self.counted.lock().0;
        if last.is_none_or(|last| now - last >= COUNT_EVERY) {
            self.counted.lock().0 = Some(now);
            let stats = self.store.webhook_stats().await?;
            self.counted.lock().1 = stats;
        }
        Ok(())
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<Due>, BoxError> {
        let now = claim.now;
        let claimed = self.store.claim_deliveries(claim).await?.into_iter();
        let signed = claimed.map(|(mut due, secret)| {
            if secret.master_id == self.webhooks.master.id() {
                due.secrets = self.webhooks.secrets(&due.endpoint, &secret, now);
            } else {
                // The engine does not send what it cannot sign.
                self.warning.call_once(|| tracing::warn!(
                    "the key in `webhook-key-file` is not the key with which the secrets of some webhooks were created; nothing is sent to these webhooks until their owners replace their secrets, or until the service runs with the other key"
                ));
            }
            due
        });
        Ok(signed.collect())
    }

    async fn finish(&self, finished: Finished) -> Result<(), BoxError> {
        let notice = finished.disable.map(|reason| {
            let data = json!({ "webhookId": finished.endpoint, "reason": reason.to_string() });
            notice(DISABLED, finished.at, &data)
        });
        Ok(self.store.finish_delivery(finished, notice).await?)
    }
}

//! Sends events to webhooks: creates deliveries for the events of the feed, and passes due deliveries to the engine of the
//! toolkit.

use crate::{
    config::WebhookSettings,
    event::{event, time},
};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt as _;
use openapi_dropshot_server::{config::ConfigError, metrics::Metrics};
use openapi_dropshot_webhooks::{
    BoxError, Claim, Deliveries, Disable, Due, EgressRules, Engine, Finished, MasterKey, Next,
    Outcome, Secret, Sender, Sent, Stats, Waker, sign,
};
use parking_lot::Mutex;
use petstore_models::{self as models, Event, EventType};
use petstore_store::{
    DeliveryClaim, DeliveryResult, DisabledReason, Endpoint, EventPage, EventQuery, EventsAfter,
    NewMessage, NextAttempt, Store, StoredEvent, WebhookStats,
};
use serde_json::{Value, json};
use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
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
        let rules = EgressRules {
            allow_http: settings.receivers.webhook_allow_http.is_on(),
            allowed_networks: settings
                .receivers
                .webhook_allow_networks
                .as_slice()
                .to_vec(),
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

    /// The secret of an endpoint for this generation.
    pub(crate) fn secret(&self, endpoint: &str, generation: u32) -> Secret {
        self.master.secret(endpoint, generation)
    }

    /// The secrets with which the service signs at this time.
    fn secrets(
        &self,
        endpoint: &str,
        generation: u32,
        previous_until: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Vec<Secret> {
        let previous = previous_until.filter(|until| now < *until);
        let previous = previous.and_then(|_| generation.checked_sub(1));
        let generations = [Some(generation), previous.filter(|number| *number > 0)];
        let generations = generations.into_iter().flatten();
        generations
            .map(|number| self.secret(endpoint, number))
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
        let id = endpoint.id.as_str();
        let secrets = self.secrets(id, endpoint.generation, endpoint.previous_until, now);
        let id = format!("challenge_{challenge}");
        let headers =
            sign(&id, now, body.as_bytes(), &secrets).map_err(|error| error.to_string())?;
        let (sender, url) = (self.sender.clone(), endpoint.url.clone());
        let send = async move {
            let send = sender.send(&url, headers, Bytes::from(body));
            tokio::time::timeout(CHALLENGE_PATIENCE, send).await
        };
        let Ok(Ok(Sent { outcome, .. })) = self.spawn(send).await else {
            return Err("it did not respond within 5 seconds".to_owned());
        };
        match outcome {
            Outcome::Delivered { status: 200, body }
                if body.trim_ascii() == challenge.as_bytes() =>
            {
                Ok(())
            }
            Outcome::Delivered { status: 200, .. } => {
                Err("its response had another body".to_owned())
            }
            Outcome::Delivered { status, .. } => Err(format!("its status was {status}")),
            Outcome::Failed {
                status: Some(status),
                ..
            } => Err(format!("its status was {status}")),
            Outcome::Failed { category, .. } => Err(format!("the request failed (`{category}`)")),
        }
    }
}

/// Reads the key file. It must be a file, and its content is short.
fn read_key(path: &Path) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let (mut key, file) = (Vec::new(), File::open(path)?);
    file.take(LONGEST_KEY + 1).read_to_end(&mut key)?;
    match key.len() as u64 > LONGEST_KEY {
        true => Err(io::Error::other(format!(
            "it has more than {LONGEST_KEY} bytes"
        ))),
        false => Ok(key),
    }
}

/// Sends deliveries from [`start`](Sending::start) to [`stop`](Sending::stop).
#[derive(Default)]
pub(crate) struct Sending {
    engine: OnceLock<Running>,
    stored: Arc<Mutex<WebhookStats>>,
}

struct Running {
    waker: Waker,
    counts: Arc<Stats>,
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
                has_warned: AtomicBool::new(false),
            };
            let engine = Engine::new(deliveries, webhooks.sender.clone());
            let (waker, counts) = (engine.waker(), engine.stats());
            let (stop, stopped) = oneshot::channel();
            let run = engine.run(stopped.map(drop), GRACE);
            let end = Mutex::new(Some((stop, webhooks.spawn(run))));
            Running { waker, counts, end }
        });
    }

    /// Wakes the engine, because there may be new deliveries.
    pub(crate) fn wake(&self) {
        if let Some(running) = self.engine.get() {
            running.waker.wake();
        }
    }

    /// Stops the engine, and waits for the requests that are being sent.
    pub(crate) async fn stop(&self) {
        let end = self
            .engine
            .get()
            .and_then(|running| running.end.lock().take());
        if let Some((stop, task)) = end {
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
        let attempts = |value: fn(&Stats) -> u64| {
            let sending = Arc::clone(self);
            move || {
                sending
                    .engine
                    .get()
                    .map_or(0, |running| value(&running.counts))
            }
        };
        metrics.counter(
            "petstore_webhook_deliveries_total",
            "Successful attempts to deliver an event to a webhook.",
            attempts(Stats::delivered),
        );
        metrics.counter(
            "petstore_webhook_failures_total",
            "Failed attempts to deliver an event to a webhook.",
            attempts(Stats::failed),
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
    has_warned: AtomicBool,
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
            if to == from {
                return Ok(());
            }
            let messages = events.into_iter().filter_map(message).collect();
            self.store.add_deliveries(from, to, messages, now).await?;
            if !more {
                return Ok(());
            }
        }
    }

    /// Logs once that the key is another one than that of the stored webhooks.
    fn warn_of_other_key(&self) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the key in `webhook-key-file` is not the key with which the secrets of some webhooks were created; nothing is sent to these webhooks until their owners replace their secrets, or until the service runs with the other key"
            );
        }
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
        let busy = claim.busy.iter().filter_map(|id| id.parse().ok()).collect();
        let claimed = self.store.claim_deliveries(DeliveryClaim {
            now,
            lease_until: claim.lease_until,
            limit: claim.limit,
            per_endpoint: claim.per_endpoint,
            failing: claim.failing,
            busy,
        });
        let due = claimed.await?.into_iter().map(|due| {
            let endpoint = due.endpoint.to_string();
            let secrets = match due.master_id == self.master_id {
                true => {
                    let (generation, until) = (due.generation, due.previous_until);
                    self.webhooks.secrets(&endpoint, generation, until, now)
                }
                // The engine does not send what it cannot sign.
                false => {
                    self.warn_of_other_key();
                    Vec::new()
                }
            };
            Due {
                id: due.id,
                secrets,
                endpoint,
                url: due.url,
                message_id: due.message_id,
                payload: due.payload.into(),
                tries: due.tries,
                failing_since: due.failing_since,
            }
        });
        Ok(due.collect())
    }

    async fn finish(&self, finished: Finished) -> Result<(), BoxError> {
        let disable = finished.disable.map(|reason| match reason {
            Disable::Gone => DisabledReason::Gone,
            Disable::Failing => DisabledReason::Failing,
        });
        let disable = disable.map(|reason| {
            let data = json!({ "webhookId": finished.endpoint, "reason": reason.as_str() });
            let at = time(finished.at).map_err(|error| error.to_string())?;
            Ok::<_, BoxError>((reason, notice(DISABLED, &at, &data)))
        });
        let result = DeliveryResult {
            at: finished.at,
            status: finished.status,
            failure: finished.failure.map(|failure| failure.to_string()),
            millis: finished.duration.as_millis().try_into().unwrap_or(u32::MAX),
            next: match finished.next {
                Next::Delivered => NextAttempt::Delivered,
                Next::RetryAt(at) => NextAttempt::RetryAt(at),
                Next::GivenUp => NextAttempt::GivenUp,
            },
            disable: disable.transpose()?,
        };
        let Ok(endpoint) = finished.endpoint.parse() else {
            return Err(format!("`{}` is not the id of a webhook", finished.endpoint).into());
        };
        let stored =
            self.store
                .finish_delivery(finished.id, endpoint, finished.lease_until, result);
        Ok(stored.await?)
    }
}

//! Implements the state of the server for the pet store: authenticates API keys, and stores usage
//! counters and idempotency keys.

use crate::{
    keys, store_metrics, usage,
    webhooks::{Sending, Webhooks},
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use dropshot::RequestContext;
use openapi_dropshot_server::{
    Context, State,
    config::Rate,
    feed::News,
    metrics::Metrics,
    permissions::{Permissions, Scope},
    state::{AuthenticationError, Credential, DeprecatedCalls, Seen, StateError, Usage, causes},
    usage_report::StoredUsage,
};
use openapi_dropshot_types::Operation;
use petstore_store::{
    FoundKey, KeyId, KeyLimits, KeyRate, KeyScope, KeyUse, Store, StoreError, UsageDelta,
};
use std::{ops::Deref, sync::Arc};

/// The state of a pet store server: its store.
#[derive(Clone)]
pub struct PetStore {
    store: Arc<dyn Store>,
    news: Arc<News>,
    events_kept: TimeDelta,
    webhooks: Option<Arc<Webhooks>>,
    sending: Arc<Sending>,
}

impl PetStore {
    /// Creates the state of a server that serves this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        PetStore {
            store,
            news: Arc::default(),
            events_kept: TimeDelta::days(30),
            webhooks: None,
            sending: Arc::default(),
        }
    }

    /// Sets how long events are kept, instead of 30 days.
    #[must_use]
    pub fn keeping_events(self, events_kept: TimeDelta) -> Self {
        PetStore {
            events_kept,
            ..self
        }
    }

    /// Offers webhooks; [`start_webhooks`](Self::start_webhooks) begins to send them.
    #[must_use]
    pub fn offering_webhooks(self, webhooks: Option<Webhooks>) -> Self {
        PetStore {
            webhooks: webhooks.map(Arc::new),
            ..self
        }
    }

    /// Begins to send events to webhooks, if they are offered.
    pub fn start_webhooks(&self) {
        if let Some(webhooks) = &self.webhooks {
            self.sending.start(webhooks, self.share());
        }
    }

    /// Sends nothing more to webhooks, and waits for the requests that are being sent.
    pub async fn stop_webhooks(&self) {
        self.sending.stop().await;
    }

    /// Sends webhooks; `None` if the service does not offer them.
    pub(crate) fn webhooks(&self) -> Option<&Webhooks> {
        self.webhooks.as_deref()
    }

    /// Wakes the requests that wait for events.
    pub(crate) fn news(&self) -> &Arc<News> {
        &self.news
    }

    /// There are new events, or a webhook has something to be sent.
    pub(crate) fn announce(&self) {
        self.news.announce();
        self.sending.wake();
    }

    /// Returns the store, so that a task can share it.
    pub(crate) fn share(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }
}

impl Deref for PetStore {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &*self.store
    }
}

/// Runs an operation of the store on behalf of the API key of a request.
pub(crate) fn on_behalf_of<W: Future>(
    request: &RequestContext<Context<PetStore>>,
    work: W,
) -> impl Future<Output = W::Output> {
    let caller = request.context().principal(request);
    petstore_store::on_behalf_of(caller.map(|caller| caller.id()), work)
}

/// The API key of a request, with its limits.
#[derive(Clone, Debug)]
pub struct Caller {
    id: KeyId,
    scope: KeyScope,
    permissions: Permissions,
}

impl Caller {
    /// The public name of the key.
    pub(crate) const fn id(&self) -> KeyId {
        self.id
    }
}

impl From<FoundKey> for Caller {
    fn from(FoundKey { id, limits }: FoundKey) -> Self {
        let KeyLimits {
            expires_at,
            rate,
            scope,
        } = limits;
        let permissions = Permissions {
            scope: match scope {
                KeyScope::Read => Scope::Read,
                KeyScope::ReadWrite | KeyScope::Webhooks => Scope::ReadWrite,
            },
            rate: rate.map(|rate| match rate {
                KeyRate::Off => Rate::Off,
                KeyRate::PerSecond(number) => Rate::PerSecond(number),
            }),
            expires_at,
        };
        Caller {
            id,
            scope,
            permissions,
        }
    }
}

impl State for PetStore {
    type Principal = Caller;

    fn principal_id(caller: &Caller) -> &str {
        caller.id.as_str()
    }

    fn permissions(caller: &Caller) -> Permissions {
        caller.permissions
    }

    fn missing_scope(caller: &Caller, operation: &Operation) -> Option<&'static str> {
        let is_webhook = operation.path.starts_with("/webhooks");
        (is_webhook && caller.scope != KeyScope::Webhooks).then_some("webhooks")
    }

    async fn authenticate(
        &self,
        credential: Credential<'_, Caller>,
    ) -> Result<Caller, AuthenticationError> {
        let key = keys::FORMAT
            .parse(credential.secret())
            .map_err(|_| AuthenticationError::Malformed)?;
        let found = self
            .find_key(&keys::hash(&key))
            .await
            .map_err(state_error)?;
        found.map(Caller::from).ok_or(AuthenticationError::Unknown)
    }

    async fn check(&self) -> Result<(), StateError> {
        self.store.check().await.map_err(|error| match error {
            StoreError::NotWritable { .. } => state_error(error),
            _ => {
                let message = "the store cannot be used; see the log for the reason";
                StateError::unavailable(message, causes(&error))
            }
        })
    }

    async fn record_usage(&self, usage: Usage<Caller>) -> Result<(), StateError> {
        let usage = petstore_store::Usage {
            calls: usage.calls.into_iter().map(usage_delta).collect(),
            uses: usage
                .seen
                .into_iter()
                .map(|Seen { principal, at }| KeyUse {
                    key: principal.id,
                    at,
                })
                .collect(),
        };
        self.store.record_usage(usage).await.map_err(state_error)
    }

    async fn stored_usage(&self, since: NaiveDate) -> Result<Option<StoredUsage>, StateError> {
        let stored = usage::stored(&*self.store, since).await;
        stored.map(Some).map_err(state_error)
    }

    async fn delete_expired_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StateError> {
        let deleted = self.forget_idempotency_keys(now, limit).await;
        deleted.map_err(state_error)
    }

    async fn delete_expired_events(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StateError> {
        let before = now - self.events_kept;
        let events = self.forget_events(before, limit).await;
        let deliveries = self.forget_deliveries(before, limit).await;
        Ok(events.map_err(state_error)? + deliveries.map_err(state_error)?)
    }

    fn register_metrics(&self, metrics: &Metrics) {
        store_metrics::register(metrics, &self.store);
        self.sending.register(metrics);
    }
}

fn usage_delta(calls: DeprecatedCalls<Caller>) -> UsageDelta {
    UsageDelta {
        key: calls.principal.id,
        operation: calls.operation.name.to_owned(),
        calls: calls.calls,
        first_seen: calls.first_seen,
        last_seen: calls.last_seen,
        user_agent: calls.user_agent,
    }
}

/// Decides what a response says about a failure of the store: "not started", "outcome unknown" or
/// "internal error of the service". The message of the database is only logged.
pub(crate) fn state_error(error: StoreError) -> StateError {
    let (message, causes) = (error.to_string(), causes(&error));
    match error {
        StoreError::Overloaded => StateError::overloaded(message),
        StoreError::Unavailable { .. } | StoreError::NotWritable { .. } => {
            StateError::unavailable(message, causes)
        }
        StoreError::Corrupt { .. } | StoreError::KeyExists | StoreError::Internal { .. } => {
            StateError::internal(message, causes)
        }
    }
}

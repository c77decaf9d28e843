//! The trait that a service implements for its database, so that an engine can deliver messages.

use crate::{Secret, Sent};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::future::Future;

/// An error of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The stored deliveries of a service. Several engines may use the same deliveries, even in several processes.
///
/// A delivery is sent at least once: if the process ends before `finish`, the lease of the delivery ends, and the delivery is claimed again.
pub trait Deliveries: Send + Sync + 'static {
    /// Creates the deliveries of new messages, if the service does not create them together with the messages. It is called before
    /// deliveries are claimed.
    fn prepare(&self, _now: DateTime<Utc>) -> impl Future<Output = Result<(), BoxError>> + Send {
        async { Ok(()) }
    }

    /// Claims deliveries that are due. No other call may return them before the lease ends. The deliveries that have been due for the
    /// longest time come first.
    fn claim(&self, claim: Claim) -> impl Future<Output = Result<Vec<Due>, BoxError>> + Send;

    /// Stores the result of a try. Must change nothing if the delivery has another lease, because it was claimed again.
    fn finish(&self, finished: Finished) -> impl Future<Output = Result<(), BoxError>> + Send;
}

/// The deliveries that an engine asks for.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The current time. A delivery is due if its due time is not later.
    pub now: DateTime<Utc>,
    /// When the lease ends, in whole milliseconds. It becomes the due time of the claimed deliveries.
    pub lease_until: DateTime<Utc>,
    /// The greatest number of deliveries.
    pub limit: usize,
    /// The greatest number of deliveries for each endpoint.
    pub per_endpoint: usize,
    /// If true, claim only deliveries of failing endpoints (those with a `failing_since`); otherwise only deliveries of the other
    /// endpoints. Failing endpoints have a separate limit, so that they do not delay the others.
    pub failing: bool,
    /// Endpoints whose deliveries must not be claimed now.
    pub busy: Vec<String>,
}

/// A delivery that was claimed.
#[derive(Clone, Debug)]
pub struct Due {
    /// The id of the delivery.
    pub id: i64,
    /// The id of its endpoint.
    pub endpoint: String,
    /// The URL of its endpoint.
    pub url: String,
    /// The id of the message, which is the same for each try and each endpoint.
    pub message_id: String,
    /// The body of the message: JSON.
    pub payload: Bytes,
    /// The secrets that sign the message.
    pub secrets: Vec<Secret>,
    /// The number of tries before this one.
    pub tries: u32,
    /// The time of the endpoint's first failed try since its last success.
    pub failing_since: Option<DateTime<Utc>>,
}

/// The result of a try.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The id of the delivery.
    pub id: i64,
    /// The id of its endpoint.
    pub endpoint: String,
    /// The lease with which it was claimed.
    pub lease_until: DateTime<Utc>,
    /// When the try ended, in whole milliseconds.
    pub at: DateTime<Utc>,
    /// The result of sending the message.
    pub sent: Sent,
    /// What happens to the delivery.
    pub next: Next,
    /// Why the endpoint must be disabled. `None`: its state does not change.
    pub disable: Option<Disable>,
}

/// What happens to a delivery after a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It was delivered.
    Delivered,
    /// It is due again at this time.
    RetryAt(DateTime<Utc>),
    /// It is not tried again.
    GivenUp,
}

/// Why an endpoint is disabled. `Display` shows the name of the reason, in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disable {
    /// It responded with 410 (Gone).
    #[error("gone")]
    Gone,
    /// All tries of the last five days failed.
    #[error("failing")]
    Failing,
}

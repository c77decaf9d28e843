//! Signs events for tests of receivers of webhooks.

use chrono::{DateTime, Utc};
use http::HeaderMap;
use openapi_dropshot_webhooks::{InvalidMessage, InvalidSecret, Secret, sign};
use serde_json::Value;

/// A request that the service would send to a webhook.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SignedWebhook {
    /// The headers with the signature, and `Content-Type`.
    pub headers: HeaderMap,
    /// The event, in JSON.
    pub body: Vec<u8>,
}

/// Why an event cannot be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidWebhook {
    /// The secret is not valid.
    #[error("the secret of the webhook is not valid")]
    Secret(#[from] InvalidSecret),
    /// The event has no `id`, or an `id` that no header can contain.
    #[error("the event needs an `id`, a text that a header can contain")]
    Event(#[from] InvalidMessage),
}

/// Signs an event at this time, as the service does. The event needs the member `id`.
///
/// ```
/// use petstore_testing::sign_webhook;
///
/// let secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
/// let event = serde_json::json!({
///     "id": "evt_1", "type": "order.placed", "timestamp": "2026-11-27T12:00:00Z", "data": {}
/// });
/// let request = sign_webhook(secret, chrono::Utc::now(), &event)?;
/// assert_eq!(request.headers["webhook-id"], "evt_1");
/// # Ok::<_, petstore_testing::InvalidWebhook>(())
/// ```
///
/// # Errors
///
/// The secret is not valid, or the event has no usable `id`.
pub fn sign_webhook(
    secret: &str,
    at: DateTime<Utc>,
    event: &Value,
) -> Result<SignedWebhook, InvalidWebhook> {
    let secret: Secret = secret.parse()?;
    let body = event.to_string().into_bytes();
    let id = event["id"].as_str().unwrap_or_default();
    let mut headers = sign(id, at, &body, &[secret])?;
    let json = http::HeaderValue::from_static("application/json");
    headers.insert(http::header::CONTENT_TYPE, json);
    Ok(SignedWebhook { headers, body })
}

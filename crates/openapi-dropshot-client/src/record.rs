//! Data about a call, in addition to its response.

use http::HeaderValue;
use std::fmt;
use uuid::Uuid;

/// Data about a call, in addition to its response. Responses and errors contain it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// How often the request was sent again.
    pub(crate) retries: u32,
    /// Whether the service may have received any of its tries.
    pub(crate) sent: bool,
    /// The key that made the request safe to repeat.
    pub(crate) idempotency_key: Option<String>,
    /// Why the request was not sent again, although another try might have succeeded.
    pub(crate) stop: Option<RetryStop>,
    /// The credential of the last try.
    pub(crate) credential: Option<HeaderValue>,
}

impl Record {
    pub(crate) fn credential_fingerprint(&self) -> Option<String> {
        self.credential.as_ref().map(fingerprint)
    }
}

/// Returns a text that is the same for the same credential but does not contain it: a UUID of version 5 (RFC 9562).
pub(crate) fn fingerprint(credential: &HeaderValue) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, credential.as_bytes()).to_string()
}

/// Why a request was not sent again after an error that may be temporary; see
/// [`Error::retry_stop`](crate::Error::retry_stop).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetryStop {
    /// The service may have carried out the request, and it is not safe to repeat it.
    NotRepeatable,
    /// The call has made all tries of its [`RetryPolicy`](crate::RetryPolicy).
    Tries,
    /// The [`RetryBudget`](crate::RetryBudget) of the client is used up, because too many calls failed.
    Budget,
    /// The pause before the next try would have exceeded the time limit of the call.
    Timeout,
    /// The classifier of the [`RetryPolicy`](crate::RetryPolicy) forbids it.
    Classifier,
    /// The service rejected the API key after an earlier try that it may have carried out. The `Idempotency-Key` of the
    /// request is valid only for the API key of that try; with another API key, the request could be carried out twice.
    ApiKeyRejected,
}

/// Returns the reason in a form that follows the text of an error.
impl fmt::Display for RetryStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RetryStop::NotRepeatable => "not sent again because it is not safe to repeat",
            RetryStop::Tries => "not sent again because the retry policy allows no further try",
            RetryStop::Budget => "not sent again because the retry budget of the client is used up",
            RetryStop::Timeout => {
                "not sent again because the time limit of the call leaves no time for it"
            }
            RetryStop::Classifier => {
                "not sent again because the classifier of the retry policy forbids it"
            }
            RetryStop::ApiKeyRejected => {
                "not sent with another API key: an earlier try may have been carried out, and its Idempotency-Key is valid only \
                 for the API key of that try; check whether it was carried out before you repeat it"
            }
        })
    }
}

//! How an application continues after a crash, without doing anything twice and without missing an item of a list.
//!
//! # A creation that may have been carried out
//!
//! Within a call, the client repeats a creation with the same `Idempotency-Key`. After a crash of the application, the application
//! itself must do this:
//!
//! 1. Create the key ([`new_idempotency_key`]) and store it with the body of the request **before** you send the request.
//! 2. Store the fingerprint of the credential with it, because a service keeps keys separately for each credential: with another API key, the
//!    same `Idempotency-Key` has no effect, and the creation is carried out a second time.
//! 3. Delete both when the response is stored.
//! 4. After a restart, send the same request with the same key, as long as the service keeps the key (the
//!    documentation of the operation says how long; 24 hours are common).
//!
//! If the service already carried out the first request, it returns the first response again, with the same status and the same body,
//! even if the resource has changed since then. Fetch the resource if you need its current state. If the first request never arrived,
//! the repeated request is carried out for the first time. The application does not need to know which of the two happened.
//!
//! [`SameCredential`] does the first two steps. It is an interceptor of the call: before the first try, it calls a function that
//! stores both. It rejects each later try that would use another credential, including tries of the next process. If the key was
//! replaced meanwhile (the cause of the error is [`OtherCredential`]), check whether the creation was carried out before you repeat it.
//! [`Error::credential_fingerprint`](crate::Error) and [`Response::credential_fingerprint`](crate::Response) say which credential
//! a call used.
//!
//! ```
//! use std::fs;
//! # use openapi_dropshot_client::{BoxError, CallOptions, recovery::{self, SameCredential}};
//! # async fn create_order(key: &str, options: CallOptions) -> Result<i64, BoxError> { Ok(7) }
//!
//! # async fn example() -> Result<(), BoxError> {
//! // The first run creates a key. After a crash, the next run finds this key.
//! let stored = fs::read_to_string("order.started").unwrap_or_default();
//! let mut lines = stored.lines().map(str::to_owned);
//! let key = lines.next().unwrap_or_else(recovery::new_idempotency_key);
//! let first = key.clone();
//! // The function is called before the first try. A real program should replace the file atomically (write a new file and rename it).
//! let same = SameCredential::new(lines.next(), move |fingerprint| {
//!     Ok(fs::write("order.started", format!("{first}\n{fingerprint}\n"))?)
//! });
//! // client.create_order().idempotency_key(key).body(order).with(…).send()
//! let order = create_order(&key, CallOptions::new().interceptor(same)).await?;
//! println!("order {order}");
//! fs::remove_file("order.started")?;
//! # Ok(())
//! # }
//! ```
//!
//! # A list of which only a part was read
//!
//! [`Items::cursor`](crate::Items::cursor) is the cursor of the page of the last item. Store it after you have processed the items of a
//! page. After a restart, pass it to `cursor` of the request, with the same filters: the list continues with that page. It may return
//! some items of this page a second time, but misses none, so processing an item twice must be harmless. If the service rejects the
//! cursor with 400, because it is too old or belongs to another filter, start without a cursor.

use crate::{BoxError, Interceptor, TryRequest, lock::lock};
use std::sync::Mutex;

/// Returns a new value for an `Idempotency-Key`: a random UUID (RFC 9562).
#[must_use]
pub fn new_idempotency_key() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// An interceptor that allows a call to be sent only with the credential of its first try, in this process or in an earlier one. The
/// module has an example.
pub struct SameCredential {
    expected: Mutex<Option<String>>,
    store: Box<Store>,
}

/// [`SameCredential`] did not allow a try, because the credential was replaced since the first try. It is the
/// [`cause`](crate::Error::cause) of the error of the call.
///
/// ```
/// # use openapi_dropshot_client::{Error, recovery::OtherCredential};
/// fn was_key_replaced(error: &Error) -> bool {
///     error.cause().is_some_and(|cause| cause.is::<OtherCredential>())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the credential differs from that of the first try, and the Idempotency-Key is not valid for it; check whether the request was \
     carried out before you repeat it"
)]
#[non_exhaustive]
pub struct OtherCredential;

type Store = dyn Fn(&str) -> Result<(), BoxError> + Send + Sync;

impl SameCredential {
    /// `stored` is the fingerprint that an earlier process has stored, if any. The function stores the fingerprint before the first try.
    /// If it fails, nothing is sent.
    pub fn new(
        stored: Option<String>,
        store: impl Fn(&str) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        SameCredential {
            expected: Mutex::new(stored),
            store: Box::new(store),
        }
    }
}

impl Interceptor for SameCredential {
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        let present = request.credential_fingerprint().unwrap_or_default();
        let mut expected = lock(&self.expected);
        match &*expected {
            Some(expected) if *expected == present => Ok(()),
            Some(_) => Err(OtherCredential.into()),
            None => {
                (self.store)(&present)?;
                *expected = Some(present);
                Ok(())
            }
        }
    }
}

debug_fields!(SameCredential);

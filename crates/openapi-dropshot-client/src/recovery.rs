//! How an application continues after a crash: without doing anything twice, and without missing an item of a list.
//!
//! # A creation that may have been carried out
//!
//! Within a call, the client repeats a creation with the same `Idempotency-Key`. After a crash of the application only the
//! application can do so. It works if it
//!
//! 1. makes the key ([`new_idempotency_key`]) and stores it with the body of the request **before** it sends the request,
//! 2. stores the fingerprint of the credential with it, because a service keeps keys for each credential: with another API key, the
//!    same `Idempotency-Key` protects nothing and the creation is carried out a second time,
//! 3. deletes them once the response is stored,
//! 4. sends the same request with the same key after a restart, as long as the service remembers the key (the
//!    documentation of the operation says how long; 24 hours are usual).
//!
//! A replay returns the first response again, with the same status and the same body, even if the thing has changed since. Fetch it
//! if you need its present state. If the first request never arrived, the replay is carried out for the first time: the application need
//! not know which of the two happened.
//!
//! [`SameCredential`] does the first two steps: it is an interceptor of the call, which calls a function that stores both before the
//! first try, and rejects each later try, also of the next process, that would have another credential. If the key was replaced meanwhile, look
//! whether the creation was carried out before you repeat it. [`Error::credential_fingerprint`](crate::Error) and
//! [`Response::credential_fingerprint`](crate::Response) tell which credential a call used.
//!
//! ```
//! use std::fs;
//! # use openapi_dropshot_client::{BoxError, CallOptions, recovery::{self, SameCredential}};
//! # async fn create_order(key: &str, options: CallOptions) -> Result<i64, BoxError> { Ok(7) }
//!
//! # async fn example() -> Result<(), BoxError> {
//! // The first time this makes a key, and after a crash it finds that of the first time.
//! let stored = fs::read_to_string("order.started").unwrap_or_default();
//! let mut lines = stored.lines().map(str::to_owned);
//! let key = lines.next().unwrap_or_else(recovery::new_idempotency_key);
//! let first = key.clone();
//! // The function is called before the first try. Replace the file as a whole (write another one and rename it) in a real program.
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
//! # A list that was read in part
//!
//! [`Items::cursor`](crate::Items::cursor) is the cursor of the page of the last item. Store it after the items of a page were
//! processed, and pass it to `cursor` of the request after a restart, with the same filters: the list continues with that page. Some of
//! its items come a second time and none is missed, so processing an item twice must be harmless. If the service
//! rejects the cursor with 400, because it is too old or has another filter, begin without one.

use crate::{BoxError, Interceptor, TryRequest};
use std::sync::{Mutex, PoisonError};

/// A new value for an `Idempotency-Key`: a random UUID (RFC 9562).
#[must_use]
pub fn new_idempotency_key() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// An interceptor that lets a call be sent only with the credential that it had at first, in this process or in an earlier
/// one; the module has an example.
pub struct SameCredential {
    expected: Mutex<Option<String>>,
    store: Box<Store>,
}

type Store = dyn Fn(&str) -> Result<(), BoxError> + Send + Sync;

impl SameCredential {
    /// Takes the fingerprint that an earlier process has stored, if any, and a function that stores it before the
    /// first try. If that fails, nothing is sent.
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
        let mut expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        match &*expected {
            Some(expected) if *expected == present => Ok(()),
            Some(_) => Err("the credential differs from that of the first try, and the Idempotency-Key is not valid for it; \
                            look whether the request was carried out before you repeat it"
                .into()),
            None => {
                (self.store)(&present)?;
                *expected = Some(present);
                Ok(())
            }
        }
    }
}

debug_fields!(SameCredential);

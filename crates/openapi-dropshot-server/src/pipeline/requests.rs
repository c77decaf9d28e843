//! Counts waiting requests, and requests with a large head, in a budget that the principals share. All requests
//! without a known principal, such as those whose key is being looked up, share the budget as a single principal.

use super::{body::Budget, error_response::ErrorResponse};
use fair_shares::Share;
use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};
use openapi_dropshot_types::Condition;
use std::hash::Hash;

/// The minimum memory of a request: its state in the server and, with HTTP/2, a stream.
pub(super) const REQUEST_BYTES: usize = 10 << 10;
/// The memory of a header field in addition to its name and its value.
const FIELD_BYTES: usize = 128;
/// A smaller request is counted only while it waits.
const LARGE: usize = REQUEST_BYTES + (4 << 10);

/// The memory that a request takes.
#[derive(Clone, Copy)]
pub(crate) struct Cost(usize);

/// Copies the head of a request that has to wait. The head is a part of the buffers into which its connection was
/// read, and would keep these buffers in memory with everything else in them.
pub(super) fn copy(head: &mut Parts) {
    for value in head.headers.values_mut() {
        if let Ok(mut copy) = HeaderValue::from_bytes(value.as_bytes()) {
            copy.set_sensitive(value.is_sensitive());
            *value = copy;
        }
    }
    if let Ok(copy) = head.uri.to_string().parse() {
        head.uri = copy;
    }
}

impl Cost {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let fields = headers.iter();
        let field = |(name, value): (&HeaderName, &HeaderValue)| {
            FIELD_BYTES + name.as_str().len() + value.len()
        };
        Cost(REQUEST_BYTES + fields.map(field).sum::<usize>())
    }

    pub(crate) fn is_large(self) -> bool {
        self.0 > LARGE
    }

    /// Takes a share for the principal, or rejects the request.
    pub(super) fn take<P: Copy + Eq + Hash>(
        self,
        budget: &Budget<P>,
        principal: Option<P>,
    ) -> Result<Share<Option<P>>, ErrorResponse> {
        budget.try_take(&principal, self.0).ok_or_else(|| {
            let message = "too many requests of this key, or of all keys, are waiting, or their heads are too large; nothing was started, try again in 1 second";
            ErrorResponse::new(Condition::Overloaded, message)
        })
    }
}

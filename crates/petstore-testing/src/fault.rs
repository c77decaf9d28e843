//! The faults that can be injected between a client and the service, and the conditions for them.

use petstore_server::OperationId;
use std::time::Duration;

/// A fault for [`Server::inject`](crate::Server::inject).
///
/// Without conditions, the fault affects every request from now on, until
/// [`Server::clear_faults`](crate::Server::clear_faults). [`on`](Fault::on),
/// [`times`](Fault::times) and [`after`](Fault::after) set conditions. At most one fault affects a
/// request: if several apply, it is the one that was injected first.
///
/// ```
/// use petstore_testing::{Fault, OperationId};
/// use std::time::Duration;
///
/// // The third and the fourth creation are rejected; others are not.
/// let fault = Fault::overloaded(Duration::from_secs(1))
///     .on(OperationId::CreatePet)
///     .after(2)
///     .times(2);
/// # let _ = fault;
/// ```
#[derive(Clone, Debug)]
#[must_use = "a fault happens where it is injected: `server.inject(fault)`"]
pub struct Fault {
    kind: Kind,
    operation: Option<OperationId>,
    after: u32,
    /// `None` means no limit.
    times: Option<u32>,
}

/// The fault of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The relay returns this response, and the service does not receive the request.
    Response {
        status: u16,
        media_type: &'static str,
        /// In seconds.
        retry_after: Option<u64>,
        body: String,
    },
    /// The request is forwarded after a delay.
    Slow(Duration),
    /// The connection is closed before the request is forwarded.
    CutBefore,
    /// The request is forwarded, and the connection is closed instead of sending the response.
    CutAfter,
    /// The request is forwarded, and half of the response's body is sent back.
    Truncated,
}

impl Fault {
    /// 503 `overloaded` with `Retry-After`: the service has not started the request. The time is
    /// rounded up to seconds.
    pub fn overloaded(retry_after: Duration) -> Self {
        let message = "too many requests are running; try again";
        Fault::rejected(503, "overloaded", message, retry_after)
    }

    /// 503 `unavailable` with `Retry-After`: a client cannot know whether the request was carried
    /// out. (It was not.) The time is rounded up to seconds.
    pub fn unavailable(retry_after: Duration) -> Self {
        let message = "the store cannot be reached; try again";
        Fault::rejected(503, "unavailable", message, retry_after)
    }

    /// 429 `rate_limited` with `Retry-After`, rounded up to seconds. For a rate limit that counts
    /// requests, use [`Builder::rate_limit`](crate::Builder::rate_limit).
    pub fn rate_limited(retry_after: Duration) -> Self {
        let message = "the key made too many requests; wait";
        Fault::rejected(429, "rate_limited", message, retry_after)
    }

    /// Any status with an error body that has this code. The contract does not need to contain the
    /// code. The service has not started the request.
    ///
    /// ```
    /// use petstore_testing::{Fault, OperationId};
    ///
    /// let broken = Fault::error(500, "internal_error").on(OperationId::CreatePet).times(1);
    /// let expired = Fault::error(401, "unauthorized");
    /// let of_a_newer_service = Fault::error(409, "pet_is_asleep").on(OperationId::CreatePet);
    /// # let _ = (broken, expired, of_a_newer_service);
    /// ```
    pub fn error(status: u16, code: &str) -> Self {
        let body = serde_json::json!({
            "code": code,
            "message": format!("the test injects {code}"),
            "status": status,
        });
        Fault::response(status, "application/json", body.to_string())
    }

    /// Any status with any body, such as that of a proxy.
    pub fn response(status: u16, media_type: &'static str, body: impl Into<String>) -> Self {
        Fault::of(Kind::Response {
            status,
            media_type,
            retry_after: None,
            body: body.into(),
        })
    }

    /// 502 with an HTML page, like the response of a proxy that cannot reach the service.
    pub fn bad_gateway() -> Self {
        let page = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";
        Fault::response(502, "text/html", page)
    }

    /// The service receives the request only after this time, which the machine's clock measures.
    pub fn slow(by: Duration) -> Self {
        Fault::of(Kind::Slow(by))
    }

    /// The connection is closed before the service receives the request.
    pub fn cut() -> Self {
        Fault::of(Kind::CutBefore)
    }

    /// The service executes the request, and the connection is closed before the response is sent.
    pub fn cut_before_the_answer() -> Self {
        Fault::of(Kind::CutAfter)
    }

    /// The service executes the request, and the connection is closed in the middle of the
    /// response.
    pub fn truncated() -> Self {
        Fault::of(Kind::Truncated)
    }

    fn rejected(status: u16, code: &str, message: &str, retry_after: Duration) -> Self {
        let body = serde_json::json!({ "code": code, "message": message, "status": status });
        let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
        Fault::of(Kind::Response {
            status,
            media_type: "application/json",
            retry_after: Some(seconds),
            body: body.to_string(),
        })
    }

    fn of(kind: Kind) -> Self {
        Fault {
            kind,
            operation: None,
            after: 0,
            times: None,
        }
    }

    /// Limits the fault to requests for this operation. Without it, the fault also affects pages
    /// such as `/docs`.
    pub fn on(mut self, operation: OperationId) -> Self {
        self.operation = Some(operation);
        self
    }

    /// Limits how often the fault occurs; 0 means never.
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Skips the first requests that the fault would affect: with `after(2)`, the fault affects the
    /// third such request and later ones. Requests that an earlier fault affects are not counted.
    pub fn after(mut self, requests: u32) -> Self {
        self.after = requests;
        self
    }
}

/// The faults of a server, in the order in which they were injected.
#[derive(Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<Fault>);

impl Faults {
    /// Returns the fault for the next request for this operation: the first fault whose conditions
    /// are met. Reduces its remaining count by one.
    pub(crate) fn next(&mut self, operation: Option<OperationId>) -> Option<Kind> {
        let concerned = self
            .0
            .iter_mut()
            .filter(|fault| fault.operation.is_none() || fault.operation == operation)
            .filter(|fault| fault.times != Some(0));
        for fault in concerned {
            if fault.after > 0 {
                fault.after -= 1;
                continue;
            }
            if let Some(times) = &mut fault.times {
                *times -= 1;
            }
            return Some(fault.kind.clone());
        }
        None
    }
}

#[cfg(test)]
mod tests;

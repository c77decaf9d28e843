//! The operations of a document, which generated clients contain as constants.

use http::{HeaderName, Method};

/// The header that lets the service recognise a repeated creation (draft-ietf-httpapi-idempotency-key-header).
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The parameter of a feed for the time in seconds that the service may wait for events.
pub(crate) const WAIT: &str = "wait";

/// An operation of the document.
///
/// ```
/// use openapi_dropshot_client::generated::{Method, Operation, Parameter, Place};
///
/// static GET_BOOK: Operation = Operation {
///     id: "getBook",
///     method: Method::GET,
///     path: "/books/{bookId}",
///     parameters: &[Parameter::new(Place::Path, "bookId", "book_id", true)],
///     success: &[200],
/// };
/// ```
#[derive(Debug)]
pub struct Operation {
    /// `operationId`
    pub id: &'static str,
    /// The method.
    pub method: Method,
    /// The path below the base URL, with the names of path parameters in braces.
    pub path: &'static str,
    /// The parameters, in the order in which they are sent.
    pub parameters: &'static [Parameter],
    /// The statuses that mean success; if empty, every status from 200 to 299.
    pub success: &'static [u16],
}

/// Returns the method with this name, for methods that have no constant. Only generated code calls it, with valid names.
#[doc(hidden)]
pub fn method(name: &'static str) -> Method {
    Method::from_bytes(name.as_bytes()).expect("the reader of documents has checked the name")
}

/// The states for which a client can wait; `x-waiters` of the document declares them.
///
/// ```
/// use openapi_dropshot_client::generated::Waiter;
///
/// static LOAN_RETURNED: Waiter = Waiter {
///     name: "loanReturned",
///     path: "/state",
///     success: &["returned"],
///     failure: &["lost"],
/// };
/// ```
#[derive(Debug)]
pub struct Waiter {
    /// The name in the document.
    pub name: &'static str,
    /// The place of the state in the response, as a JSON pointer (RFC 6901).
    pub path: &'static str,
    /// The expected states, which end the wait.
    pub success: &'static [&'static str],
    /// The states from which no expected state can be reached.
    pub failure: &'static [&'static str],
}

/// A parameter of an operation; see [`Operation`] for an example.
#[derive(Debug)]
pub struct Parameter {
    pub(crate) place: Place,
    pub(crate) name: &'static str,
    pub(crate) setter: &'static str,
    pub(crate) required: bool,
}

/// The part of the request that a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are clear")]
pub enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl Parameter {
    /// Creates a parameter from its place, its name in the document, and the builder's method that sets it.
    pub const fn new(
        place: Place,
        name: &'static str,
        setter: &'static str,
        required: bool,
    ) -> Self {
        Parameter {
            place,
            name,
            setter,
            required,
        }
    }
}

impl Operation {
    /// Whether the operation is a feed: it has a `cursor`, and can `wait` for new items.
    pub(crate) fn is_feed(&self) -> bool {
        let has = |name| {
            let mut parameters = self.parameters.iter();
            parameters.any(|it| it.place == Place::Query && it.name == name)
        };
        has(WAIT) && has("cursor")
    }

    /// Whether the operation accepts an `Idempotency-Key`.
    pub(crate) fn takes_idempotency_key(&self) -> bool {
        self.parameters.iter().any(|parameter| {
            parameter.place == Place::Header
                && parameter
                    .name
                    .eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str())
        })
    }
}

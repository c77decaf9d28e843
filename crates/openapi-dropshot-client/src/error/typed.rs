//! The error of an operation whose error responses have different bodies.

use super::{Error, ErrorKind};
use crate::generated::by_status::ByStatus;
use std::{
    error,
    fmt::{self, Debug, Display},
    ops::Deref,
};

/// The error of an operation whose error responses have different bodies by status. It dereferences to [`Error`], and it has the
/// body in the type that the document defines for the status.
///
/// `B` is the enum of the bodies of one operation; `?` converts the error to [`Error`].
///
/// ```
/// use openapi_dropshot_client::{Error, TypedError};
/// # use openapi_dropshot_client::generated::{ByStatus, json_body, unlisted};
/// # enum GetBookError { Unauthorized, NotFound(String) }
/// # impl ByStatus for GetBookError {
/// #     fn read(status: u16, body: &[u8]) -> serde_json::Result<Self> {
/// #         match status {
/// #             401 => Ok(Self::Unauthorized),
/// #             404 => json_body(body).map(Self::NotFound),
/// #             _ => Err(unlisted()),
/// #         }
/// #     }
/// # }
/// fn report(error: &TypedError<GetBookError>) {
///     match error.typed_body() {
///         Some(GetBookError::Unauthorized) => println!("get another key"),
///         Some(GetBookError::NotFound(title)) => println!("there is no `{title}`"),
///         None => println!("status {:?}: {}", error.status(), error.message()),
///     }
/// }
/// // Pages and waiters return the plain error; this conversion reads its body.
/// fn typed(error: Error) -> TypedError<GetBookError> {
///     error.into()
/// }
/// ```
pub struct TypedError<B, C = String> {
    // Boxed to keep `Result` small.
    body: Option<Box<B>>,
    error: Error<C>,
}

impl<B, C> TypedError<B, C> {
    /// Returns the body of the error response. `None` if there was no response, if something other than the service responded,
    /// or if the document does not describe the body or the status; [`body`](Error::body) and [`excerpt`](Error::excerpt) then
    /// have the content.
    pub fn typed_body(&self) -> Option<&B> {
        self.body.as_deref()
    }

    /// Returns the body of the error response, and the error without the type of its body.
    pub fn into_parts(self) -> (Option<B>, Error<C>) {
        (self.body.map(|body| *body), self.error)
    }
}

impl<B: ByStatus, C> From<Error<C>> for TypedError<B, C> {
    fn from(error: Error<C>) -> Self {
        let inner = &error.inner;
        let body = match (inner.kind, inner.status, &inner.raw) {
            (ErrorKind::Answer, Some(status), Some(raw)) => B::read(status.as_u16(), raw).ok(),
            _ => None,
        };
        TypedError {
            body: body.map(Box::new),
            error,
        }
    }
}

impl<B, C> From<TypedError<B, C>> for Error<C> {
    fn from(error: TypedError<B, C>) -> Self {
        error.error
    }
}

impl<B, C> Deref for TypedError<B, C> {
    type Target = Error<C>;

    fn deref(&self) -> &Error<C> {
        &self.error
    }
}

impl<B, C: Display> Display for TypedError<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.error, f)
    }
}

/// The body is not shown, because it may contain data that must not be logged.
impl<B, C: Debug> Debug for TypedError<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.error, f)
    }
}

impl<B, C: Debug + Display> error::Error for TypedError<B, C> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        error::Error::source(&self.error)
    }
}

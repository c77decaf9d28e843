//! A failed load of an API key.

use crate::{Error, error::Failure};

/// No API key could be loaded; [`Interceptor::after_failed_load`](crate::Interceptor::after_failed_load) gets it.
///
/// ```
/// # use openapi_dropshot_client::{FailedLoad, Interceptor};
///
/// struct Alarm;
///
/// impl Interceptor for Alarm {
///     fn after_failed_load(&self, failure: &FailedLoad<'_>) {
///         eprintln!("{}; calls continue: {}", failure.error(), failure.has_earlier_key());
///     }
/// }
/// ```
#[derive(Debug)]
pub struct FailedLoad<'a> {
    pub(crate) error: &'a Failure,
    pub(crate) has_earlier_key: bool,
}

impl FailedLoad<'_> {
    /// Returns why no key is available. The source of this error is the error of the provider.
    pub fn error(&self) -> &Error {
        self.error
    }

    /// Whether calls continue with the key that was loaded last. If not, calls fail until a key can be loaded.
    pub fn has_earlier_key(&self) -> bool {
        self.has_earlier_key
    }
}

//! Reads the bodies of responses, including bodies that differ by status.

use serde::de::Error as _;

/// The bodies of the errors, or of the successes, of an operation whose statuses have different bodies. Generated
/// code implements it for an enum with a variant for each response that the document lists.
///
/// ```
/// use openapi_dropshot_client::generated::{ByStatus, json_body, unlisted};
///
/// #[derive(Debug, PartialEq)]
/// enum GetBookError {
///     Unauthorized,
///     NotFound(String),
/// }
///
/// impl ByStatus for GetBookError {
///     fn read(status: u16, body: &[u8]) -> serde_json::Result<Self> {
///         match status {
///             401 => Ok(Self::Unauthorized),
///             404 => json_body(body).map(Self::NotFound),
///             _ => Err(unlisted()),
///         }
///     }
/// }
///
/// assert_eq!(GetBookError::read(401, b"").unwrap(), GetBookError::Unauthorized);
/// assert!(GetBookError::read(404, b"<html>").is_err());
/// ```
pub trait ByStatus: Sized {
    /// Reads the body of a response with this status.
    ///
    /// # Errors
    ///
    /// Returns an error if the document lists no response for the status, or if the body does not match the
    /// document.
    fn read(status: u16, body: &[u8]) -> serde_json::Result<Self>;
}

/// Reads a text body; bytes that are not UTF-8 become U+FFFD.
pub fn text_body(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}

/// Returns the error for a status that the document does not list.
pub fn unlisted() -> serde_json::Error {
    serde_json::Error::custom("the document does not list this status")
}

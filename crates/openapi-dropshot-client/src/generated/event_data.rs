//! Reads the data of server-sent events.

use crate::json::json_body;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Error, Result};
use std::{fmt::Display, str::FromStr};

/// Reads the data of an event as JSON.
///
/// # Errors
///
/// Returns an error if the data does not match the document.
pub fn json_data<T: DeserializeOwned>(_: &str, data: &str) -> Result<T> {
    json_body(data.as_bytes())
}

/// Returns the data of an event unchanged.
///
/// # Errors
///
/// Returns an error if the type rejects the text.
pub fn text_data<T: FromStr<Err: Display>>(_: &str, data: &str) -> Result<T> {
    data.parse().map_err(Error::custom)
}

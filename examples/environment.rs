//! What the examples have in common: a client of the service that the
//! environment names.

use anyhow::{Context, Result};
use petstore_client::Client;
use std::env::{self, VarError};

/// Where the service is, if nothing else is said.
const DEFAULT_URL: &str = "http://127.0.0.1:8080/v1";

/// A client of the service at `PETSTORE_URL`, with the key in
/// `PETSTORE_API_KEY`.
///
/// # Errors
///
/// There is no key, or address or key cannot be used; the message says what to
/// change.
pub fn client() -> Result<Client> {
    let url = match env::var("PETSTORE_URL") {
        Err(VarError::NotPresent) => DEFAULT_URL.to_owned(),
        other => other.context("PETSTORE_URL cannot be read")?,
    };
    let key = env::var("PETSTORE_API_KEY")
        .context("PETSTORE_API_KEY is not set; `petstore-server key create NAME` prints a key")?;
    Client::builder(url)
        .api_key(key)
        .build()
        .context("no client can be made of PETSTORE_URL and PETSTORE_API_KEY")
}

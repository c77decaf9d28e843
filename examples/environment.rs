//! Creates the client of all examples, with the address and the API key from environment variables.

use anyhow::{Context, Result};
use petstore_client::{Client, ClientBuilder};
use std::env::{self, VarError};

/// The address of the service if `PETSTORE_URL` is not set.
const DEFAULT_URL: &str = "http://127.0.0.1:8080/v1";

/// Creates a client of the service at `PETSTORE_URL`, with the key in
/// `PETSTORE_API_KEY`.
///
/// # Errors
///
/// The API key is missing, or the address or the key is not valid; the message says what to change.
pub fn client() -> Result<Client> {
    builder()?
        .build()
        .context("cannot build a client from PETSTORE_URL and PETSTORE_API_KEY")
}

/// Returns the address in `PETSTORE_URL`, or the default.
///
/// # Errors
///
/// The variable cannot be read.
pub fn url() -> Result<String> {
    match env::var("PETSTORE_URL") {
        Err(VarError::NotPresent) => Ok(DEFAULT_URL.to_owned()),
        other => other.context("PETSTORE_URL cannot be read"),
    }
}

/// Returns a builder of this client, to change other settings.
///
/// # Errors
///
/// The API key is missing, or a variable cannot be read.
pub fn builder() -> Result<ClientBuilder> {
    let url = url()?;
    let key = env::var("PETSTORE_API_KEY")
        .context("PETSTORE_API_KEY is not set; `petstore-server key create NAME` prints a key")?;
    Ok(Client::builder(url)
        .api_key(key)
        .app_name("petstore-examples/1"))
}

//! The client and the data of these tests.

use crate::generated::{Client, RetryPolicy};
pub(crate) use scripted_service::{Service, json, response};

/// The key that the clients of these tests have.
pub(crate) const KEY: &str = "pk_hush_0123456789";

/// The book of these tests.
pub(crate) const REX: &str = r#"{"id":1,"name":"Rex","categoryId":7,"status":"available"}"#;

/// Makes a client of the test service that does not retry.
pub(crate) fn client(service: &Service) -> Client {
    Client::builder(service.base_url())
        .api_key(KEY)
        .retry(RetryPolicy::never())
        .build()
        .expect("address and key are valid")
}

//! The Rust part of a web page. It lists and adds pets with `petstore-client`. The page itself is `index.html`.

use petstore_client::{BuildError, Client, NewPet, RetryPolicy};
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// The pet store, for JavaScript.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Store {
    client: Client,
}

#[wasm_bindgen]
impl Store {
    /// Connects to the service at this address, such as `http://127.0.0.1:8080/v1`.
    ///
    /// # Errors
    ///
    /// The address or the key is not valid.
    #[wasm_bindgen(constructor)]
    pub fn new(url: &str, key: &str) -> Result<Store, JsError> {
        Ok(Store {
            client: client(url, key)?,
        })
    }

    /// The names of all pets, read in pages of two.
    ///
    /// # Errors
    ///
    /// A call failed. The error contains the message as text.
    pub async fn names(&self) -> Result<Vec<String>, JsError> {
        let mut pets = self.client.list_pets().limit(2_u64).stream();
        let mut names = Vec::new();
        while let Some(pet) = pets.next().await {
            names.push(pet?.name.clone());
        }
        Ok(names)
    }

    /// Adds a pet, and returns how often the request was sent again.
    ///
    /// # Errors
    ///
    /// The call failed. The error contains the message as text.
    pub async fn add(&self, name: &str) -> Result<u32, JsError> {
        let pet = NewPet::new(7, name);
        Ok(self.client.create_pet().body(pet).send().await?.retries())
    }
}

fn client(url: &str, key: &str) -> Result<Client, BuildError> {
    Client::builder(url)
        .api_key(key)
        .try_timeout(Duration::from_secs(2))
        .retry(RetryPolicy::new().max_tries(3))
        .build()
}

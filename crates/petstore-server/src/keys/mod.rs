//! API keys: how one looks, is made, is read from a request and is named. That
//! the store only ever sees a hash is decided here; where hashes are kept is
//! left to `petstore-store`.

mod format;
mod name;

pub use format::{ApiKey, MalformedKey};
pub use name::{InvalidKeyName, KeyName};

use chrono::{DateTime, Utc};
use petstore_store::{KeyId, NewKey};

/// Makes a key: what its owner gets, once, and what the store keeps of it.
#[must_use]
pub fn make(name: KeyName, now: DateTime<Utc>) -> (ApiKey, NewKey) {
    let key = ApiKey::generate();
    let kept = NewKey {
        id: KeyId::from_random(rand::random()),
        name: name.into_string(),
        hash: key.hash(),
        created_at: now,
    };
    (key, kept)
}

//! Creates and parses the API keys of the pet store: `petstore_…`. The store holds
//! only their hashes.

pub use openapi_dropshot_server::keys::{ApiKey, Expiry, InvalidKeyName, KeyName};

use chrono::{DateTime, Utc};
use openapi_dropshot_server::keys::KeyFormat;
use petstore_store::{KeyHash, KeyId, KeyLimits, NewKey};

/// The format of the keys. It must never change, because keys are long-lived.
pub const FORMAT: KeyFormat = KeyFormat::new("petstore_");

/// Returns the hash by which the store finds a key.
#[must_use]
pub fn hash(key: &ApiKey) -> KeyHash {
    KeyHash::new(key.hash())
}

/// Makes a key without limits. Returns the key itself, which its owner sees only once, and the record
/// for the store.
#[must_use]
pub fn make(name: KeyName, now: DateTime<Utc>) -> (ApiKey, NewKey) {
    make_limited(name, KeyLimits::default(), now)
}

/// Makes a key, as [`make`] does, with limits.
#[must_use]
pub fn make_limited(name: KeyName, limits: KeyLimits, now: DateTime<Utc>) -> (ApiKey, NewKey) {
    let key = FORMAT.generate();
    let new_key = NewKey {
        id: KeyId::from_random(rand::random()),
        name: name.into_string(),
        hash: hash(&key),
        created_at: now,
        limits,
    };
    (key, new_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_keys_has_not_changed() {
        let key = format!("petstore_{}2hcngJ", "0".repeat(43));
        assert!(FORMAT.parse(&key).is_ok());
    }
}

//! API keys in the settings of a service: their names and hashes, so that the configuration
//! contains no secret.

use super::{ApiKey, KeyName};
use std::{fmt, str::FromStr};

/// The names and SHA-256 hashes of API keys, as the value of a setting: `NAME:SHA256`, separated by
/// `,`. It suits a service with a few keys that rarely change.
///
/// ```
/// use openapi_dropshot_server::keys::{KeyFormat, KeyHashes, KeyName};
///
/// let key = KeyFormat::new("shop_").generate();
/// let setting = KeyHashes::of(KeyName::first(), &key).to_string();
///
/// let keys: KeyHashes = setting.parse()?;
/// assert_eq!(keys.find(&key), Some("first"));
/// # Ok::<_, openapi_dropshot_server::keys::InvalidKeyHashes>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct KeyHashes(Vec<(&'static str, String)>);

/// The error for a text that is not a valid [`KeyHashes`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write each key as `NAME:SHA256`, separated by `,`; names must not contain a `,`")]
pub struct InvalidKeyHashes;

impl KeyHashes {
    /// One key with its name.
    #[must_use]
    pub fn of(name: KeyName, key: &ApiKey) -> Self {
        KeyHashes(vec![(name.into_string().leak(), hash(key))])
    }

    /// Returns the name of a key if it is one of these keys. The name can be the principal of a
    /// [`State`](crate::State).
    #[must_use]
    pub fn find(&self, key: &ApiKey) -> Option<&'static str> {
        let hash = hash(key);
        let found = self.0.iter().find(|(_, known)| *known == hash);
        found.map(|(name, _)| *name)
    }

    /// Whether the list contains no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the hash as hexadecimal digits.
fn hash(key: &ApiKey) -> String {
    let bytes = key.hash();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl FromStr for KeyHashes {
    type Err = InvalidKeyHashes;

    fn from_str(text: &str) -> Result<Self, InvalidKeyHashes> {
        let key = |entry: &str| {
            let (name, hash) = entry.rsplit_once(':')?;
            let name: KeyName = name.parse().ok()?;
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            // Settings are read once and are kept until the process ends.
            let name: &'static str = name.into_string().leak();
            is_hash.then(|| (name, hash.to_ascii_lowercase()))
        };
        let entries = text.split(',').filter(|entry| !entry.is_empty());
        let keys: Option<Vec<_>> = entries.map(key).collect();
        keys.map(KeyHashes).ok_or(InvalidKeyHashes)
    }
}

impl fmt::Display for KeyHashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.iter().map(|(name, hash)| format!("{name}:{hash}"));
        f.write_str(&entries.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyFormat;

    #[test]
    fn keys_are_found_by_their_hashes() {
        let format = KeyFormat::new("shop_");
        let [first, second, other] = [0; 3].map(|_| format.generate());
        let entry = |name: &str, key| {
            let name = name.parse().expect("a name");
            KeyHashes::of(name, key).to_string()
        };
        let text = format!("{},{}", entry("a:b", &first), entry("c d", &second));
        let keys: KeyHashes = text.parse().expect("two keys");
        assert_eq!(keys.find(&first), Some("a:b"));
        assert_eq!(keys.find(&second), Some("c d"));
        assert_eq!(keys.find(&other), None);
        assert_eq!(keys.to_string(), text);
        assert!("".parse().is_ok_and(|keys: KeyHashes| keys.is_empty()));
    }

    #[test]
    fn a_text_without_names_or_hashes_is_rejected() {
        let hash = "0".repeat(64);
        for text in [
            "a",
            "a:",
            "a:0",
            &hash,
            &format!(":{hash}"),
            &format!("a:{hash}g"),
        ] {
            assert_eq!(text.parse::<KeyHashes>(), Err(InvalidKeyHashes), "{text}");
        }
    }
}

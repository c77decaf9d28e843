//! The API keys of the service. The setting `keys` has their names and SHA-256 hashes, so that
//! the configuration holds no secret.

use openapi_dropshot_server::keys::{ApiKey, KeyFormat, KeyName};
use std::{fmt, str::FromStr};

/// The format of the keys.
pub const FORMAT: KeyFormat = KeyFormat::new("bookmarks_");

/// The names and hashes of API keys: `NAME:SHA256`, with `,` between two keys.
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<(&'static str, String)>);

impl Keys {
    /// One key with its name.
    #[must_use]
    pub fn one(name: KeyName, key: &ApiKey) -> Self {
        Keys(vec![(name.into_string().leak(), hash(key))])
    }

    /// The name of a key.
    #[must_use]
    pub fn find(&self, key: &ApiKey) -> Option<&'static str> {
        let hash = hash(key);
        let mut keys = self.0.iter();
        keys.find(|(_, known)| *known == hash)
            .map(|(name, _)| *name)
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn hash(key: &ApiKey) -> String {
    key.hash()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl FromStr for Keys {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let key = |entry: &str| {
            let (name, hash) = entry.rsplit_once(':')?;
            let name: KeyName = name.parse().ok()?;
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            // The settings are read once, and live as long as the process.
            let name: &'static str = name.into_string().leak();
            is_hash.then(|| (name, hash.to_ascii_lowercase()))
        };
        let entries = text.split(',').filter(|entry| !entry.is_empty());
        let keys: Option<Vec<_>> = entries.map(key).collect();
        keys.map(Keys).ok_or_else(|| {
            "write each key as `NAME:SHA256`, as `bookmarks key NAME` prints it".to_owned()
        })
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.iter().map(|(name, hash)| format!("{name}:{hash}"));
        f.write_str(&entries.collect::<Vec<_>>().join(","))
    }
}

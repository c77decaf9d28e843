//! The record of an API key in the store: a public id, a name, a hash, times
//! and limits. The store never contains the key itself.

use crate::{
    id::public_id,
    row::{AnyRow, FromRow, Unreadable, Value},
};
use chrono::{DateTime, Utc};
use std::{
    fmt,
    hash::{Hash, Hasher},
    num::NonZeroU32,
    str::FromStr,
};
use subtle::ConstantTimeEq;

public_id! {
    /// The public name of a key: `k_` and 12 characters of `0-9a-z` without
    /// `i`, `l`, `o` and `u`. It may be shown, logged and typed.
    KeyId, "k_", InvalidKeyId
}

/// The error of parsing an invalid [`KeyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key id must be `k_` and 12 characters, as in the first column of the list of keys")]
pub struct InvalidKeyId;

/// The SHA-256 of a key. `Debug` does not show it, and it is compared in constant time.
#[derive(Clone, Copy)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Wraps a SHA-256 digest.
    #[must_use]
    pub const fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// The digest as few integers, for a fast comparison.
    fn words(&self) -> [u64; 4] {
        let (words, _) = self.0.as_chunks();
        std::array::from_fn(|index| u64::from_ne_bytes(words[index]))
    }

    pub(crate) const fn as_value(&self) -> Value<'_> {
        Value::Bytes(&self.0)
    }
}

impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.words().ct_eq(&other.words()).into()
    }
}

impl Eq for KeyHash {}

impl Hash for KeyHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(..)")
    }
}

/// The limits of a key. By default, a key never expires, has the rate limit of
/// the server, and has the scope `read,write`. The store keeps the limits; the server
/// applies them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyLimits {
    /// The key is not valid from this time on; stored in microseconds.
    pub expires_at: Option<DateTime<Utc>>,
    /// The rate limit of the key; `None` for the rate limit of the server.
    pub rate: Option<KeyRate>,
    /// The operations for which it can be used.
    pub scope: KeyScope,
}

/// The rate limit of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRate {
    /// No limit.
    Off,
    /// This many requests per second.
    PerSecond(NonZeroU32),
}

/// The operations for which a key can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyScope {
    /// `read`: operations that change nothing.
    Read,
    /// `read,write`: all operations except those on webhooks.
    #[default]
    ReadWrite,
    /// `read,write,webhooks`: all operations.
    Webhooks,
}

impl KeyScope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadWrite => "read,write",
            Self::Webhooks => "read,write,webhooks",
        }
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An unknown scope is an error, so that a key never gets a wider scope than it was
/// given.
impl FromStr for KeyScope {
    type Err = InvalidKeyScope;

    fn from_str(text: &str) -> Result<Self, InvalidKeyScope> {
        let mut known = [Self::Read, Self::ReadWrite, Self::Webhooks].into_iter();
        known
            .find(|scope| scope.as_str() == text)
            .ok_or(InvalidKeyScope)
    }
}

/// The error of parsing an invalid [`KeyScope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write `read`, `read,write` or `read,write,webhooks`")]
pub struct InvalidKeyScope;

impl KeyRate {
    /// The stored form of the rate: requests per second, 0 for no limit.
    fn stored(self) -> i64 {
        match self {
            Self::Off => 0,
            Self::PerSecond(number) => number.get().into(),
        }
    }

    fn from_row<R: AnyRow>(row: &R, column: usize) -> Result<Self, Unreadable> {
        let stored = row.integer(column)?;
        let number = u32::try_from(stored)
            .map_err(|_| Unreadable::Type(stored.to_string(), "a rate limit"))?;
        Ok(NonZeroU32::new(number).map_or(Self::Off, Self::PerSecond))
    }
}

impl KeyLimits {
    /// Reads the columns `expires_at`, `rate_per_second` and `scope`, which begin at column `first`.
    fn from_row<R: AnyRow>(row: &R, first: usize) -> Result<Self, Unreadable> {
        Ok(Self {
            expires_at: row.optional(first, R::time)?,
            rate: row.optional(first + 1, KeyRate::from_row)?,
            scope: row.parsed(first + 2)?,
        })
    }
}

/// A key that was found by its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// Its public name.
    pub id: KeyId,
    /// Its limits. The caller checks them, since an expired key is found, too.
    pub limits: KeyLimits,
}

/// A key to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its public name, unique in the store.
    pub id: KeyId,
    /// The name that its owner gave it; it need not be unique.
    pub name: String,
    /// The hash by which it is found, unique in the store.
    pub hash: KeyHash,
    /// The time of its creation; stored in microseconds.
    pub created_at: DateTime<Utc>,
    /// Its limits.
    pub limits: KeyLimits,
}

/// A key in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its public name.
    pub id: KeyId,
    /// The name that its owner gave it.
    pub name: String,
    /// The time of its creation.
    pub created_at: DateTime<Utc>,
    /// The time of its last use, if any. It is updated with a delay of a few seconds.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The time of its revocation, if any.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Its limits.
    pub limits: KeyLimits,
}

/// The statements of API keys that both databases understand, with their parameters
/// in the order in which they appear.
pub(crate) mod sql {
    pub(crate) const INSERT: &str = "INSERT INTO api_keys (id, name, hash, created_at, expires_at, rate_per_second, scope) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    pub(crate) const ALL: &str = "SELECT id, name, created_at, last_used_at, revoked_at, expires_at, rate_per_second, scope FROM api_keys ORDER BY created_at, id";
    pub(crate) const ANY: &str = "SELECT id FROM api_keys LIMIT 1";
    pub(crate) const FIND: &str = "SELECT id, hash, expires_at, rate_per_second, scope FROM api_keys WHERE hash = $1 AND revoked_at IS NULL";
    pub(crate) const REVOKE: &str =
        "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
    pub(crate) const REVOKED_AT: &str = "SELECT revoked_at FROM api_keys WHERE id = $1";
}

impl FromRow for KeyRecord {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        Ok(KeyRecord {
            id: row.parsed(0)?,
            name: row.text(1)?,
            created_at: row.time(2)?,
            last_used_at: row.optional(3, R::time)?,
            revoked_at: row.optional(4, R::time)?,
            limits: KeyLimits::from_row(row, 5)?,
        })
    }
}

impl FromRow for KeyId {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        row.parsed(0)
    }
}

/// A row of [`sql::FIND`].
impl FromRow for (FoundKey, KeyHash) {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let hash = match row.value(1)? {
            Value::Bytes(bytes) => bytes.try_into().ok(),
            _ => None,
        };
        let hash = hash.ok_or_else(|| Unreadable::Type("another value".to_owned(), "a hash"))?;
        let found = FoundKey {
            id: row.parsed(0)?,
            limits: KeyLimits::from_row(row, 2)?,
        };
        Ok((found, KeyHash(hash)))
    }
}

/// A row of [`sql::REVOKED_AT`].
impl FromRow for DateTime<Utc> {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        row.time(0)
    }
}

/// Returns the row of [`sql::FIND`] whose hash equals `hash`. The comparison with each row
/// takes constant time. The time of the index look-up may reveal something about a hash, but
/// no key can be derived from its hash.
pub(crate) fn confirmed(candidates: Vec<(FoundKey, KeyHash)>, hash: &KeyHash) -> Option<FoundKey> {
    let mut candidates = candidates.into_iter();
    let found = candidates.find(|(_, stored)| stored == hash);
    found.map(|(key, _)| key)
}

impl NewKey {
    /// The parameters of [`sql::INSERT`].
    pub(crate) fn parameters(&self) -> [Value<'_>; 7] {
        let Self {
            id,
            name,
            hash,
            created_at,
            limits,
        } = self;
        let expires_at = limits.expires_at.as_ref().map(DateTime::timestamp_micros);
        [
            id.as_str().into(),
            name.as_str().into(),
            hash.as_value(),
            created_at.timestamp_micros().into(),
            expires_at.into(),
            limits.rate.map(KeyRate::stored).into(),
            limits.scope.as_str().into(),
        ]
    }
}

/// The result of [`Store::revoke_key`](crate::Store::revoke_key).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// The key was valid and is revoked now.
    Revoked,
    /// The key had been revoked before, at this time.
    AlreadyRevoked(DateTime<Utc>),
    /// The key does not exist.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_key_id_can_be_parsed() {
        for random in [0, 1, 31, 0x0123_4567_89ab_cdef, u64::MAX] {
            let id = KeyId::from_random(random);
            assert_eq!(id.as_str().len(), 14);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_eq!(KeyId::from_random(0).as_str(), "k_000000000000");
        assert_ne!(KeyId::from_random(1), KeyId::from_random(1 << 59));
    }

    #[test]
    fn key_ids_in_another_format_are_rejected() {
        for text in [
            "",
            "k_",
            "k_00000000000",
            "k_0000000000000",
            "x_000000000000",
            "k_00000000000I",
        ] {
            assert_eq!(text.parse::<KeyId>(), Err(InvalidKeyId), "{text}");
        }
    }

    #[test]
    fn the_debug_output_of_a_hash_is_redacted() {
        let hash = KeyHash::new([0xab; 32]);
        assert_eq!(format!("{hash:?}"), "KeyHash(..)");
        assert_eq!(hash, KeyHash::new([0xab; 32]));
        assert_ne!(hash, KeyHash::new([0xac; 32]));
    }
}

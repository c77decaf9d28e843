//! The record of an API key in the store: a public id, a name, a hash, its times
//! and its limits. The store never sees the key itself.

use crate::row::{AnyRow, FromRow, Unreadable, Value};
use chrono::{DateTime, Utc};
use std::{
    fmt,
    hash::{Hash, Hasher},
    num::NonZeroU32,
    str::FromStr,
};
use subtle::ConstantTimeEq;

/// The public name of a key: `k_` and 12 characters of `0-9a-z` without
/// `i`, `l`, `o` and `u`. It may be shown, logged and typed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; PREFIX.len() + LENGTH]);

/// Crockford's base 32: no two of its characters are mistaken for each other.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const PREFIX: &str = "k_";
const LENGTH: usize = 12;

impl KeyId {
    /// Makes an id from the lower 60 bits of a random number.
    #[must_use]
    pub fn from_random(random: u64) -> Self {
        let digits = (0..LENGTH).map(|position| {
            let digit = random >> (5 * position) & 31;
            ALPHABET[digit as usize]
        });
        let mut characters = [0; PREFIX.len() + LENGTH];
        for (place, character) in characters.iter_mut().zip(PREFIX.bytes().chain(digits)) {
            *place = character;
        }
        Self(characters)
    }

    /// The id as it is shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("every character of an id is ASCII")
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyId").field(&self.as_str()).finish()
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for KeyId {
    type Err = InvalidKeyId;

    fn from_str(text: &str) -> Result<Self, InvalidKeyId> {
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidKeyId)?;
        let characters = text.as_bytes().try_into().map_err(|_| InvalidKeyId)?;
        let valid = digits.bytes().all(|byte| ALPHABET.contains(&byte));
        valid.then_some(Self(characters)).ok_or(InvalidKeyId)
    }
}

/// The error of parsing an invalid [`KeyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key id is `k_` and 12 characters, as in the first column of the list of keys")]
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

/// The limits of a key. The default has none: it never expires, has the rate limit of
/// the server, and can be used for all operations. The store keeps them; the server
/// applies them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyLimits {
    /// From this time on the key is not valid; kept to the microsecond.
    pub expires_at: Option<DateTime<Utc>>,
    /// Its own rate limit; `None` for that of the server.
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
    /// `read`: the operations that change nothing.
    Read,
    /// `read,write`: all.
    #[default]
    ReadWrite,
}

impl KeyScope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadWrite => "read,write",
        }
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A scope that this version does not know is an error, so that a key never gets a
/// wider scope than it was given.
impl FromStr for KeyScope {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut known = [Self::Read, Self::ReadWrite].into_iter();
        known.find(|scope| scope.as_str() == text).ok_or(())
    }
}

impl KeyRate {
    /// The rate as it is stored: requests per second, 0 for no limit.
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
    /// Reads the columns `expires_at`, `rate_per_second` and `scope`, of which this is the first.
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
    /// Its limits. The caller checks them: a key that has expired is found.
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
    /// The time of its creation; kept to the microsecond.
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
    /// The time of its last use, if any; a few seconds behind.
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

/// Returns the candidate, selected by [`sql::FIND`], whose hash is this one. The time
/// of the index look-up may reveal something about a hash, but no key can be derived
/// from its hash. The comparison with each candidate takes constant time.
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
    fn an_id_is_read_back_as_it_is_shown() {
        for random in [0, 1, 31, 0x0123_4567_89ab_cdef, u64::MAX] {
            let id = KeyId::from_random(random);
            assert_eq!(id.as_str().len(), PREFIX.len() + LENGTH);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_eq!(KeyId::from_random(0).as_str(), "k_000000000000");
        assert_ne!(KeyId::from_random(1), KeyId::from_random(1 << 59));
    }

    #[test]
    fn texts_of_another_form_are_not_ids() {
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

//! Idempotency keys, which make a creation safe to repeat: the key that the caller
//! chose, the API key that it belongs to, and a fingerprint of the value that was
//! sent.

use crate::{
    KeyId,
    record::{pet_with_id, placed_order},
    row::Unreadable,
};
use chrono::{DateTime, TimeDelta, Utc};
use petstore_models::{NewOrder, NewPet, Order, Pet};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::convert::Infallible;

/// The time for which a key is kept after the creation.
pub const IDEMPOTENCY_KEYS_KEPT: TimeDelta = TimeDelta::hours(24);

/// A name that the caller chose for one creation: 1 to 255 characters from U+0020
/// to U+007E (draft-ietf-httpapi-idempotency-key-header-07, section 2.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The greatest number of characters.
    pub const LONGEST: usize = 255;

    /// The key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for IdempotencyKey {
    type Error = InvalidIdempotencyKey;

    fn try_from(text: String) -> Result<Self, InvalidIdempotencyKey> {
        let valid = (1..=Self::LONGEST).contains(&text.len())
            && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        valid.then_some(Self(text)).ok_or(InvalidIdempotencyKey)
    }
}

/// The error of parsing an invalid [`IdempotencyKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 255 characters, each of them visible ASCII or a space")]
pub struct InvalidIdempotencyKey;

/// The idempotency key of a creation, with its owner and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// The API key of the caller. Idempotency keys of different API keys are independent.
    pub key_id: KeyId,
    /// The name of the creation.
    pub key: IdempotencyKey,
    /// The time of the request, by the caller's clock.
    pub at: DateTime<Utc>,
}

/// The result of the creation of a `T` with an idempotency key, which may be rejected
/// for a reason `R`.
#[derive(Clone, Debug, PartialEq)]
pub enum Creation<T = Pet, R = Infallible> {
    /// It was added.
    Added(T),
    /// The key had been used for the same value: this is what was added then,
    /// as it was then. Nothing was added now.
    Repeated(T),
    /// The key was not used yet, and the value is rejected. Nothing was added,
    /// and the key stays free.
    Refused(R),
    /// The key had been used for another value, or to create something else.
    /// Nothing was added.
    KeyReused,
    /// A transaction that uses the key was still running, begun by another
    /// server. Nothing was added; ask again in a moment.
    InFlight,
}

/// A type that can be created with an idempotency key.
pub(crate) trait Creatable: Serialize {
    /// Precedes the value in its fingerprint, so that fingerprints of different operations differ.
    const LABEL: &'static str;

    /// What its creation returns.
    type Created;

    /// What its creation returns, also when it is repeated: the value as it was
    /// sent at this time, in microseconds since 1970-01-01T00:00:00Z, with the id
    /// that it was given.
    fn created(&self, id: i64, at: i64) -> Result<Self::Created, Unreadable>;
}

impl Creatable for NewPet {
    const LABEL: &'static str = "";
    type Created = Pet;

    fn created(&self, id: i64, _at: i64) -> Result<Pet, Unreadable> {
        Ok(pet_with_id(id, self))
    }
}

impl Creatable for NewOrder {
    const LABEL: &'static str = "order\n";
    type Created = Order;

    fn created(&self, id: i64, at: i64) -> Result<Order, Unreadable> {
        placed_order(id, self, at)
    }
}

/// The SHA-256 of a value to be created. It is computed from the parsed value, so that order, white
/// space and unknown members of a body do not matter.
///
/// The store keeps it, and servers of different versions compare it, so its computation must not
/// change. A new member that is absent does not change it.
fn fingerprint<V: Creatable>(value: &V) -> [u8; 32] {
    let text = serde_json::to_vec(value).expect("texts and numbers can always be written");
    let hash = Sha256::new().chain_update(V::LABEL).chain_update(text);
    hash.finalize().into()
}

/// A creation that happens once, ready for a backend.
#[derive(Clone, Debug)]
pub(crate) struct OnceOnly<V> {
    pub(crate) value: V,
    pub(crate) fingerprint: [u8; 32],
    pub(crate) once: Once,
}

impl<V: Creatable> OnceOnly<V> {
    pub(crate) fn new(value: V, once: Once) -> Self {
        Self {
            fingerprint: fingerprint(&value),
            value,
            once,
        }
    }

    /// The time of the request, in microseconds since 1970-01-01T00:00:00Z.
    pub(crate) fn at(&self) -> i64 {
        self.once.at.timestamp_micros()
    }
}

/// Keys that were used at this time or before are not kept at `now`. If the clock was set back, a
/// key with a time in the future is kept until then.
pub(crate) fn expired_at(now: DateTime<Utc>) -> i64 {
    now.timestamp_micros().saturating_sub(retention_micros())
}

/// [`IDEMPOTENCY_KEYS_KEPT`] in microseconds.
pub(crate) const fn retention_micros() -> i64 {
    IDEMPOTENCY_KEYS_KEPT.num_seconds() * 1_000_000
}

#[cfg(test)]
mod tests;

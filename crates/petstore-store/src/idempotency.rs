//! Idempotency keys, which make a creation safe to repeat. The store keeps the key that the
//! caller chose, the API key that it belongs to, and a fingerprint of the value that was
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

/// The result of the creation of a `T` with an idempotency key. The creation may be rejected
/// for a reason `R`.
#[derive(Clone, Debug, PartialEq)]
pub enum Creation<T = Pet, R = Infallible> {
    /// The value was added.
    Added(T),
    /// The key was already used for the same value. Nothing was added now. This is the
    /// result of the first creation, as it was then.
    Repeated(T),
    /// The key was not used yet, but the value is rejected. Nothing was added,
    /// and the key can still be used.
    Refused(R),
    /// The key was already used for another value, or for another kind of creation.
    /// Nothing was added.
    KeyReused,
    /// A transaction of another server that uses the key is still running.
    /// Nothing was added; try again in a moment.
    InFlight,
}

/// A type that can be created with an idempotency key.
pub(crate) trait Creatable: Serialize {
    /// This text precedes the value in its fingerprint, so that fingerprints of different operations differ.
    const LABEL: &'static str;

    /// The result of a creation.
    type Created;

    /// The result of the creation of this value, also for a repeated creation. `id` is the id
    /// that the value was given, and `at` the time at which it was sent, in microseconds since
    /// 1970-01-01T00:00:00Z.
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

/// The SHA-256 of a value to be created. It is computed from the parsed value, so the order of
/// members, white space and unknown members of a body do not matter.
///
/// The store keeps the fingerprint, and servers of different versions compare it, so its computation
/// must not change. A new member that is absent does not change the fingerprint.
fn fingerprint<V: Creatable>(value: &V) -> [u8; 32] {
    let text = serde_json::to_vec(value).expect("texts and numbers can always be written");
    let hash = Sha256::new().chain_update(V::LABEL).chain_update(text);
    hash.finalize().into()
}

/// A creation with an idempotency key, ready for a backend.
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

/// Keys that were used at the returned time or before are expired at `now`. If the clock was set back,
/// a key can have a time in the future; it is kept until 24 hours after that time.
pub(crate) fn expired_at(now: DateTime<Utc>) -> i64 {
    now.timestamp_micros().saturating_sub(retention_micros())
}

/// [`IDEMPOTENCY_KEYS_KEPT`] in microseconds.
pub(crate) const fn retention_micros() -> i64 {
    IDEMPOTENCY_KEYS_KEPT.num_seconds() * 1_000_000
}

#[cfg(test)]
mod tests;

//! Derives the secrets of endpoints from a master key, so that no secret is stored.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac_sha256::HMAC;
use std::{fmt, str::FromStr};

/// The key from which the secrets of all endpoints are derived. `Debug` does not show it.
#[derive(Clone)]
pub struct MasterKey(Vec<u8>);

/// A master key is too short.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the master key for webhooks has {length} bytes, but must have at least {shortest}; create one with `openssl rand -base64 48`",
    shortest = MasterKey::SHORTEST
)]
pub struct InvalidMasterKey {
    length: usize,
}

impl MasterKey {
    /// The smallest number of bytes of a key: the length of the output of HMAC-SHA256 (RFC 2104, section 3).
    pub const SHORTEST: usize = 32;

    /// Creates a key from these bytes, unchanged. If you read them from a file, a line break at its end is part of the key.
    ///
    /// # Errors
    ///
    /// The key has less than [`SHORTEST`](Self::SHORTEST) bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidMasterKey> {
        let length = bytes.len();
        if length < Self::SHORTEST {
            return Err(InvalidMasterKey { length });
        }
        Ok(MasterKey(bytes.to_vec()))
    }

    /// Returns a fingerprint of the key: 16 hexadecimal characters that do not reveal the key. Store it with each endpoint, so that
    /// you can detect that the endpoint's secret comes from another key.
    #[must_use]
    pub fn id(&self) -> String {
        // This text differs from the text of every endpoint, which ends with a colon and a number.
        let fingerprint = HMAC::mac("id of the master key", &self.0);
        let bytes = fingerprint[..8].iter();
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the secret of an endpoint: HMAC-SHA256 of `endpoint:generation`. Each rotation increases the generation.
    #[must_use]
    pub fn secret(&self, endpoint: &str, generation: u32) -> Secret {
        Secret(HMAC::mac(format!("{endpoint}:{generation}"), &self.0).to_vec())
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MasterKey").field(&self.id()).finish()
    }
}

/// The secret of an endpoint, which signs its messages. It has no `Display`, and `Debug` does not show it.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// A text is not a valid secret. The message does not contain the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret must be `whsec_` and base64 of at least {shortest} bytes", shortest = Secret::SHORTEST)]
pub struct InvalidSecret;

impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.strip_prefix("whsec_").ok_or(InvalidSecret)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| InvalidSecret)?;
        let is_long_enough = bytes.len() >= Secret::SHORTEST;
        is_long_enough.then_some(Secret(bytes)).ok_or(InvalidSecret)
    }
}

impl Secret {
    /// The smallest number of bytes of a secret, according to Standard Webhooks.
    pub const SHORTEST: usize = 24;

    /// Returns the secret in the form that receivers use: `whsec_` and base64.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(&self.0))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> MasterKey {
        MasterKey::from_bytes(&[byte; 32]).expect("long enough")
    }

    #[test]
    fn each_combination_of_endpoint_generation_and_master_key_has_a_different_secret() {
        let secrets = [
            key(1).secret("we_1", 1),
            key(1).secret("we_1", 2),
            key(1).secret("we_2", 1),
            key(2).secret("we_1", 1),
        ];
        let texts: std::collections::BTreeSet<String> =
            secrets.iter().map(Secret::reveal).collect();
        assert_eq!(texts.len(), secrets.len());
        assert_eq!(
            key(1).secret("we_1", 1).reveal(),
            // python3: base64(hmac.digest(b"\1" * 32, b"we_1:1", "sha256"))
            "whsec_tBD/TRnI1OsrzATD6Vom7t03EeGTq1x0Qi9H1fEFj6w="
        );
        assert_eq!(key(1).id().len(), 16);
        assert_ne!(key(1).id(), key(2).id());
    }

    #[test]
    fn a_revealed_secret_can_be_parsed_and_other_texts_are_rejected() {
        let shown = key(1).secret("we_1", 1).reveal();
        let read: Secret = shown.parse().expect("a secret");
        assert_eq!(read.reveal(), shown);
        for text in ["", "whsec_", "whsec_c2hvcnQ=", "whsec_?", &shown[6..]] {
            assert_eq!(text.parse::<Secret>().err(), Some(InvalidSecret), "{text}");
        }
    }

    #[test]
    fn debug_shows_neither_a_master_key_nor_a_secret() {
        let secret = key(7).secret("we_1", 1);
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_eq!(
            format!("{:?}", key(7)),
            format!("MasterKey({:?})", key(7).id())
        );
    }

    #[test]
    fn the_error_for_a_short_master_key_names_its_length_and_the_required_length() {
        let error = MasterKey::from_bytes(&[1; 31]).expect_err("too short");
        assert!(
            error
                .to_string()
                .contains("has 31 bytes, but must have at least 32")
        );
    }
}

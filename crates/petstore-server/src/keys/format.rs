//! How an API key looks: `petstore_`, 43 random characters of `0-9A-Za-z` (256
//! bits), and 6 characters of checksum. The prefix lets a leaked key be
//! recognised by scanners; the checksum lets a mistyped one be refused without
//! a look into the store.

use petstore_store::KeyHash;
use rand::distr::{Alphanumeric, SampleString as _};
use sha2::{Digest as _, Sha256};
use std::{fmt, str::FromStr};

const PREFIX: &str = "petstore_";
const RANDOM_LENGTH: usize = 43;
const CHECKSUM_LENGTH: usize = 6;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An API key whose checksum is right. It is a secret: `Debug` hides it, and
/// there is no `Display`.
#[derive(Clone, Eq, PartialEq)]
pub struct ApiKey(String);

/// A text that is no [`ApiKey`]: mistyped, cut short, or the key of something
/// else.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an API key is `petstore_` and 49 letters and digits, the last six of them a checksum")]
pub struct MalformedKey;

impl ApiKey {
    /// Makes a key from the random numbers of the operating system.
    #[must_use]
    pub fn generate() -> Self {
        let mut text = PREFIX.to_owned();
        Alphanumeric.append_string(&mut rand::rng(), &mut text, RANDOM_LENGTH);
        let checksum = checksum(&text);
        text.extend(checksum.map(char::from));
        ApiKey(text)
    }

    /// The key itself, to be shown to its owner, once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What the store knows it by.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::new(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl FromStr for ApiKey {
    type Err = MalformedKey;

    fn from_str(text: &str) -> Result<Self, MalformedKey> {
        let secret = text.strip_prefix(PREFIX).ok_or(MalformedKey)?;
        let plain = secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !plain || secret.len() != RANDOM_LENGTH + CHECKSUM_LENGTH {
            return Err(MalformedKey);
        }
        let (checked, found) = text.split_at(text.len() - CHECKSUM_LENGTH);
        if checksum(checked) != found.as_bytes() {
            return Err(MalformedKey);
        }
        Ok(ApiKey(text.to_owned()))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// CRC-32 in base 62; six digits hold more than 32 bits.
fn checksum(text: &str) -> [u8; CHECKSUM_LENGTH] {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [DIGITS[0]; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[rest % DIGITS.len()];
        rest /= DIGITS.len();
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_no_two_are_alike() {
        let key = ApiKey::generate();
        assert_eq!(key.reveal().parse(), Ok(key.clone()));
        assert_eq!(
            key.reveal().len(),
            PREFIX.len() + RANDOM_LENGTH + CHECKSUM_LENGTH
        );
        assert_ne!(ApiKey::generate(), key);
        assert_ne!(ApiKey::generate().hash(), key.hash());
    }

    #[test]
    fn the_format_never_changes_since_keys_are_long_lived() {
        let text = format!("petstore_{}{}", "0".repeat(43), "2hcngJ");
        let computed = checksum(&text[..text.len() - CHECKSUM_LENGTH]);
        assert_eq!(std::str::from_utf8(&computed), Ok("2hcngJ"));
    }

    #[test]
    fn every_single_mistyped_character_is_noticed() {
        let key = ApiKey::generate();
        for position in 0..key.reveal().len() {
            let mut bytes = key.reveal().as_bytes().to_vec();
            bytes[position] = if bytes[position] == b'x' { b'y' } else { b'x' };
            let text = String::from_utf8(bytes).expect("ASCII");
            assert_eq!(text.parse::<ApiKey>(), Err(MalformedKey), "{position}");
        }
    }

    #[test]
    fn other_texts_are_no_keys() {
        let key = ApiKey::generate();
        let longer = format!("{}0", key.reveal());
        let shorter = &key.reveal()[..key.reveal().len() - 1];
        for text in [
            "",
            "petstore_",
            "ghp_0123456789",
            "petstore_é",
            &longer,
            shorter,
        ] {
            assert_eq!(text.parse::<ApiKey>(), Err(MalformedKey), "{text}");
        }
    }

    #[test]
    fn a_key_shows_nothing_of_itself() {
        assert_eq!(format!("{:?}", ApiKey::generate()), "ApiKey(..)");
    }
}

//! Creates and checks API keys: a prefix such as `shop_`, 43 random characters of `0-9A-Za-z` (256
//! bits), and 6 characters of checksum. The prefix lets scanners recognise a leaked key. The
//! checksum lets the service reject a mistyped key without querying the store.

use rand::distr::{Alphanumeric, SampleString as _};
use sha2::{Digest as _, Sha256};
use std::fmt;

const RANDOM_LENGTH: usize = 43;
const CHECKSUM_LENGTH: usize = 6;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The format of the API keys of one service.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeyFormat {
    prefix: &'static str,
}

/// An API key whose checksum is correct. It is a secret: `Debug` hides it, and `Display` is not
/// implemented.
#[derive(Clone, Eq, PartialEq)]
pub struct ApiKey(String);

/// The error of parsing an invalid [`ApiKey`]: the text is mistyped, truncated, or not a key of
/// this service.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an API key is `{prefix}` and 49 letters and digits, the last six of them a checksum")]
pub struct MalformedKey {
    prefix: &'static str,
}

impl KeyFormat {
    /// Creates the format of keys with this prefix, such as `shop_`.
    #[must_use]
    pub const fn new(prefix: &'static str) -> Self {
        KeyFormat { prefix }
    }

    /// Creates a key from the random numbers of the operating system.
    #[must_use]
    pub fn generate(self) -> ApiKey {
        let mut text = self.prefix.to_owned();
        Alphanumeric.append_string(&mut rand::rng(), &mut text, RANDOM_LENGTH);
        let checksum = checksum(&text);
        text.extend(checksum.map(char::from));
        ApiKey(text)
    }

    /// Parses a key.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a key of this format.
    pub fn parse(self, text: &str) -> Result<ApiKey, MalformedKey> {
        let malformed = MalformedKey {
            prefix: self.prefix,
        };
        let secret = text.strip_prefix(self.prefix).ok_or(malformed)?;
        let plain = secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !plain || secret.len() != RANDOM_LENGTH + CHECKSUM_LENGTH {
            return Err(malformed);
        }
        let (checked, found) = text.split_at(text.len() - CHECKSUM_LENGTH);
        if checksum(checked) != found.as_bytes() {
            return Err(malformed);
        }
        Ok(ApiKey(text.to_owned()))
    }
}

impl ApiKey {
    /// Returns the key itself for its owner, who sees it only once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the SHA-256 hash of the key, by which a store finds the key.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// Computes the CRC-32 in base 62; six digits hold more than 32 bits.
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

    const FORMAT: KeyFormat = KeyFormat::new("shop_");
    const MALFORMED: MalformedKey = MalformedKey { prefix: "shop_" };

    #[test]
    fn generated_keys_differ_and_each_can_be_parsed() {
        let key = FORMAT.generate();
        assert_eq!(FORMAT.parse(key.reveal()), Ok(key.clone()));
        assert_eq!(
            key.reveal().len(),
            FORMAT.prefix.len() + RANDOM_LENGTH + CHECKSUM_LENGTH
        );
        assert_ne!(FORMAT.generate(), key);
        assert_ne!(FORMAT.generate().hash(), key.hash());
    }

    #[test]
    fn the_format_of_keys_has_not_changed() {
        let text = format!("shop_{}", "0".repeat(43));
        assert_eq!(std::str::from_utf8(&checksum(&text)), Ok("1gr7bA"));
    }

    #[test]
    fn every_single_mistyped_character_is_detected() {
        let key = FORMAT.generate();
        for position in 0..key.reveal().len() {
            let mut bytes = key.reveal().as_bytes().to_vec();
            bytes[position] = if bytes[position] == b'x' { b'y' } else { b'x' };
            let text = String::from_utf8(bytes).expect("ASCII");
            assert_eq!(FORMAT.parse(&text), Err(MALFORMED), "{position}");
        }
    }

    #[test]
    fn texts_in_another_format_are_rejected_as_keys() {
        let key = FORMAT.generate();
        let longer = format!("{}0", key.reveal());
        let shorter = &key.reveal()[..key.reveal().len() - 1];
        for text in ["", "shop_", "ghp_0123456789", "shop_é", &longer, shorter] {
            assert_eq!(FORMAT.parse(text), Err(MALFORMED), "{text}");
        }
    }

    #[test]
    fn the_debug_output_of_a_key_is_redacted() {
        assert_eq!(format!("{:?}", FORMAT.generate()), "ApiKey(..)");
    }
}

//! Reads the value of `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07). The quoted
//! and the plain form of a value name the same key.

/// The idempotency key that a caller gave to a request: 1 to 255 characters from U+0020 to U+007E.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct IdempotencyKey(String);

/// The error for a header value that is not a valid [`IdempotencyKey`]. The text follows
/// "`Idempotency-Key` ".
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("must have 1 to 255 characters, each of them visible ASCII or a space")]
pub struct InvalidIdempotencyKey;

impl IdempotencyKey {
    /// The highest number of characters.
    pub const LONGEST: usize = 255;

    /// Returns the key that a header value names: the text between the quotes (RFC 8941, section
    /// 3.3.3), or the whole value if there are no quotes.
    ///
    /// # Errors
    ///
    /// Returns an error if the value has a quote that is not closed, or if the key is empty, too
    /// long or not ASCII.
    pub fn from_header(value: &str) -> Result<Self, InvalidIdempotencyKey> {
        let Some(quoted) = value.strip_prefix('"') else {
            return Self::checked(value.to_owned());
        };
        let text = quoted.strip_suffix('"').ok_or(InvalidIdempotencyKey)?;
        let mut key = String::with_capacity(text.len());
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            key.push(match character {
                '\\' => characters.next().ok_or(InvalidIdempotencyKey)?,
                plain => plain,
            });
        }
        Self::checked(key)
    }

    fn checked(key: String) -> Result<Self, InvalidIdempotencyKey> {
        let valid = (1..=Self::LONGEST).contains(&key.len())
            && key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        valid.then_some(Self(key)).ok_or(InvalidIdempotencyKey)
    }

    /// Returns the key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: &str) -> Option<String> {
        let key = IdempotencyKey::from_header(value).ok()?;
        Some(key.as_str().to_owned())
    }

    #[test]
    fn quotes_around_an_idempotency_key_are_removed() {
        for (value, expected) in [
            ("a1", "a1"),
            ("\"a1\"", "a1"),
            ("\"a b\"", "a b"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            (r#"a"b\c"#, r#"a"b\c"#),
        ] {
            assert_eq!(key(value).as_deref(), Some(expected), "{value}");
        }
    }

    #[test]
    fn quoted_and_unquoted_idempotency_keys_have_at_most_255_characters() {
        let longest = "x".repeat(255);
        let escaped = "\\\"".repeat(255);
        assert_eq!(key(&longest), Some(longest.clone()));
        assert_eq!(key(&format!("\"{longest}\"")), Some(longest.clone()));
        assert_eq!(key(&format!("\"{escaped}\"")), Some("\"".repeat(255)));
        assert_eq!(key(&format!("{longest}x")), None);
        assert_eq!(key(&format!("\"{longest}x\"")), None);
    }

    #[test]
    fn invalid_values_are_not_idempotency_keys() {
        for value in [
            "", "\"\"", "\"", "\"a", "\u{7f}", "é", "\"é\"", "a\tb", r#""a\"#,
        ] {
            assert_eq!(key(value), None, "{value:?}");
        }
    }
}

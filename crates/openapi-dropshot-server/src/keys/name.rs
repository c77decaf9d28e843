//! The name that an owner gives to a key, which identifies the key in the list of keys.

use std::{fmt, str::FromStr};

/// The name of a key: 1 to 100 visible characters on one line. Spaces are only allowed between
/// other characters.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeyName(String);

/// The error of parsing an invalid [`KeyName`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the name of a key must have 1 to 100 visible characters, with spaces only between them")]
pub struct InvalidKeyName;

impl KeyName {
    const MAX_LENGTH: usize = 100;

    /// The name of the first key of a new store.
    #[must_use]
    pub fn first() -> Self {
        KeyName("first".to_owned())
    }

    /// Returns the name as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromStr for KeyName {
    type Err = InvalidKeyName;

    fn from_str(text: &str) -> Result<Self, InvalidKeyName> {
        let length = text.chars().count();
        // Any other character that breaks a line or has no width could make one key look like
        // another in the list.
        let visible = text
            .chars()
            .all(|c| c == ' ' || !(c.is_control() || c.is_whitespace() || is_invisible(c)));
        if (1..=Self::MAX_LENGTH).contains(&length) && visible && text.trim() == text {
            Ok(KeyName(text.to_owned()))
        } else {
            Err(InvalidKeyName)
        }
    }
}

/// Characters that have no width or change the direction of the text.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_names_of_visible_characters_are_accepted() {
        for text in [
            "a",
            "first",
            "the shop's tablet",
            "Zoë 🐕",
            &"x".repeat(100),
        ] {
            assert_eq!(
                text.parse::<KeyName>().map(KeyName::into_string),
                Ok(text.to_owned())
            );
        }
        assert_eq!(KeyName::first().to_string().parse(), Ok(KeyName::first()));
    }

    #[test]
    fn invalid_key_names_are_rejected() {
        for text in [
            "",
            " ",
            " a",
            "a ",
            "a\nb",
            "a\tb",
            "a\u{200b}b",
            "\u{202e}a",
            &"x".repeat(101),
        ] {
            assert_eq!(text.parse::<KeyName>(), Err(InvalidKeyName), "{text:?}");
        }
    }
}

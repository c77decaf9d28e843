//! Defines the types of public ids: a prefix and 12 characters of `0-9a-z` without `i`, `l`, `o`
//! and `u`. They may be shown, logged and typed.

/// Crockford's base 32: people do not mistake its characters for each other.
pub(crate) const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
pub(crate) const LENGTH: usize = 12;

/// Defines a type of ids with this prefix, and the error of parsing another text.
macro_rules! public_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $invalid:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; $prefix.len() + $crate::id::LENGTH]);

        impl $name {
            /// Creates an id from the lower 60 bits of a random number.
            #[must_use]
            pub fn from_random(random: u64) -> Self {
                let digits = (0..$crate::id::LENGTH).map(|position| {
                    let digit = random >> (5 * position) & 31;
                    $crate::id::ALPHABET[digit as usize]
                });
                let mut characters = [0; $prefix.len() + $crate::id::LENGTH];
                for (place, character) in characters.iter_mut().zip($prefix.bytes().chain(digits)) {
                    *place = character;
                }
                Self(characters)
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                str::from_utf8(&self.0).expect("every character of an id is ASCII")
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.as_str()).finish()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $invalid;

            fn from_str(text: &str) -> Result<Self, $invalid> {
                let digits = text.strip_prefix($prefix).ok_or($invalid)?;
                let characters = text.as_bytes().try_into().map_err(|_| $invalid)?;
                let valid = digits.bytes().all(|byte| $crate::id::ALPHABET.contains(&byte));
                valid.then_some(Self(characters)).ok_or($invalid)
            }
        }
    };
}

pub(crate) use public_id;

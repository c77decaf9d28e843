//! Enumerations of strings that may get more values later: an unknown value is kept as it was received.

use serde::{Deserializer, de};
use std::{fmt, marker::PhantomData};

/// An enumeration of strings with a variant for values that it does not know.
///
/// ```
/// use openapi_dropshot_client::generated::OpenEnum;
///
/// #[derive(Clone, Debug, PartialEq)]
/// enum Format { Paperback, Hardcover, Unknown(String) }
///
/// impl OpenEnum for Format {
///     const KNOWN: &'static [(&'static str, Self)] =
///         &[("paperback", Self::Paperback), ("hardcover", Self::Hardcover)];
///
///     fn unknown(value: String) -> Self {
///         Self::Unknown(value)
///     }
/// }
///
/// assert_eq!(Format::parse("paperback"), Ok(Format::Paperback));
/// assert_eq!(Format::parse("scroll"), Ok(Format::Unknown("scroll".to_owned())));
/// ```
pub trait OpenEnum: Clone + 'static {
    /// The values that the document lists.
    const KNOWN: &'static [(&'static str, Self)];

    /// A value that the document does not list.
    fn unknown(value: String) -> Self;

    /// Parses a value from text, as [`deserialize_open`](OpenEnum::deserialize_open) does from JSON: a value that the
    /// document does not list is kept. The service decides whether it accepts the value.
    ///
    /// # Errors
    ///
    /// Never fails; generated implementations of `FromStr` need the type.
    fn parse(text: &str) -> Result<Self, String> {
        Ok(known_or_unknown(text))
    }

    /// Reads a value that the service sent, which may be an unknown one.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a string.
    fn deserialize_open<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text(PhantomData))
    }
}

fn known_or_unknown<E: OpenEnum>(text: &str) -> E {
    let known = E::KNOWN.iter().find(|(name, _)| *name == text);
    known.map_or_else(|| E::unknown(text.to_owned()), |(_, value)| value.clone())
}

/// Reads an enumeration from a string without copying a known value.
struct Text<E>(PhantomData<E>);

impl<E: OpenEnum> de::Visitor<'_> for Text<E> {
    type Value = E;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<R>(self, text: &str) -> Result<E, R> {
        Ok(known_or_unknown(text))
    }
}

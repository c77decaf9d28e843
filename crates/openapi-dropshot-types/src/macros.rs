//! Macros that implement foreign traits for generated types. The rules of a type are in its implementation of one of the traits
//! here. The macros implement the foreign traits with it.

use crate::{
    rules::TextRules,
    text::{Violation, shortened},
};
use std::fmt::Display;

/// A number with rules.
pub trait CheckedNumber: Sized {
    /// The Rust type that can hold any such number.
    type Number: Copy + Display;

    /// A description of valid numbers, such as `an integer from 1 to 100`.
    const EXPECTED: &'static str;

    /// Whether a number follows the rules.
    fn is_valid(number: Self::Number) -> bool;

    /// Checks a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the number breaks a rule.
    fn check(number: Self::Number) -> Result<(), Violation> {
        if Self::is_valid(number) {
            Ok(())
        } else {
            Err(Self::violation(&number.to_string()))
        }
    }

    /// Returns the error message for a text that is not such a number.
    fn violation(text: &str) -> Violation {
        Violation::new(format!(
            "must be {}, found `{}`",
            Self::EXPECTED,
            shortened(text)
        ))
    }
}

/// A string with rules.
pub trait CheckedString: Sized {
    /// The rules.
    fn rules() -> &'static TextRules;

    /// Checks the format.
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not have the format.
    fn check_format(_text: &str) -> Result<(), Violation> {
        Ok(())
    }
}

/// Implements `Deserialize` and `Serialize` for structs that derive both with `#[serde(remote = "Self")]`. They accept only an
/// object. serde's own implementation would also accept an array of the values.
#[macro_export]
macro_rules! objects {
    ($($name:ident),* $(,)?) => {$(
        impl<'de> $crate::private::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $name::deserialize($crate::members::ObjectOnly(deserializer))
            }
        }

        impl $crate::private::serde::Serialize for $name {
            fn serialize<S: $crate::private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }
    )*};
}

/// Does the same for structs with rules about several properties. A method `check` of each struct checks these rules; it gets the
/// number of properties.
#[macro_export]
macro_rules! checked_objects {
    ($($name:ident),* $(,)?) => {$(
        impl<'de> $crate::private::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let members = ::core::cell::Cell::new(0);
                let object = $crate::members::CountedObject::new(deserializer, &members);
                let value = $name::deserialize(object)?;
                value.check(members.get()).map_err($crate::private::serde::de::Error::custom)?;
                ::core::result::Result::Ok(value)
            }
        }

        impl $crate::private::serde::Serialize for $name {
            fn serialize<S: $crate::private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }
    )*};
}

/// Implements `FromStr`, [`FromText`](crate::FromText), `Display`, `Deserialize` and `Serialize` for enums of strings that have a
/// constant `ALL` and a method `as_str`. They accept only a string. serde's own implementation would also accept an object.
#[macro_export]
macro_rules! string_enums {
    ($($name:ident),* $(,)?) => {$(
        impl ::core::str::FromStr for $name {
            type Err = $crate::Violation;

            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::Violation> {
                $crate::rules::one_of(text, $name::ALL, $name::as_str)
            }
        }

        impl $crate::FromText for $name {
            fn from_text(text: &str) -> ::core::result::Result<Self, $crate::Violation> {
                text.parse()
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl<'de> $crate::private::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::members::text(deserializer)
            }
        }

        impl $crate::private::serde::Serialize for $name {
            fn serialize<S: $crate::private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}

/// Implements `TryFrom` and `From` of the number, [`FromText`](crate::FromText),
/// `Display` and a method `get` for structs around a number that implement
/// [`CheckedNumber`].
#[macro_export]
macro_rules! checked_numbers {
    ($($name:ident($number:ty)),* $(,)?) => {$(
        impl $name {
            /// Returns the value.
            pub const fn get(self) -> $number {
                self.0
            }
        }

        impl ::core::convert::TryFrom<$number> for $name {
            type Error = $crate::Violation;

            fn try_from(number: $number) -> ::core::result::Result<Self, $crate::Violation> {
                <$name as $crate::CheckedNumber>::check(number).map(|()| $name(number))
            }
        }

        impl ::core::convert::From<$name> for $number {
            fn from(value: $name) -> $number {
                value.0
            }
        }

        impl $crate::FromText for $name {
            fn from_text(text: &str) -> ::core::result::Result<Self, $crate::Violation> {
                <$number as $crate::FromText>::from_text(text)
                    .ok()
                    .and_then(|number| $name::try_from(number).ok())
                    .ok_or_else(|| <$name as $crate::CheckedNumber>::violation(text))
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

/// Implements `TryFrom` and `From` of `String`, `FromStr`,
/// [`FromText`](crate::FromText), `Display` and a method `as_str` for structs
/// around a `String` that implement [`CheckedString`].
#[macro_export]
macro_rules! checked_strings {
    ($($name:ident),* $(,)?) => {$(
        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::core::convert::TryFrom<::std::string::String> for $name {
            type Error = $crate::Violation;

            fn try_from(
                text: ::std::string::String,
            ) -> ::core::result::Result<Self, $crate::Violation> {
                <$name as $crate::CheckedString>::rules().check(&text)?;
                <$name as $crate::CheckedString>::check_format(&text)?;
                ::core::result::Result::Ok($name(text))
            }
        }

        impl ::core::convert::From<$name> for ::std::string::String {
            fn from(value: $name) -> ::std::string::String {
                value.0
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::Violation;

            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::Violation> {
                ::std::string::String::from(text).try_into()
            }
        }

        impl $crate::FromText for $name {
            fn from_text(text: &str) -> ::core::result::Result<Self, $crate::Violation> {
                text.parse()
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

//! Functions for `deserialize_with` and `serialize_with`. They read and write properties of objects, parameters and headers for which
//! serde's own format differs from that of OpenAPI.

use crate::text::FromText;
use serde::{
    Deserialize, Deserializer, Serializer,
    de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor},
    forward_to_deserialize_any,
};
use std::{borrow::Cow, cell::Cell, fmt, str::FromStr};

/// Reads a parameter, and names it in the error.
///
/// # Errors
///
/// Returns an error if the text of the parameter breaks a rule of the document.
pub fn parameter<'de, T, D>(name: &str, deserializer: D) -> Result<T, D::Error>
where
    T: FromText,
    D: Deserializer<'de>,
{
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    T::from_text(&text).map_err(|violation| D::Error::custom(format_args!("`{name}` {violation}")))
}

/// Reads a parameter whose text is JSON, and names it in the error.
///
/// # Errors
///
/// Returns an error if the text is not JSON, or if the value breaks a rule of the document.
pub fn json<'de, T, D>(name: &str, deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    serde_json::from_str(&text)
        .map_err(|error| D::Error::custom(format_args!("`{name}` must be JSON: {error}")))
}

/// Reads a parameter with several values, and names it in the error.
///
/// # Errors
///
/// Returns an error if the text of a value breaks a rule of the document.
pub fn parameters<'de, T, D>(name: &str, deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: FromText,
    D: Deserializer<'de>,
{
    let texts = Vec::<Cow<'de, str>>::deserialize(deserializer)?;
    several(name, texts.iter().map(AsRef::as_ref))
}

fn several<'t, T: FromText, E: serde::de::Error>(
    name: &str,
    texts: impl Iterator<Item = &'t str>,
) -> Result<Vec<T>, E> {
    let values: Result<_, _> = texts.map(T::from_text).collect();
    values.map_err(|violation| E::custom(format_args!("a value of `{name}` {violation}")))
}

/// Reads a parameter whose values are separated by commas, and names it in the error. An
/// empty text is an empty list.
///
/// # Errors
///
/// Returns an error if the text of a value breaks a rule of the document.
pub fn list<'de, T, D>(name: &str, deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: FromText,
    D: Deserializer<'de>,
{
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    let texts = text.split(',').filter(|_| !text.is_empty());
    several(name, texts.map(str::trim))
}

/// Checks the rules of a list parameter (`minItems`, `maxItems` and `uniqueItems`), and names the parameter in the error.
///
/// # Errors
///
/// Returns an error if the list breaks a rule.
pub fn checked<T, L, E>(name: &str, values: Vec<T>) -> Result<L, E>
where
    L: TryFrom<Vec<T>, Error: fmt::Display>,
    E: serde::de::Error,
{
    L::try_from(values).map_err(|violation| E::custom(format_args!("`{name}` {violation}")))
}

/// Reads a string and parses it.
///
/// # Errors
///
/// Returns an error if the value is not a string, or if the text cannot be parsed.
pub fn text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

/// Reads a property that may be absent, but not `null`.
///
/// # Errors
///
/// Returns an error if the value is `null`, or if it breaks a rule of the document.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Writes a header as text.
///
/// # Errors
///
/// Returns an error if the serializer does not accept text.
pub fn header<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: fmt::Display,
    S: Serializer,
{
    serializer.collect_str(value)
}

/// Writes a header that may be absent as text.
///
/// # Errors
///
/// Returns an error if the serializer does not accept text.
pub fn optional_header<T, S>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: fmt::Display,
    S: Serializer,
{
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// A deserializer that accepts only an object. serde's own structs would also accept an array of the properties.
#[derive(Debug)]
pub struct ObjectOnly<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A deserializer that accepts only an object, as [`ObjectOnly`] does, and counts its properties, including those that the document
/// does not name.
#[derive(Debug)]
pub struct CountedObject<'c, T> {
    inner: T,
    members: &'c Cell<usize>,
}

impl<'c, T> CountedObject<'c, T> {
    /// Adds the count to `members`.
    pub fn new(inner: T, members: &'c Cell<usize>) -> Self {
        CountedObject { inner, members }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for CountedObject<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let CountedObject { inner, members } = self;
        inner.deserialize_map(CountedObject::new(visitor, members))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for CountedObject<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let CountedObject { inner, members } = self;
        inner.visit_map(CountedObject::new(map, members))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for CountedObject<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let key = self.inner.next_key_seed(seed)?;
        self.members
            .update(|members| members + usize::from(key.is_some()));
        Ok(key)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

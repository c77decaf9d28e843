//! Lists the properties of a generated type, and converts a text record to a value of that type.
//! Export and import get the properties only from here, so they need no change when the contract
//! changes.

use serde::{
    Deserialize,
    de::{
        Deserializer, Error as _, IntoDeserializer, Visitor,
        value::{Error, MapDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

/// Returns the names of all properties of a generated struct, required and optional.
pub(crate) fn members_of<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let mut members: &[&str] = &[];
    // Deserializing always fails here, because there are no values.
    let _ = T::deserialize(Members(&mut members));
    members
}

/// Collects the names that a struct passes to its deserializer.
struct Members<'out>(&'out mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Members<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only a struct has members"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        members: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = members;
        Err(Error::custom("there are no values"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Returns the text of a property in a CSV field; empty if the value does not have this property.
pub(crate) fn field_of(value: &Map<String, Value>, member: &str) -> String {
    match value.get(member) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Creates a value from its properties and the texts of their fields. An empty field means that an
/// optional property is absent. An error says which property is missing or has a wrong type.
pub(crate) fn from_fields<'de, T: Deserialize<'de>>(
    fields: impl Iterator<Item = (&'de str, &'de str)>,
) -> Result<T, String> {
    let fields = fields.map(|(member, text)| (member, Field { member, text }));
    T::deserialize(MapDeserializer::new(fields)).map_err(|error: Error| error.to_string())
}

/// A field, which is parsed as the type that the struct requests.
struct Field<'de> {
    member: &'de str,
    text: &'de str,
}

impl<'de> IntoDeserializer<'de, Error> for Field<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Field<'_> {
    /// Parses the value like JSON, so `007` and `+7` are not valid numbers.
    fn json<T: for<'json> Deserialize<'json>>(&self, what: &str) -> Result<T, Error> {
        let Self { member, text } = self;
        serde_json::from_str(text)
            .map_err(|_| Error::custom(format_args!("{member} must be {what}, found `{text}`")))
    }
}

macro_rules! by_json {
    ($($method:ident $visit:ident $what:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.json($what)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Field<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text)
    }

    by_json! {
        deserialize_bool visit_bool "true or false";
        deserialize_i8 visit_i8 "an integer (int8)";
        deserialize_i16 visit_i16 "an integer (int16)";
        deserialize_i32 visit_i32 "an integer (int32)";
        deserialize_i64 visit_i64 "an integer (int64)";
        deserialize_u8 visit_u8 "an integer from 0 to 255";
        deserialize_u16 visit_u16 "an integer from 0 to 65535";
        deserialize_u32 visit_u32 "an integer that is not negative (32 bits)";
        deserialize_u64 visit_u64 "an integer that is not negative (64 bits)";
        deserialize_f32 visit_f32 "a number";
        deserialize_f64 visit_f64 "a number";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.text.is_empty() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.text.into_deserializer())
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let members: Map<String, Value> = self.json("a JSON object")?;
        members.deserialize_map(visitor).map_err(Error::custom)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let items: Value = self.json("a JSON array")?;
        items.deserialize_seq(visitor).map_err(Error::custom)
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier
        ignored_any
    }
}

#[cfg(test)]
mod tests;

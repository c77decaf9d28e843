//! The intermediate representation between schemas and Rust: types at their uses, items with a
//! name, and the rules for values.

use crate::{
    docs::Docs,
    names::{Names, snake},
};
use openapi_dropshot_contract::model::{Node, Type};
use openapi_dropshot_types::formats;

/// A type at the place where it is used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    /// A type without parts.
    Scalar(Scalar),
    /// An item, by its name in Rust.
    Named(String),
    /// An array without rules.
    List(Box<Ty>),
    /// An object whose members have no fixed names, without rules.
    Map(Box<Ty>),
    /// Any JSON object.
    AnyMap,
    /// Any JSON value.
    Any,
    /// The type or `null`.
    Nullable(Box<Ty>),
    /// A type behind a pointer, because it contains itself.
    Boxed(Box<Ty>),
    /// Only `null`.
    Null,
    /// No value is valid: `not: {}`.
    Never,
    /// A type for which a problem was reported. It is never written.
    Invalid,
}

/// A type without parts and without rules of the document. Its `format` is kept as it is in the
/// document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Bool,
    Integer {
        /// The Rust type.
        base: Base,
        format: Option<String>,
    },
    Number {
        format: Option<String>,
    },
    /// `string` without a format, or with a format that is not checked.
    Text {
        format: Option<String>,
    },
    /// `string` with a checked format: the name of its type in
    /// `openapi_dropshot_types::formats`.
    Format(&'static str),
}

impl Scalar {
    /// Returns the instance type and the format of the schema, if schemars would write others for
    /// the Rust type.
    pub(crate) fn shape(&self) -> Option<(&'static str, &Option<String>)> {
        match self {
            Scalar::Integer { base, format } if format.as_deref() == Some(base.format) => None,
            Scalar::Integer { format, .. } => Some(("Integer", format)),
            Scalar::Number { format } if format.as_deref() == Some("double") => None,
            Scalar::Number { format } => Some(("Number", format)),
            Scalar::Text { format: None } | Scalar::Bool | Scalar::Format(_) => None,
            Scalar::Text { format } => Some(("String", format)),
        }
    }
}

/// An integer type of Rust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Base {
    pub(crate) name: &'static str,
    /// The format that schemars writes for it.
    format: &'static str,
    pub(crate) least: i128,
    pub(crate) greatest: i128,
}

impl Base {
    const I64: Base = Base::new("i64", "int64", i64::MIN as i128, i64::MAX as i128);

    const OTHERS: [Base; 7] = [
        Base::new("i8", "int8", i8::MIN as i128, i8::MAX as i128),
        Base::new("i16", "int16", i16::MIN as i128, i16::MAX as i128),
        Base::new("i32", "int32", i32::MIN as i128, i32::MAX as i128),
        Base::new("u8", "uint8", 0, u8::MAX as i128),
        Base::new("u16", "uint16", 0, u16::MAX as i128),
        Base::new("u32", "uint32", 0, u32::MAX as i128),
        Base::new("u64", "uint64", 0, u64::MAX as i128),
    ];

    const fn new(name: &'static str, format: &'static str, least: i128, greatest: i128) -> Self {
        Base {
            name,
            format,
            least,
            greatest,
        }
    }

    /// Returns the integer type for a format.
    pub(crate) fn of_format(format: Option<&str>) -> Self {
        let format = match format {
            Some("uint") => Some("uint64"),
            other => other,
        };
        let mut others = Self::OTHERS.into_iter();
        others
            .find(|base| Some(base.format) == format)
            .unwrap_or(Self::I64)
    }

    /// Returns whether the type has this value.
    pub(crate) fn contains(self, value: i128) -> bool {
        (self.least..=self.greatest).contains(&value)
    }
}

/// A format of strings that is checked: its name in the document, its type in
/// `openapi_dropshot_types::formats`, and whether a text has the format.
type Format = (&'static str, &'static str, fn(&str) -> bool);

pub(crate) const FORMATS: [Format; 7] = [
    ("date", "Date", parses::<formats::Date>),
    ("date-time", "DateTime", parses::<formats::DateTime>),
    ("uuid", "Uuid", parses::<formats::Uuid>),
    ("byte", "Base64", parses::<formats::Base64>),
    ("ip", "IpAddress", parses::<formats::IpAddress>),
    ("ipv4", "Ipv4Address", parses::<formats::Ipv4Address>),
    ("ipv6", "Ipv6Address", parses::<formats::Ipv6Address>),
];

fn parses<T: std::str::FromStr>(text: &str) -> bool {
    text.parse::<T>().is_ok()
}

/// The file in which an item is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Schemas,
    Parameters,
}

/// A type that has a name.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its Rust name.
    pub(crate) name: String,
    /// Its name in `components.schemas`, if it is a component.
    pub(crate) component: Option<String>,
    pub(crate) home: Home,
    pub(crate) docs: Docs,
    pub(crate) title: Option<String>,
    pub(crate) deprecated: bool,
    /// The value of `Default`.
    pub(crate) default: Option<Node>,
    pub(crate) kind: Kind,
}

/// The kinds of items.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An object with known members.
    Struct(Struct),
    /// One of several strings: the variants with their values.
    Words(Vec<Word>),
    /// A scalar with rules.
    Checked(Checked),
    /// An array with rules.
    Items(Ty, Counts),
    /// An object without declared members, with rules.
    Entries(Ty, Counts),
    /// One of several types.
    Union(Union),
    /// A new type that wraps another type.
    Wrapper(Ty),
    /// Another name for the same type.
    Alias(Ty),
}

/// A string of an enumeration.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) variant: String,
    pub(crate) value: String,
    /// The part of `oneOf` that contains it, if the enumeration is written as `oneOf`.
    pub(crate) part: Option<Part>,
}

/// A part of an enumeration that is written as `oneOf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) index: usize,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
}

/// An object with known members, in the order of the document.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) fields: Vec<Field>,
    pub(crate) others: Others,
    /// The names of members that must not all be present (`not: {required: […]}`).
    pub(crate) exclusive: Vec<Vec<String>>,
    /// The bounds of the number of members.
    pub(crate) counts: Counts,
}

impl Struct {
    /// Whether it has rules about several members.
    pub(crate) fn has_check(&self) -> bool {
        !self.exclusive.is_empty() || self.counts != Counts::default()
    }
}

/// The treatment of members that the document does not name.
#[derive(Clone, Debug)]
pub(crate) enum Others {
    Ignored,
    Rejected,
    /// Such members are collected in a field with this name.
    Collected(String, Ty),
}

/// A member of an object, a parameter or a header.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Its Rust name.
    pub(crate) name: String,
    /// Its name in the document.
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    pub(crate) title: Option<String>,
    pub(crate) deprecated: bool,
    pub(crate) direction: Direction,
    /// Its type, without the effect of an absent value.
    pub(crate) ty: Ty,
    pub(crate) presence: Presence,
    /// Whether the document allows `null` although the value is sent as a string, which is never
    /// `null`.
    pub(crate) null_text: bool,
    /// If a parameter has several values, the separator between them; `None` if each value is sent
    /// with its own name.
    pub(crate) several: Option<Option<char>>,
    /// Whether dropshot does not accept the schema of a parameter.
    pub(crate) own_schema: bool,
    /// Whether the text of a parameter is JSON.
    pub(crate) is_json: bool,
}

impl Field {
    /// Makes a field with a free name and without the facts that only some fields have.
    pub(super) fn new(
        names: &mut Names,
        wire: &str,
        docs: Docs,
        ty: Ty,
        presence: Presence,
    ) -> Self {
        Field {
            name: names.claim(&snake(wire)),
            wire: wire.to_owned(),
            docs,
            title: None,
            deprecated: false,
            direction: Direction::Both,
            ty,
            presence,
            null_text: false,
            several: None,
            own_schema: false,
            is_json: false,
        }
    }
}

/// The direction in which a member is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Both,
    /// The member is `readOnly`.
    Responses,
    /// The member is `writeOnly`.
    Requests,
}

/// What an absent member means.
#[derive(Clone, Debug)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// An absent member has this default.
    Default(Node),
}

/// One of several types, in the order of the document.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    pub(crate) variants: Vec<Variant>,
    pub(crate) choice: Choice,
    /// The `type` that is written beside the alternatives.
    pub(crate) instance: Option<Type>,
}

/// How the generated code chooses an alternative.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// `oneOf`: the only alternative that accepts the value.
    One,
    /// `anyOf`: the first alternative that keeps the whole value or, if there is none, the first
    /// that accepts it.
    Any,
    /// `oneOf` with a `discriminator`: the alternative that this property names.
    Tag(String),
}

/// An alternative.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// Its name in Rust.
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) ty: Ty,
    /// The discriminator values that select it.
    pub(crate) tags: Vec<String>,
}

/// A scalar and its rules.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    pub(crate) scalar: Scalar,
    pub(crate) rule: Rule,
}

/// The rules of a scalar.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Integer(IntegerRule),
    Number(Bounds),
    Text(TextRule),
    /// `enum` of an integer, a number or a boolean.
    OneOf(Vec<Node>),
}

/// The bounds of an integer: the bounds to check, and the bounds in the document.
#[derive(Clone, Debug)]
pub(crate) struct IntegerRule {
    /// The smallest value. The type also limits it.
    pub(crate) least: i128,
    /// The largest value. The type also limits it.
    pub(crate) greatest: i128,
    pub(crate) multiple_of: Option<i128>,
    pub(crate) written: Bounds,
}

/// The keywords for numbers, as in the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: Option<f64>,
    pub(crate) multiple_of: Option<f64>,
}

/// The length in characters and the pattern of a string.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextRule {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    /// `pattern`, and the flags with which it compiles.
    pub(crate) pattern: Option<(String, &'static str)>,
    /// The type of a format that is also checked.
    pub(crate) format: Option<&'static str>,
}

/// The number of elements of an array, or of members of an object, and their other rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    /// `uniqueItems` of an array.
    pub(crate) unique: bool,
    /// `propertyNames`: the type of the names of the members. Each name must be a valid value of it.
    pub(crate) names: Option<Ty>,
    /// `prefixItems`: the types of the first elements.
    pub(crate) first: Vec<Ty>,
}

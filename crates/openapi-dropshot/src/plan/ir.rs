//! The intermediate representation between schemas and Rust: types where they are
//! used, items that have a name, and the rules of their values.

mod alternatives;
mod rules;

pub(crate) use alternatives::{Choice, Part, Union, Variant};
pub(crate) use rules::{Bounds, Checked, Entries, IntegerRule, Items, NumberRule, Rule, TextRule};

use crate::docs::Docs;
use openapi_dropshot_contract::model::Node;

/// A type where it is used.
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
    /// The type behind a pointer, because it contains itself.
    Boxed(Box<Ty>),
    /// `null` and nothing else.
    Null,
    /// A type for which a problem was reported: it is never written.
    Invalid,
}

/// A type without parts and without rules of the document's own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    /// `boolean`
    Bool,
    /// `integer`
    Integer {
        /// The type of Rust.
        base: Base,
        /// The format as the document writes it.
        format: Option<String>,
    },
    /// `number`
    Number {
        /// The format as the document writes it.
        format: Option<String>,
    },
    /// `string`, of a format that is not checked, where it has one.
    Text {
        /// The format as the document writes it.
        format: Option<String>,
    },
    /// `string` of a format that is checked.
    Format(Format),
}

impl Scalar {
    /// What schemars has to say of it, where it would say something else of the
    /// type of Rust: the instance type and the format.
    pub(crate) fn shape(&self) -> Option<(&'static str, &Option<String>)> {
        match self {
            Scalar::Integer { base, format }
                if format.as_deref() == Some(base.schemars_format()) =>
            {
                None
            }
            Scalar::Integer { format, .. } => Some(("Integer", format)),
            Scalar::Number { format } if format.as_deref() == Some("double") => None,
            Scalar::Number { format } => Some(("Number", format)),
            Scalar::Text { format: None } | Scalar::Bool | Scalar::Format(_) => None,
            Scalar::Text { format } => Some(("String", format)),
        }
    }
}

/// The integers of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say all")]
pub(crate) enum Base {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl Base {
    /// The integer for a format, and the minimum that schemars writes for it.
    pub(crate) fn of_format(format: Option<&str>) -> Self {
        match format {
            Some("int8") => Base::I8,
            Some("int16") => Base::I16,
            Some("int32") => Base::I32,
            Some("uint8") => Base::U8,
            Some("uint16") => Base::U16,
            Some("uint32") => Base::U32,
            Some("uint64" | "uint") => Base::U64,
            _ => Base::I64,
        }
    }

    /// The name in Rust.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Base::I8 => "i8",
            Base::I16 => "i16",
            Base::I32 => "i32",
            Base::I64 => "i64",
            Base::U8 => "u8",
            Base::U16 => "u16",
            Base::U32 => "u32",
            Base::U64 => "u64",
        }
    }

    /// The format that schemars writes for it.
    pub(crate) fn schemars_format(self) -> &'static str {
        match self {
            Base::I8 => "int8",
            Base::I16 => "int16",
            Base::I32 => "int32",
            Base::I64 => "int64",
            Base::U8 => "uint8",
            Base::U16 => "uint16",
            Base::U32 => "uint32",
            Base::U64 => "uint64",
        }
    }

    /// The least value.
    pub(crate) fn least(self) -> i128 {
        match self {
            Base::I8 => i8::MIN.into(),
            Base::I16 => i16::MIN.into(),
            Base::I32 => i32::MIN.into(),
            Base::I64 => i64::MIN.into(),
            Base::U8 | Base::U16 | Base::U32 | Base::U64 => 0,
        }
    }

    /// The greatest value.
    pub(crate) fn greatest(self) -> i128 {
        match self {
            Base::I8 => i8::MAX.into(),
            Base::I16 => i16::MAX.into(),
            Base::I32 => i32::MAX.into(),
            Base::I64 => i64::MAX.into(),
            Base::U8 => u8::MAX.into(),
            Base::U16 => u16::MAX.into(),
            Base::U32 => u32::MAX.into(),
            Base::U64 => u64::MAX.into(),
        }
    }
}

/// The formats of strings that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say all")]
pub(crate) enum Format {
    Date,
    DateTime,
    Uuid,
    Base64,
    Ip,
    Ipv4,
    Ipv6,
}

impl Format {
    /// The format with this name in the document.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "date" => Format::Date,
            "date-time" => Format::DateTime,
            "uuid" => Format::Uuid,
            "byte" => Format::Base64,
            "ip" => Format::Ip,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            _ => return None,
        })
    }

    /// The type of `openapi_dropshot_types::formats`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Date => "Date",
            Format::DateTime => "DateTime",
            Format::Uuid => "Uuid",
            Format::Base64 => "Base64",
            Format::Ip => "IpAddress",
            Format::Ipv4 => "Ipv4Address",
            Format::Ipv6 => "Ipv6Address",
        }
    }
}

/// In which file an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// `schemas.rs`
    Schemas,
    /// `parameters.rs`
    Parameters,
}

/// A type that has a name.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its name in Rust.
    pub(crate) name: String,
    /// Its name in `components.schemas`, where it stands there.
    pub(crate) component: Option<String>,
    /// In which file it stands.
    pub(crate) home: Home,
    /// Its documentation.
    pub(crate) docs: Docs,
    /// `title`
    pub(crate) title: Option<String>,
    /// `deprecated`
    pub(crate) deprecated: bool,
    /// `default`, for `Default`.
    pub(crate) default: Option<Node>,
    /// The kind of the item.
    pub(crate) kind: Kind,
}

/// The kinds of items.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An object with known members.
    Struct(Struct),
    /// One of some strings: the variants with their values.
    Words(Vec<Word>),
    /// A scalar with rules.
    Checked(Checked),
    /// An array with rules.
    Items(Ty, Items),
    /// An object without known members, with rules.
    Entries(Ty, Entries),
    /// One of several types.
    Union(Union),
    /// A name for a type.
    Wrapper(Ty),
    /// Another name for the same type.
    Alias(Ty),
}

/// A string of an enumeration.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// The variant.
    pub(crate) variant: String,
    /// The value.
    pub(crate) value: String,
    /// The part of `oneOf` that it stands in, where the enumeration is made of
    /// several.
    pub(crate) part: Option<Part>,
}

/// An object with known members.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    /// The members, in the order of the document.
    pub(crate) fields: Vec<Field>,
    /// The treatment of other members.
    pub(crate) others: Others,
}

/// The treatment of members that the document does not name.
#[derive(Clone, Debug)]
pub(crate) enum Others {
    /// They are ignored.
    Ignored,
    /// They are rejected.
    Rejected,
    /// They are collected in a field of this name.
    Collected(String, Ty),
}

/// A member of an object, a parameter or a header.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Its name in Rust.
    pub(crate) name: String,
    /// Its name in the document.
    pub(crate) wire: String,
    /// Its documentation.
    pub(crate) docs: Docs,
    /// `title`
    pub(crate) title: Option<String>,
    /// `deprecated`
    pub(crate) deprecated: bool,
    /// The direction in which it is sent.
    pub(crate) direction: Direction,
    /// Its type, without what its absence means.
    pub(crate) ty: Ty,
    /// The meaning of its absence.
    pub(crate) presence: Presence,
    /// Whether the document allows `null` for a value that is sent as text, and so is
    /// never `null`.
    pub(crate) null_text: bool,
}

/// In which direction a member is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// In both.
    Both,
    /// In responses: `readOnly`.
    Responses,
    /// In requests: `writeOnly`.
    Requests,
}

/// The meaning of the absence of a member.
#[derive(Clone, Debug)]
pub(crate) enum Presence {
    /// It may not be absent.
    Required,
    /// It then has no value.
    Optional,
    /// It then has this value.
    Default(Node),
}

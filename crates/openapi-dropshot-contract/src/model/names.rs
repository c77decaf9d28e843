//! Conversions between the enums of the model and the words of OpenAPI, and the choice of unused names.

use super::{Method, ParameterIn, Stability, StatusCode, Type};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Returns the name, followed by a number if the name is already used.
pub fn free_name(wanted: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.clone()).chain(numbered);
    let free = names.find(|name| !is_taken(name));
    free.unwrap_or(wanted)
}

/// Returns whether a character is allowed in the name of a component.
pub(crate) fn is_of_component_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "._-".contains(character)
}

/// Returns a media type without its parameters, in lower case (RFC 9110, section 8.3.1).
pub fn essence(media_type: &str) -> String {
    let name = media_type.split(';').next().unwrap_or_default();
    name.trim().to_ascii_lowercase()
}

/// Returns whether a media type is JSON: `application/json`, or a name that ends in `+json` (RFC 6839, section 3.1).
pub fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence.ends_with("+json")
}

/// Returns whether a text is a token (RFC 9110, section 5.6.2), such as the name of a method or of a header.
pub fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

impl Method {
    /// The members of a path item that are operations, such as `get`, each with the name of its method.
    pub(crate) fn members() -> impl Iterator<Item = (String, &'static str)> {
        let names = Self::ALL.into_iter().map(Self::as_str);
        names.map(|name| (name.to_ascii_lowercase(), name))
    }

    /// The method whose operation is this member of a path item, such as `get`.
    pub fn from_key(key: &str) -> Option<Self> {
        let is_key = |method: &Self| key == method.as_str().to_ascii_lowercase();
        Self::ALL.into_iter().find(is_key)
    }

    /// The method with this name, such as `GET` or `COPY`.
    pub fn named(name: &str) -> Self {
        static OTHERS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

        if let Some(method) = Self::from_word(name) {
            return method;
        }
        // `Method` is `Copy`, so the name of each other method is stored once and lives as long as the
        // program.
        let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = others.get(name).copied();
        Method::Other(known.unwrap_or_else(|| {
            let name = Box::leak(name.to_owned().into_boxed_str());
            others.insert(name);
            name
        }))
    }
}

impl StatusCode {
    /// Reads the key of a response: `200`, `4XX` or `default`.
    pub fn from_key(key: &str) -> Option<Self> {
        if key == "default" {
            return Some(StatusCode::Default);
        }
        let &[first @ b'1'..=b'5', second, third] = key.as_bytes() else {
            return None;
        };
        match (second, third) {
            (b'X', b'X') => Some(StatusCode::Range(first - b'0')),
            (b'0'..=b'9', b'0'..=b'9') => key.parse().ok().map(StatusCode::Exact),
            _ => None,
        }
    }

    /// Whether a response with this code matches.
    pub fn contains(self, code: u16) -> bool {
        match self {
            StatusCode::Exact(exact) => exact == code,
            StatusCode::Range(first) => u16::from(first) == code / 100,
            StatusCode::Default => true,
        }
    }

    /// Whether this is a 2xx code or the range `2XX`.
    pub fn is_success(self) -> bool {
        self.class() == Some(2)
    }

    /// Whether this is a 4xx or 5xx code, or one of these ranges. `default` is not.
    pub fn is_error(self) -> bool {
        matches!(self.class(), Some(4 | 5))
    }

    /// Whether this is an error code or an error range, or `default`.
    pub fn may_be_error(self) -> bool {
        self.is_error() || self == StatusCode::Default
    }

    /// The first digit; `default` has none.
    pub fn class(self) -> Option<u8> {
        match self {
            StatusCode::Exact(code) => u8::try_from(code / 100).ok(),
            StatusCode::Range(first) => Some(first),
            StatusCode::Default => None,
        }
    }
}

impl fmt::Display for StatusCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatusCode::Exact(code) => write!(f, "{code}"),
            StatusCode::Range(first) => write!(f, "{first}XX"),
            StatusCode::Default => f.write_str("default"),
        }
    }
}

/// Lists the values of an enum, and converts between them and the words of the document. A variant after the semicolon
/// holds any other word.
macro_rules! words {
    ($type:ident { $($variant:ident $word:literal),+ $(; $other:ident)? }) => {
        impl $type {
            /// All values that the OpenAPI specification names, in its order.
            pub const ALL: [$type; [$($word),+].len()] = [$($type::$variant),+];

            /// The word in the document.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($type::$variant => $word,)+
                    $($type::$other(word) => word,)?
                }
            }

            /// The value for this word, if there is one.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == word)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    Method {
        Get "GET", Put "PUT", Post "POST", Delete "DELETE", Options "OPTIONS",
        Head "HEAD", Patch "PATCH", Trace "TRACE", Query "QUERY"; Other
    }
}

words! { ParameterIn { Path "path", Query "query", Header "header", Cookie "cookie" } }

words! {
    Type {
        Boolean "boolean", Integer "integer", Number "number",
        String "string", Array "array", Object "object"
    }
}

words! { Stability { Experimental "experimental", Beta "beta", Stable "stable" } }

//! Conversions between the enums of the model and the words of OpenAPI.

use super::{Method, ParameterIn, Stability, StatusCode, Type};
use std::fmt;

impl Method {
    /// All methods, in the order of the OpenAPI specification.
    pub const ALL: [Method; 8] = [
        Method::Get,
        Method::Put,
        Method::Post,
        Method::Delete,
        Method::Options,
        Method::Head,
        Method::Patch,
        Method::Trace,
    ];

    /// The method as HTTP writes it: `GET`.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Put => "PUT",
            Method::Post => "POST",
            Method::Delete => "DELETE",
            Method::Options => "OPTIONS",
            Method::Head => "HEAD",
            Method::Patch => "PATCH",
            Method::Trace => "TRACE",
        }
    }

    /// The method as a path item writes it: `get`.
    pub fn key(self) -> &'static str {
        match self {
            Method::Get => "get",
            Method::Put => "put",
            Method::Post => "post",
            Method::Delete => "delete",
            Method::Options => "options",
            Method::Head => "head",
            Method::Patch => "patch",
            Method::Trace => "trace",
        }
    }

    /// The method that a path item calls by this name.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.key() == key)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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

    /// Whether this is a 2xx code or the range of them.
    pub fn is_success(self) -> bool {
        self.class() == Some(2)
    }

    /// Whether this is a 4xx or 5xx code or a range of them. `default` is not.
    pub fn is_error(self) -> bool {
        matches!(self.class(), Some(4 | 5))
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

impl ParameterIn {
    /// The word of the document: `path`, `query`, `header` or `cookie`.
    pub fn as_str(self) -> &'static str {
        match self {
            ParameterIn::Path => "path",
            ParameterIn::Query => "query",
            ParameterIn::Header => "header",
            ParameterIn::Cookie => "cookie",
        }
    }

    /// The place that the document calls by this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [
            ParameterIn::Path,
            ParameterIn::Query,
            ParameterIn::Header,
            ParameterIn::Cookie,
        ]
        .into_iter()
        .find(|place| place.as_str() == word)
    }
}

impl fmt::Display for ParameterIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Type {
    /// The word of the document, such as `string`.
    pub fn as_str(self) -> &'static str {
        match self {
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Array => "array",
            Type::Object => "object",
        }
    }

    /// The type that the document calls by this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Type::Boolean,
            Type::Integer,
            Type::Number,
            Type::String,
            Type::Array,
            Type::Object,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Stability {
    /// The word of the document: `experimental`, `beta` or `stable`.
    pub fn as_str(self) -> &'static str {
        match self {
            Stability::Experimental => "experimental",
            Stability::Beta => "beta",
            Stability::Stable => "stable",
        }
    }

    /// The level that the document calls by this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Stability::Experimental, Stability::Beta, Stability::Stable]
            .into_iter()
            .find(|level| level.as_str() == word)
    }
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

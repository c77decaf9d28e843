//! The settings of CORS and compression.

use super::Switch;
use std::{fmt, str::FromStr};

crate::settings! {
    /// CORS and compression.
    Web / WebOptions {
        /// Origins whose pages may call the service from a browser, with commas between them (in the file also an array), as in `https://shop.example`; `*` for all, `none` for none
        cors_origins: Origins = "none";
        /// Whether to compress answers for those who ask for gzip: `on` or `off`
        compression: Switch = "on";
    }
}

/// Whose pages may call the service from a browser.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origins {
    /// Pages of these origins, as a browser writes them; no page where it is
    /// empty.
    Named(Vec<String>),
    /// Everybody's. A page has to bring a key all the same: the service knows
    /// no cookies.
    Any,
}

/// A text that is no [`Origins`].
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{0}` is no origin; write scheme, host and port as a browser does, in small letters and without a slash at the end, as in `https://shop.example` or `http://localhost:3000`"
)]
pub struct InvalidOrigin(String);

impl FromStr for Origins {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        match text.trim() {
            "none" | "" => Ok(Origins::Named(Vec::new())),
            "*" => Ok(Origins::Any),
            list => {
                let origins = list.split(',').map(|origin| checked(origin.trim()));
                origins.collect::<Result<_, _>>().map(Origins::Named)
            }
        }
    }
}

impl fmt::Display for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origins::Any => f.write_str("*"),
            Origins::Named(origins) if origins.is_empty() => f.write_str("none"),
            Origins::Named(origins) => f.write_str(&origins.join(",")),
        }
    }
}

/// An origin is compared byte by byte (RFC 6454, section 6.2), so what no
/// browser would ever send is rejected here instead of never matching.
fn checked(text: &str) -> Result<String, InvalidOrigin> {
    let invalid = || InvalidOrigin(text.to_owned());
    let uri: http::Uri = text.parse().map_err(|_| invalid())?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(invalid());
    };
    let default_port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return Err(invalid()),
    };
    let written = format!("{scheme}://{authority}");
    let usual = written == text
        && !authority.as_str().contains('@')
        && !authority.host().is_empty()
        && authority.port_u16() != Some(default_port)
        && !text.bytes().any(|byte| byte.is_ascii_uppercase());
    usual.then_some(written).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_as_a_browser_writes_them() {
        let read = |text: &str| text.parse::<Origins>().map(|origins| origins.to_string());
        for (text, display) in [
            ("none", "none"),
            ("", "none"),
            ("*", "*"),
            ("https://shop.example", "https://shop.example"),
            (
                "http://localhost:3000, https://a.example:8443",
                "http://localhost:3000,https://a.example:8443",
            ),
            ("http://[::1]:3000", "http://[::1]:3000"),
        ] {
            assert_eq!(read(text), Ok(display.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_no_browser_sends_is_refused() {
        for text in [
            "shop.example",
            "https://shop.example/",
            "https://shop.example:443",
            "https://Shop.example",
            "https://a@shop.example",
            "https://shop.example/page",
            "file:///x",
            "null",
            "https://a.example,",
            "https://a.example,*",
        ] {
            assert!(text.parse::<Origins>().is_err(), "{text}");
        }
    }
}

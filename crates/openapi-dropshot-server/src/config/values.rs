//! The types of settings: how their text is parsed and displayed.

use clap::{ValueEnum, builder::PossibleValue};
use ipnet::IpNet;
use openapi_dropshot_types::Stability;
use std::{
    borrow::Cow,
    fmt,
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    str::FromStr,
    time::Duration,
};
use tracing_subscriber::filter::{LevelFilter, Targets};

/// The error for a text that is not valid for its setting. The message says what to write instead.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetting(Cow<'static, str>);

impl InvalidSetting {
    pub(super) fn new(message: String) -> Self {
        InvalidSetting(message.into())
    }
}

/// Implements `Display` for these settings, in the form in which they are written.
macro_rules! display_as_written {
    ($($setting:ty),+) => {
        $(impl fmt::Display for $setting {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let value = self.to_possible_value();
                f.write_str(value.as_ref().map_or("", PossibleValue::get_name))
            }
        })+
    };
}

display_as_written!(
    Switch,
    LogFormat,
    CountCalls,
    SunsetPolicy,
    ClientAddressHeader,
    MinStability
);

/// The value of a setting that is either `off` or a value of another type.
macro_rules! off_or {
    ($setting:ident::$variant:ident, $problem:literal) => {
        impl FromStr for $setting {
            type Err = InvalidSetting;

            fn from_str(text: &str) -> Result<Self, InvalidSetting> {
                if text == "off" {
                    return Ok($setting::Off);
                }
                let value = text.parse().map($setting::$variant);
                value.map_err(|_| InvalidSetting($problem.into()))
            }
        }

        impl fmt::Display for $setting {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $setting::Off => f.write_str("off"),
                    $setting::$variant(value) => value.fmt(f),
                }
            }
        }
    };
}

/// The value of a setting that is `*` or a comma-separated list, each part of which a function
/// checks; `none` is the empty list.
macro_rules! any_or_list {
    ($setting:ident, $checked:ident) => {
        impl FromStr for $setting {
            type Err = InvalidSetting;

            fn from_str(text: &str) -> Result<Self, InvalidSetting> {
                match text.trim() {
                    "*" => Ok($setting::Any),
                    list => parts(list, $checked).map($setting::Named),
                }
            }
        }

        impl fmt::Display for $setting {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $setting::Any => f.write_str("*"),
                    $setting::Named(names) => f.write_str(&displayed_parts(names)),
                }
            }
        }
    };
}

/// Reads a comma-separated list; `none` is the empty list.
pub(super) fn parts<T>(
    list: &str,
    part: fn(&str) -> Result<T, InvalidSetting>,
) -> Result<Vec<T>, InvalidSetting> {
    match list.trim() {
        "none" | "" => Ok(Vec::new()),
        list => list.split(',').map(|text| part(text.trim())).collect(),
    }
}

pub(super) fn displayed_parts(parts: &[String]) -> String {
    match parts {
        [] => "none".to_owned(),
        parts => parts.join(","),
    }
}

/// A setting that switches something on or off.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Switch {
    /// It is on.
    On,
    /// It is off.
    Off,
}

impl Switch {
    /// Whether it is on.
    #[must_use]
    pub const fn is_on(self) -> bool {
        matches!(self, Switch::On)
    }
}

/// The format of a line of the log.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum LogFormat {
    /// Text and `name=value` pairs.
    Text,
    /// A JSON object.
    Json,
}

/// Which lines are logged: those of a level, with exceptions by module.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFilter(Targets);

impl LogFilter {
    /// The levels by module, in the form that `tracing` uses.
    #[must_use]
    pub const fn targets(&self) -> &Targets {
        &self.0
    }
}

impl FromStr for LogFilter {
    type Err = InvalidSetting;

    /// `Targets` parses a single word that is not a level as a module, and then logs nothing else.
    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let parts: Vec<_> = text.split(',').map(str::trim).collect();
        for part in &parts {
            let is_level = |word: &str| word.parse::<LevelFilter>().is_ok();
            match part.split_once('=') {
                Some((_, level)) if !is_level(level) => return Err(no_level(level)),
                Some(_) => {}
                // The path of a module stands for all of its lines.
                None if is_level(part) || part.contains(['_', ':']) => {}
                None => return Err(no_level(part)),
            }
        }
        let targets = parts.join(",").parse();
        targets.map(LogFilter).map_err(|error| {
            let problem = format!("{error}; write it as in `info` or `info,hyper=warn`");
            InvalidSetting(problem.into())
        })
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the error for a word that is not a level. It says what to write instead.
fn no_level(word: &str) -> InvalidSetting {
    const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];
    let instead = match similar(&word.to_lowercase(), LEVELS) {
        Some(level) => format!("write `{level}`"),
        None => format!(
            "write one of: {}, also by module as in `info,hyper=warn`",
            LEVELS.join(", ")
        ),
    };
    InvalidSetting(format!("`{word}` is not a level; {instead}").into())
}

/// Returns the word that is most similar to a text, if one is as similar as clap requires of a
/// suggestion.
pub(super) fn similar<'a>(text: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let words = words.into_iter();
    let words = words.map(|word| (strsim::jaro(text, word), word));
    let best = words.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(similarity, _)| *similarity > 0.7)
        .map(|(_, word)| word)
}

/// The operations whose calls are counted for each key.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub enum CountCalls {
    /// Deprecated operations.
    #[default]
    Deprecated,
    /// All operations that require a key.
    All,
}

/// Whether an operation is rejected from its removal date on.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub enum SunsetPolicy {
    /// The operation is still served; its headers report since when it is deprecated.
    #[default]
    Announce,
    /// The service responds with 410.
    Enforce,
}

/// The header in which a proxy sends the address of the client.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum ClientAddressHeader {
    /// `X-Forwarded-For`: addresses separated by commas.
    XForwardedFor,
    /// `Forwarded` (RFC 7239): the parameter `for` of each element.
    Forwarded,
}

/// IP networks; a single address also counts as a network.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Whether the address is in one of the networks.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The networks, in the order in which they were written.
    #[must_use]
    pub fn as_slice(&self) -> &[IpNet] {
        &self.0
    }
}

impl FromStr for Networks {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let network = |text: &str| {
            let address = text.parse::<IpAddr>().map(IpNet::from);
            address.or_else(|_| text.parse()).map_err(|_| {
                let problem = format!(
                    "`{text}` is neither an address nor a network; write them as in `10.1.2.3` or `10.0.0.0/8`, separated by commas, or `none`"
                );
                InvalidSetting(problem.into())
            })
        };
        parts(text, network).map(Networks)
    }
}

impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let displayed = |network: &IpNet| match network.prefix_len() == network.max_prefix_len() {
            true => network.addr().to_string(),
            false => network.to_string(),
        };
        let networks: Vec<_> = self.0.iter().map(displayed).collect();
        f.write_str(&displayed_parts(&networks))
    }
}

/// The lowest stability level that is served.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MinStability(pub Stability);

impl ValueEnum for MinStability {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            MinStability(Stability::Experimental),
            MinStability(Stability::Beta),
            MinStability(Stability::Stable),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self.0 {
            Stability::Experimental => "experimental",
            Stability::Beta => "beta",
            Stability::Stable => "stable",
        }))
    }
}

/// A length of time in seconds, at most a day; a fraction is allowed. Only a [`Delay`] may be 0.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seconds<const MAY_BE_ZERO: bool = false>(Duration);

/// A length of time in seconds, from 0 to a day.
pub type Delay = Seconds<true>;

impl<const MAY_BE_ZERO: bool> Seconds<MAY_BE_ZERO> {
    /// Returns the time as a [`Duration`].
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.0
    }

    pub(crate) fn whole(seconds: u32) -> Self {
        Seconds(Duration::from_secs(seconds.into()))
    }
}

impl<const MAY_BE_ZERO: bool> FromStr for Seconds<MAY_BE_ZERO> {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let seconds: Option<f64> = text.parse().ok().filter(|seconds| *seconds <= 86_400.0);
        match seconds.map(Duration::try_from_secs_f64) {
            Some(Ok(duration)) if MAY_BE_ZERO || !duration.is_zero() => Ok(Seconds(duration)),
            _ => {
                let least = if MAY_BE_ZERO {
                    "0 or more"
                } else {
                    "more than 0"
                };
                let problem = format!(
                    "write a number of seconds, {least} and at most 86400, as in `10` or `0.5`"
                );
                Err(InvalidSetting(problem.into()))
            }
        }
    }
}

impl<const MAY_BE_ZERO: bool> fmt::Display for Seconds<MAY_BE_ZERO> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

/// The limit of requests per second.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rate {
    /// No limit.
    Off,
    /// This many requests per second.
    PerSecond(NonZeroU32),
}

off_or!(
    Rate::PerSecond,
    "write a whole number of requests, from 1 to 4294967295, or `off`"
);

/// The address on which health checks and metrics are served.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AdminListen {
    /// Serves them at this address.
    At(SocketAddr),
    /// Does not serve them.
    Off,
}

off_or!(
    AdminListen::At,
    "write an address and a port, as in `127.0.0.1:9090`, or `off`"
);

/// Host names of this machine that the header `Host` may contain, besides IP addresses and
/// `localhost`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HostNames {
    /// These names, in lower case.
    Named(Vec<String>),
    /// Any name.
    Any,
}

any_or_list!(HostNames, host_name);

fn host_name(text: &str) -> Result<String, InvalidSetting> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_part) {
        return Ok(text.to_ascii_lowercase());
    }
    let problem = format!(
        "`{text}` is not a host name; write names without a port, as in `service.internal`, separated by commas, `*` for all, or `none`"
    );
    Err(InvalidSetting(problem.into()))
}

/// The origins whose pages may call the service from a browser.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origins {
    /// Pages of these origins, written as browsers send them; if the list is empty, no page may
    /// call the service.
    Named(Vec<String>),
    /// Pages of every origin. A page must still send a key, because the service has no cookies.
    Any,
}

any_or_list!(Origins, origin);

fn origin(text: &str) -> Result<String, InvalidSetting> {
    if is_origin(text) {
        return Ok(text.to_owned());
    }
    let problem = format!(
        "`{text}` is not an origin; write scheme, host and port as a browser does, in lower case and without a slash at the end, as in `https://shop.example` or `http://localhost:3000`"
    );
    Err(InvalidSetting(problem.into()))
}

/// Origins are compared byte by byte (RFC 6454, section 6.2), so a text that no browser sends would
/// never match and is rejected here.
fn is_origin(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else {
        return false;
    };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return false;
    };
    let default_port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    format!("{scheme}://{authority}") == text
        && !authority.as_str().contains('@')
        && !authority.host().is_empty()
        && authority.port_u16() != Some(default_port)
        && !text.bytes().any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests;

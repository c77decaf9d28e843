//! The settings of the admin listener, the metrics and the access log.

use super::Switch;
use std::{
    fmt,
    net::{AddrParseError, SocketAddr},
    str::FromStr,
};

crate::settings! {
    /// The admin listener, the metrics and the access log.
    Watch / WatchOptions {
        /// Address and port of `/livez`, `/readyz` and `/metrics`, which clients must not reach; port 0 takes a free one and logs it, `off` serves them nowhere
        admin_listen: AdminListen = "127.0.0.1:9090";
        /// Whether to collect metrics for `/metrics`: `on` or `off`
        metrics: Switch = "on";
        /// Whether to log a line for every request: `on` or `off`
        access_log: Switch = "on";
    }
}

/// The address on which health and metrics are served.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AdminListen {
    /// At this address.
    At(SocketAddr),
    /// Nowhere.
    Off,
}

/// The error of parsing an invalid [`AdminListen`].
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write an address and a port, as in `127.0.0.1:9090`, or `off`")]
pub struct InvalidAdminListen(#[from] AddrParseError);

impl FromStr for AdminListen {
    type Err = InvalidAdminListen;

    fn from_str(text: &str) -> Result<Self, InvalidAdminListen> {
        match text {
            "off" => Ok(AdminListen::Off),
            address => Ok(AdminListen::At(address.parse()?)),
        }
    }
}

impl fmt::Display for AdminListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdminListen::At(address) => address.fmt(f),
            AdminListen::Off => f.write_str("off"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_displayed_address_is_read_back() {
        for text in ["127.0.0.1:9090", "[::]:0", "off"] {
            let read: AdminListen = text.parse().expect("valid");
            assert_eq!(read.to_string(), text);
        }
        for text in ["on", "9090", "localhost:9090"] {
            assert!(text.parse::<AdminListen>().is_err(), "{text}");
        }
    }
}

//! Decides to which addresses webhooks may be sent, so that no endpoint reaches a private network.

use ipnet::IpNet;
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};
use url::{Host, Url};

/// The URLs and addresses that endpoints may have. By default, these are only `https` URLs and addresses that are globally reachable,
/// according to the special-purpose address registries of IANA (RFC 6890).
///
/// ```
/// use openapi_dropshot_webhooks::EgressRules;
///
/// let rules = EgressRules::default();
/// assert!(rules.check_url("https://hooks.example/orders").is_ok());
/// assert!(rules.check_url("https://0xa9fea9fe/latest/meta-data").is_err());
/// assert!(!rules.allows([10, 0, 0, 1].into()));
/// let rules = EgressRules { allowed_networks: vec!["10.0.0.0/8".parse().expect("a network")], ..rules };
/// assert!(rules.allows([10, 0, 0, 1].into()));
/// ```
#[derive(Clone, Default)]
pub struct EgressRules {
    /// Whether URLs may have the scheme `http`.
    pub allow_http: bool,
    /// Networks that are allowed although they are not globally reachable.
    pub allowed_networks: Vec<IpNet>,
    /// The HTTP proxy that connects to the endpoints. It resolves their names, so it must reject private addresses itself. It may have a
    /// private address.
    pub proxy: Option<Url>,
}

/// Why the URL of an endpoint is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RejectedUrl {
    /// It is longer than 2,000 characters.
    #[error("the URL has more than {most} characters; use a shorter one", most = EgressRules::LONGEST_URL)]
    TooLong,
    /// It is not an absolute URL with a host.
    #[error("the URL is not valid; write it like `https://hooks.example/orders`")]
    Invalid,
    /// Its scheme is neither `https`, nor `http` if `http` is allowed.
    #[error("the URL has a scheme that is not allowed; begin it with `https://`")]
    Scheme,
    /// It contains a user name or a password.
    #[error(
        "the URL contains a user name or a password; remove it and verify the signature of the messages instead"
    )]
    Credentials,
    /// It has a fragment.
    #[error("the URL has a fragment, which is not sent; remove `#` and the text after it")]
    Fragment,
    /// Its host is an IP address that is not allowed.
    #[error(
        "the host of the URL is an address that is not allowed; use an address that is reachable from the internet"
    )]
    Address,
}

impl EgressRules {
    /// The greatest number of characters of a URL.
    pub const LONGEST_URL: usize = 2000;

    /// Checks the URL of an endpoint. If its host is an IP address, in any notation, the address must be allowed. If it is a
    /// name, [`Sender`](crate::Sender) resolves it and checks its addresses for each connection.
    ///
    /// # Errors
    ///
    /// The URL breaks a rule. The messages do not contain the URL.
    pub fn check_url(&self, url: &str) -> Result<Url, RejectedUrl> {
        // The parser also needs a bound.
        if url.chars().nth(Self::LONGEST_URL).is_some() {
            return Err(RejectedUrl::TooLong);
        }
        let url = Url::parse(url).map_err(|_| RejectedUrl::Invalid)?;
        // The parser has encoded other characters than ASCII as several ones.
        if url.as_str().len() > Self::LONGEST_URL {
            return Err(RejectedUrl::TooLong);
        }
        if !(url.scheme() == "https" || self.allow_http && url.scheme() == "http") {
            return Err(RejectedUrl::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RejectedUrl::Credentials);
        }
        if url.fragment().is_some() {
            return Err(RejectedUrl::Fragment);
        }
        // The parser has converted decimal, octal and hexadecimal notations to addresses.
        let is_allowed = match url.host().ok_or(RejectedUrl::Invalid)? {
            Host::Domain(_) => true,
            Host::Ipv4(address) => self.allows(address.into()),
            Host::Ipv6(address) => self.allows(address.into()),
        };
        is_allowed.then_some(url).ok_or(RejectedUrl::Address)
    }

    /// Whether webhooks may be sent to an address.
    #[must_use]
    pub fn allows(&self, address: IpAddr) -> bool {
        let address = match address {
            IpAddr::V6(v6) => contained_v4(v6).map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        let is_global = match address {
            IpAddr::V4(address) => is_global_v4(address),
            IpAddr::V6(address) => is_global_v6(address),
        };
        let is_within = |network: &IpNet| network.contains(&address);
        is_global || self.allowed_networks.iter().any(is_within)
    }
}

/// The IPv4 address that an IPv6 address contains: in `::ffff:0:0/96` (IPv4-mapped) and `64:ff9b::/96` (NAT64). Packets to the
/// IPv6 address reach the IPv4 address.
fn contained_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    }
}

/// <https://www.iana.org/assignments/iana-ipv4-special-registry>, with multicast, 240/4 and the former 6to4 relays.
fn is_global_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        [0 | 10 | 127 | 224.., ..]
            | [100, 64..128, ..]
            | [169, 254, ..]
            | [172, 16..32, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [192, 168, ..]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

/// <https://www.iana.org/assignments/iana-ipv6-special-registry>. Global unicast addresses are in 2000::/3 (RFC 4291). The excluded
/// networks are 2001::/23 (protocols such as Teredo), 2001:db8::/32 and 3fff::/20 (documentation), and 2002::/16 (6to4).
fn is_global_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    match first {
        0x2001 => second >= 0x0200 && second != 0x0db8,
        0x2002 => false,
        0x3fff => second >= 0x1000,
        _ => (0x2000..0x4000).contains(&first),
    }
}

impl fmt::Debug for EgressRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL of a proxy may contain its password.
        f.debug_struct("EgressRules")
            .field("allow_http", &self.allow_http)
            .field("allowed_networks", &self.allowed_networks)
            .field("proxy", &self.proxy.as_ref().and_then(Url::host_str))
            .finish()
    }
}

#[cfg(test)]
mod tests;

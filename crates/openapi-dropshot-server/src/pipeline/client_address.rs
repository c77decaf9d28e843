//! Finds the address of a client behind trusted proxies, for the access log. The header is read
//! from its end: each proxy appends the address that it saw, and the client may have forged
//! everything before the first address that is not a trusted proxy.

use crate::config::{ClientAddressHeader, Proxies};
use http::{HeaderMap, HeaderName, header::FORWARDED};
use std::net::{IpAddr, SocketAddr};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the address of the client. If a proxy does not send one, returns the last known address
/// of a proxy.
pub(super) fn of(proxies: &Proxies, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    let name = match proxies.client_address_header {
        ClientAddressHeader::XForwardedFor => X_FORWARDED_FOR,
        ClientAddressHeader::Forwarded => FORWARDED,
    };
    if !proxies.trusted_proxies.contains(client) {
        return client;
    }
    // A comma within quotes also ends an element. Only the client could have sent such a comma, and
    // a proxy appended everything after it.
    let elements = headers.get_all(name).into_iter().rev();
    let elements = elements.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    for element in elements {
        let element = str::from_utf8(element).unwrap_or_default().trim();
        let Some(named) = address(proxies.client_address_header, element) else {
            break;
        };
        client = named.to_canonical();
        if !proxies.trusted_proxies.contains(client) {
            break;
        }
    }
    client
}

/// Returns the address in an element of the header, which may have a port, brackets or quotes.
fn address(header: ClientAddressHeader, element: &str) -> Option<IpAddr> {
    let node = match header {
        ClientAddressHeader::XForwardedFor => element,
        ClientAddressHeader::Forwarded => element.split(';').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let is_for = name.trim().eq_ignore_ascii_case("for");
            is_for.then(|| value.trim().trim_matches('"'))
        })?,
    };
    let socket = || node.parse().map(|socket: SocketAddr| socket.ip()).ok();
    let in_brackets = || node.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    node.parse().ok().or_else(socket).or_else(in_brackets)
}

#[cfg(test)]
mod tests;

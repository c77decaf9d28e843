//! Finds the address of the client behind the proxies that the owner trusts, for the access log.
//! The header is read from its end: each proxy appends the address that it saw, and what stands
//! before the first address that is not of a trusted proxy may be invented by the client.

use crate::config::{ClientAddressHeader, Proxies};
use http::{HeaderMap, HeaderName, header::FORWARDED};
use std::net::{IpAddr, SocketAddr};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of the client; that of the last proxy whose address is known where a proxy names
/// none.
pub(super) fn of(proxies: &Proxies, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    let name = match proxies.client_address_header {
        ClientAddressHeader::XForwardedFor => X_FORWARDED_FOR,
        ClientAddressHeader::Forwarded => FORWARDED,
    };
    if !proxies.trusted_proxies.contains(client) {
        return client;
    }
    // A comma in quotes ends an element, too. Only the client could have sent it, and what follows
    // it was appended by a proxy.
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

/// The address in an element of the header: with a port, in brackets or in quotes.
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
mod tests {
    use super::*;

    fn client(header: ClientAddressHeader, lines: &[&str]) -> String {
        let proxies = Proxies {
            trusted_proxies: "127.0.0.1,10.0.0.0/8,fd00::/8".parse().expect("networks"),
            client_address_header: header,
        };
        let mut headers = HeaderMap::new();
        for line in lines {
            let name = if header == ClientAddressHeader::Forwarded {
                FORWARDED
            } else {
                X_FORWARDED_FOR
            };
            headers.append(name, line.parse().expect("a value"));
        }
        of(&proxies, [127, 0, 0, 1].into(), &headers).to_string()
    }

    #[test]
    fn the_last_address_that_is_of_no_trusted_proxy_is_the_client() {
        for (lines, expected) in [
            (&[][..], "127.0.0.1"),
            (&["203.0.113.9"], "203.0.113.9"),
            (&["203.0.113.9:1234"], "203.0.113.9"),
            (&["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            (&["198.51.100.1, 203.0.113.9, 10.1.1.1"], "203.0.113.9"),
            (&["203.0.113.9", "10.1.1.1"], "203.0.113.9"),
            (&["203.0.113.9, unknown, 10.1.1.1"], "10.1.1.1"),
            (&["2001:db8::7, fd00::1"], "2001:db8::7"),
            (&["::ffff:203.0.113.9"], "203.0.113.9"),
            (&["10.2.2.2"], "10.2.2.2"),
            (&["x\"y"], "127.0.0.1"),
        ] {
            assert_eq!(client(ClientAddressHeader::XForwardedFor, lines), expected);
        }
    }

    #[test]
    fn the_header_of_rfc_7239_is_read_likewise() {
        for (lines, expected) in [
            (
                &["for=203.0.113.9;proto=https;by=10.0.0.1"][..],
                "203.0.113.9",
            ),
            (&["For=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
            (
                &["for=198.51.100.1, for=203.0.113.9, for=10.1.1.1"],
                "203.0.113.9",
            ),
            (&["for=\"198.51.100.1", "for=203.0.113.9"], "203.0.113.9"),
            (&["for=203.0.113.9, for=_hidden"], "127.0.0.1"),
            (&["proto=https"], "127.0.0.1"),
        ] {
            assert_eq!(client(ClientAddressHeader::Forwarded, lines), expected);
        }
    }

    #[test]
    fn the_header_of_somebody_else_is_not_read() {
        let proxies = Proxies::default();
        let mut headers = HeaderMap::new();
        headers.insert(X_FORWARDED_FOR, "203.0.113.9".parse().expect("a value"));
        let peer = [192, 0, 2, 1].into();
        assert_eq!(of(&proxies, peer, &headers), peer);
    }
}

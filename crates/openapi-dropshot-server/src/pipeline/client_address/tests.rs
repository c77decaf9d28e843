//! Tests which address is taken as the address of the client.

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
fn the_client_is_the_last_address_that_is_not_a_trusted_proxy() {
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
fn the_forwarded_header_of_rfc_7239_is_supported() {
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
fn a_forwarding_header_from_an_untrusted_address_is_ignored() {
    let proxies = Proxies::default();
    let mut headers = HeaderMap::new();
    headers.insert(X_FORWARDED_FOR, "203.0.113.9".parse().expect("a value"));
    let peer = [192, 0, 2, 1].into();
    assert_eq!(of(&proxies, peer, &headers), peer);
}

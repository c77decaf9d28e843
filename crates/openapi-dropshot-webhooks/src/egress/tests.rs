//! Tests the rules for addresses.

use super::*;
use crate::{Failure, Sender, test_receiver};
use http::HeaderMap;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

/// Addresses that must be rejected.
const REJECTED: [&str; 60] = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "64:ff9b:1:ffff::808:808",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:1ff::1",
    "2001:20::1",
    "2001:db8::1",
    "2001:db8:ffff::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "3fff:fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "1fff::1",
];

const ALLOWED: [&str; 22] = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.1",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2620:4f:8000::1",
    "2a00:1450:4001::1",
    "3fff:1000::1",
];

/// Other notations of addresses that must be rejected. The parser of URLs understands them.
const REJECTED_HOSTS: [&str; 23] = [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.1",
    "127.0.0.1.",
    "0",
    "0x0",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "169.254.43518",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "①27.0.0.1",
    "10.1",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[fe80::1%25eth0]",
];

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn literal(text: &str) -> String {
    match address(text) {
        IpAddr::V4(address) => format!("https://{address}/hook"),
        IpAddr::V6(address) => format!("https://[{address}]:8443/hook"),
    }
}

#[test]
fn addresses_of_the_special_registries_are_rejected_and_other_addresses_are_allowed() {
    let rules = EgressRules::default();
    for text in REJECTED {
        assert!(!rules.allows(address(text)), "{text}");
        assert_eq!(
            rules.check_url(&literal(text)),
            Err(RejectedUrl::Address),
            "{text}"
        );
    }
    for text in ALLOWED {
        assert!(rules.allows(address(text)), "{text}");
        assert!(rules.check_url(&literal(text)).is_ok(), "{text}");
    }
}

#[test]
fn private_addresses_in_unusual_notations_are_rejected() {
    for host in REJECTED_HOSTS {
        let rejected = EgressRules::default().check_url(&format!("https://{host}/hook"));
        let is_rejected = matches!(rejected, Err(RejectedUrl::Address | RejectedUrl::Invalid));
        assert!(is_rejected, "{host}: {rejected:?}");
    }
}

#[test]
fn a_url_that_breaks_a_rule_is_rejected_with_the_error_of_that_rule() {
    let long = format!("https://hooks.example/{}", "e".repeat(1_979));
    // Each of these letters is written as six characters.
    let encoded = format!("https://hooks.example/{}", "é".repeat(330));
    let cases = [
        (long.as_str(), RejectedUrl::TooLong),
        (encoded.as_str(), RejectedUrl::TooLong),
        ("", RejectedUrl::Invalid),
        ("hooks.example/orders", RejectedUrl::Invalid),
        ("https://", RejectedUrl::Invalid),
        ("https://hooks.example:99999/", RejectedUrl::Invalid),
        ("http://hooks.example/", RejectedUrl::Scheme),
        ("ftp://hooks.example/", RejectedUrl::Scheme),
        ("file:///etc/passwd", RejectedUrl::Scheme),
        ("gopher://127.0.0.1:6379/_", RejectedUrl::Scheme),
        ("https://me@hooks.example/", RejectedUrl::Credentials),
        ("https://me:word@hooks.example/", RejectedUrl::Credentials),
        ("https://:word@hooks.example/", RejectedUrl::Credentials),
        ("https://hooks.example/#part", RejectedUrl::Fragment),
    ];
    for (url, expected) in cases {
        assert_eq!(
            EgressRules::default().check_url(url),
            Err(expected),
            "{url}"
        );
    }
    let longest = &long[..long.len() - 1];
    let rules = EgressRules::default();
    for url in [
        longest,
        "https://hooks.example:8443/a?b=c",
        "https://localhost/",
    ] {
        assert!(rules.check_url(url).is_ok(), "{url}");
    }
    let rules = EgressRules {
        allow_http: true,
        ..rules
    };
    assert!(rules.check_url("http://hooks.example/").is_ok());
    assert_eq!(
        rules.check_url("http://10.0.0.1/"),
        Err(RejectedUrl::Address)
    );
}

#[test]
fn an_allowed_ipv4_network_includes_the_ipv6_addresses_that_embed_its_addresses() {
    let rules = EgressRules {
        allowed_networks: vec![
            "10.1.0.0/16".parse().expect("valid"),
            "fd00::/8".parse().expect("valid"),
        ],
        ..EgressRules::default()
    };
    for text in [
        "10.1.0.1",
        "::ffff:10.1.0.1",
        "64:ff9b::10.1.0.1",
        "fd00::1",
        "8.8.8.8",
    ] {
        assert!(rules.allows(address(text)), "{text}");
    }
    for text in ["10.2.0.1", "::ffff:10.2.0.1", "fc00::1", "127.0.0.1"] {
        assert!(!rules.allows(address(text)), "{text}");
    }
}

#[test]
fn debug_shows_no_password_of_a_proxy() {
    let rules = EgressRules {
        proxy: Some("http://me:word@proxy.example:4750".parse().expect("valid")),
        ..EgressRules::default()
    };
    let sender = Sender::new(rules, Duration::from_secs(15), "tests").expect("a sender");
    let text = format!("{sender:?}");
    assert!(
        text.contains("proxy.example") && !text.contains("word"),
        "{text}"
    );
}

/// Resolves each name to the next list of addresses. The last list is used for all further lookups.
struct Script {
    lookups: AtomicUsize,
    lists: Vec<Vec<SocketAddr>>,
}

impl Resolve for Script {
    fn resolve(&self, _: Name) -> Resolving {
        let index = self.lookups.fetch_add(1, Relaxed).min(self.lists.len() - 1);
        let addresses = self.lists[index].clone().into_iter();
        Box::pin(async move { Ok(Box::new(addresses) as Addrs) })
    }
}

fn resolves_to(lists: Vec<Vec<SocketAddr>>, allowed: &str) -> (Sender, Arc<Script>) {
    let resolver = Arc::new(Script {
        lookups: AtomicUsize::new(0),
        lists,
    });
    let rules = EgressRules {
        allow_http: true,
        allowed_networks: vec![allowed.parse().expect("a network")],
        proxy: None,
    };
    let timeout = Duration::from_secs(15);
    let sender = Sender::with_resolver(rules, timeout, "tests", resolver.clone());
    (sender.expect("a sender"), resolver)
}

async fn send(sender: &Sender, url: &str) -> Option<Failure> {
    sender
        .send(url, HeaderMap::new(), "{}".into())
        .await
        .failure
}

#[tokio::test]
async fn the_sender_does_not_connect_to_a_literal_address_that_is_not_allowed() {
    let receiver = test_receiver::receiver(async |_| test_receiver::status(200)).await;
    let (sender, resolver) = resolves_to(vec![vec![receiver]], "10.0.0.0/8");
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let url = format!("http://{host}:{}/", receiver.port());
        assert_eq!(send(&sender, &url).await, Some(Failure::Address), "{host}");
    }
    assert_eq!(resolver.lookups.load(Relaxed), 0);
}

#[tokio::test]
async fn the_sender_does_not_connect_to_names_whose_addresses_are_not_allowed() {
    let lists = REJECTED.map(|text| vec![SocketAddr::new(address(text), 0)]);
    let lists = [&lists[..], &[Vec::new()]].concat();
    let (sender, resolver) = resolves_to(lists, "10.9.9.9/32");
    for (index, text) in REJECTED.into_iter().chain(["no address"]).enumerate() {
        let failure = send(&sender, "https://hooks.example/").await;
        assert_eq!(failure, Some(Failure::Address), "{text}");
        assert_eq!(resolver.lookups.load(Relaxed), index + 1);
    }
}

#[tokio::test]
async fn only_the_allowed_addresses_of_a_name_are_used() {
    let receiver = test_receiver::receiver(async |_| test_receiver::status(200)).await;
    let forbidden: SocketAddr = "[::1]:0".parse().expect("an address");
    let (sender, _) = resolves_to(vec![vec![forbidden, receiver]], "127.0.0.0/8");
    let url = format!("http://hooks.example:{}/", receiver.port());
    assert_eq!(send(&sender, &url).await, None);
}

#[tokio::test]
async fn the_sender_does_not_connect_to_a_name_that_later_resolves_to_a_private_address() {
    // Here 127.0.0.1 stands for a public address. The connection is not kept, so the name is resolved again.
    let response = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let receiver = test_receiver::raw_receiver(response).await;
    let private: SocketAddr = "127.0.0.2:0".parse().expect("an address");
    let (sender, resolver) = resolves_to(vec![vec![receiver], vec![private]], "127.0.0.1/32");
    let url = format!("http://hooks.example:{}/", receiver.port());
    assert_eq!(send(&sender, &url).await, None);
    assert_eq!(send(&sender, &url).await, Some(Failure::Address));
    assert_eq!(resolver.lookups.load(Relaxed), 2);
}

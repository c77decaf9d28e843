//! Tests that the memory of the service stays below its limit during attacks with thousands of
//! connections, one attack after the other and all together, with and without TLS, and that other
//! clients are served meanwhile.

use crate::{
    alone,
    attacked::Attacked,
    crowd::{Attack, Crowd},
    raw::{Connection, Request},
    scrape::Scrape,
};
use std::{
    thread,
    time::{Duration, Instant},
};

/// The number of connections that the service accepts.
const CONNECTIONS: usize = 4000;
/// There are fewer connections with TLS, because a handshake takes processor time on both sides.
const TLS_CONNECTIONS: usize = 1600;
/// How long an attack is sent, as far as the service accepts it.
const SENDING: Duration = Duration::from_secs(15);
/// Each connection keeps what it holds for longer than the attack takes.
const LIMITS: [(&str, &str); 2] = [
    ("PETSTORE_RESPONSE_STALL_SECONDS", "20"),
    ("PETSTORE_BODY_READ_SECONDS", "20"),
];
/// A page of such pets has about 8 kB.
const PAGE: &str = "/v1/pets?limit=8";
const PETS: usize = 8;
const NAME_BYTES: usize = 950;
const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

fn start(is_tls: bool) -> Option<Attacked> {
    let attacked = if is_tls {
        Attacked::start_with_tls(&[], &LIMITS)?
    } else {
        Attacked::start(&[], &LIMITS)
    };
    let name = "x".repeat(NAME_BYTES);
    let pet = format!(r#"{{"name":"{name}","categoryId":7,"status":"available"}}"#);
    let request = Request::post("/v1/pets", pet).key(&attacked.service.key);
    for _ in 0..PETS {
        assert_eq!(attacked.probe(&request).status(), Some(201));
    }
    Some(attacked)
}

/// Runs the attacks one after the other, each with this many connections. All connections stay open
/// until the end.
fn assert_survived(what: &str, is_tls: bool, attacks: impl Fn(&str) -> Vec<(Attack, usize)>) {
    let _alone = alone();
    let Some(attacked) = start(is_tls) else {
        return;
    };
    let before = attacked.resident();
    let watch = attacked.watch();
    let mut crowds = Vec::new();
    for (attack, count) in attacks(&attacked.service.key) {
        let address = attacked.service.address;
        let crowd = Crowd::gather(address, attacked.tls.as_ref(), &attack, count, SENDING);
        println!(
            "{what}: {}: {}, at most {}",
            attack.name,
            attacked.resident(),
            attacked.peak()
        );
        crowds.push((attack.name, crowd));
    }
    // The service is still processing what was sent.
    let (begin, mut last) = (Instant::now(), attacked.resident());
    loop {
        thread::sleep(Duration::from_millis(500));
        let now = attacked.resident();
        if now == last || begin.elapsed() > SENDING {
            break;
        }
        last = now;
    }
    for (name, crowd) in &crowds {
        println!("{what}: {name}: {} connections are open", crowd.open());
    }
    let report = watch.end();
    println!(
        "{what}: {before} before, at most {}; {report}",
        attacked.peak()
    );
    attacked.assert_memory_is_bounded(what);
    report.assert_successful(what);
}

fn count(is_tls: bool) -> usize {
    if is_tls { TLS_CONNECTIONS } else { CONNECTIONS }
}

fn assert_one_is_survived(attack: impl Fn(&str) -> Attack) {
    assert_survived("one attack", false, |key| vec![(attack(key), CONNECTIONS)]);
}

#[test]
fn memory_is_bounded_under_large_heads_with_slow_bodies_of_one_key() {
    assert_one_is_survived(Attack::large_heads);
}

#[test]
fn memory_is_bounded_under_large_heads_with_slow_bodies_over_tls() {
    assert_survived("large heads over TLS", true, |key| {
        vec![(Attack::large_heads(key), TLS_CONNECTIONS)]
    });
}

#[test]
fn memory_is_bounded_under_large_http2_heads_without_a_key() {
    assert_one_is_survived(|_| Attack::large_streams("x", 16));
}

#[test]
fn memory_is_bounded_under_large_http2_heads_of_one_key() {
    assert_one_is_survived(|key| Attack::large_streams(key, 16));
}

#[test]
fn memory_is_bounded_under_waiting_http2_requests() {
    assert_one_is_survived(|key| Attack::small_streams(key, 100));
}

#[test]
fn memory_is_bounded_under_indexed_http2_fields() {
    assert_one_is_survived(|key| Attack::indexed_fields(key, 16));
}

#[test]
fn memory_is_bounded_under_half_sent_http2_heads() {
    assert_one_is_survived(|_| Attack::half_heads_of_http2());
}

#[test]
fn memory_is_bounded_under_unread_http2_responses() {
    assert_one_is_survived(|key| Attack::without_window(key, PAGE, 4));
}

#[test]
fn memory_is_bounded_under_endless_handshakes() {
    // For each size there are as many connections as possible; the service ends the longer
    // handshakes.
    assert_survived("endless handshakes", true, |_| {
        [65_000, 24_000]
            .map(|bytes| (Attack::endless_hello(bytes), CONNECTIONS))
            .into()
    });
}

fn assert_mix_is_survived(what: &str, is_tls: bool) {
    assert_survived(what, is_tls, |key| {
        let each = count(is_tls) / 8;
        let mut attacks = vec![
            Attack::half_heads(),
            Attack::large_heads(key),
            Attack::large_streams("x", 16),
            Attack::large_streams(key, 16),
            Attack::small_streams(key, 100),
            Attack::indexed_fields(key, 16),
            Attack::without_window(key, PAGE, 4),
            Attack::half_heads_of_http2(),
        ];
        if is_tls {
            attacks.push(Attack::endless_hello(24_000));
        }
        attacks.into_iter().map(|attack| (attack, each)).collect()
    });
}

#[test]
fn memory_is_bounded_under_all_attacks_together() {
    assert_mix_is_survived("all attacks", false);
}

#[test]
fn memory_is_bounded_under_all_attacks_together_over_tls() {
    assert_mix_is_survived("all attacks over TLS", true);
}

/// Sends the head of a creation whose client waits for the service to request the body. Returns the
/// connection and the status of the response.
fn begin_creation(attacked: &Attacked, key: &str) -> (Connection, u16) {
    let mut connection = attacked.service.connect();
    let request = Request::post("/v1/pets", PET)
        .key(key)
        .header("Expect", "100-continue")
        .bytes();
    connection.write(&request[..request.len() - PET.len()]);
    let status = connection.head().0;
    (connection, status)
}

#[test]
fn waiting_requests_of_one_key_leave_room_for_other_keys() {
    const REQUESTS: usize = 10;
    let budget = (REQUESTS * (11 << 10)).to_string();
    let attacked = Attacked::start(&["--request-budget-bytes", &budget], &[]);
    let begin = |_| begin_creation(&attacked, &attacked.service.key);
    let greedy: Vec<_> = (0..REQUESTS).map(begin).collect();
    let accepted = greedy.iter().filter(|(_, status)| *status == 100).count();
    let rejected = greedy.iter().filter(|(_, status)| *status == 503).count();
    assert_eq!(accepted + rejected, REQUESTS);
    assert!((5..=8).contains(&accepted), "{accepted} of {REQUESTS}");
    let in_use = Scrape::of(attacked.admin).find("petstore_request_bytes_in_use", &[]);
    assert!(in_use > Some(accepted as f64 * 10_000.0), "{in_use:?}");
    let (mut other, status) = begin_creation(&attacked, &attacked.other_key);
    assert_eq!(status, 100);
    other.write(PET);
    assert_eq!(other.response().status, 201);
}

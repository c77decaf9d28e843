//! Tests that the memory of the service stays below its bound in attacks with thousands of
//! connections, one by one and together, with and without TLS, and that others are served
//! meanwhile.

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

/// As many connections as the service takes.
const CONNECTIONS: usize = 4000;
/// A handshake takes the time of both sides.
const TLS_CONNECTIONS: usize = 1600;
/// The time in which an attack is sent, as far as the service takes it.
const SENDING: Duration = Duration::from_secs(15);
/// Each connection keeps what it holds for longer than the attack takes.
const LIMITS: [(&str, &str); 2] = [
    ("PETSTORE_RESPONSE_STALL_SECONDS", "20"),
    ("PETSTORE_BODY_READ_SECONDS", "20"),
];
/// A page of this has about 8 kB.
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

/// Runs the attacks one after the other, each on so many connections, with the connections of all
/// of them open until the end.
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
    // The service still works on what was sent.
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
fn large_heads_with_slow_bodies_of_one_key_are_bounded() {
    assert_one_is_survived(Attack::large_heads);
}

#[test]
fn large_heads_with_slow_bodies_over_tls_are_bounded() {
    assert_survived("large heads over TLS", true, |key| {
        vec![(Attack::large_heads(key), TLS_CONNECTIONS)]
    });
}

#[test]
fn large_heads_of_http2_without_a_key_are_bounded() {
    assert_one_is_survived(|_| Attack::large_streams("x", 16));
}

#[test]
fn large_heads_of_http2_of_one_key_are_bounded() {
    assert_one_is_survived(|key| Attack::large_streams(key, 16));
}

#[test]
fn waiting_requests_of_http2_are_bounded() {
    assert_one_is_survived(|key| Attack::small_streams(key, 100));
}

#[test]
fn indexed_fields_of_http2_are_bounded() {
    assert_one_is_survived(|key| Attack::indexed_fields(key, 16));
}

#[test]
fn half_sent_heads_of_http2_are_bounded() {
    assert_one_is_survived(|_| Attack::half_heads_of_http2());
}

#[test]
fn unread_responses_of_http2_are_bounded() {
    assert_one_is_survived(|key| Attack::without_window(key, PAGE, 4));
}

#[test]
fn endless_handshakes_are_bounded() {
    // As many connections as there can be for each size: the service ends the longer ones.
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
fn all_attacks_together_are_bounded() {
    assert_mix_is_survived("all attacks", false);
}

#[test]
fn all_attacks_together_over_tls_are_bounded() {
    assert_mix_is_survived("all attacks over TLS", true);
}

/// The head of a creation whose client waits for the service to ask for the body.
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
fn waiting_requests_of_one_key_leave_room_for_those_of_others() {
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

//! Tests that clients without a valid key cannot keep those who have one from being served.

use crate::{
    alone,
    attacked::{Attacked, freeze},
    crowd::{Attack, Renewed},
    probe::Probed,
    raw::{Connection, Request},
    scrape::Scrape,
};
use std::{
    thread,
    time::{Duration, Instant},
};

/// More than the service takes.
const CONNECTIONS: usize = 4600;
/// The length of the attack.
const TIME: Duration = Duration::from_secs(6);

/// Lets hostile clients hold as many connections as they can, with new ones for those that are
/// closed. Clients with a valid key are served meanwhile, on new connections and on one that is
/// kept.
fn assert_served(what: &str, attack: &Attack) {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let list = Request::get("/v1/pets").key(&attacked.other_key);
    let mut kept = Connection::open(attacked.service.address);
    kept.write(list.bytes());
    assert_eq!(kept.response().status, 200);
    let hostile = Renewed::begin(attacked.service.address, None, attack, CONNECTIONS);
    let begin = Instant::now();
    let (mut probes, mut kept_probes) = (Vec::new(), 0);
    while begin.elapsed() < TIME {
        thread::sleep(Duration::from_millis(200));
        probes.push(attacked.probe(&list));
        kept.write(list.bytes());
        assert_eq!(kept.response().status, 200, "{what}");
        kept_probes += 1;
    }
    let opened = hostile.end();
    let metrics = Scrape::of(attacked.admin);
    let closed = metrics.find(
        "petstore_connections_closed_for_others_total",
        &[("key", "none")],
    );
    let worst = probes.iter().map(|probed| probed.took).max();
    println!(
        "{what}: {opened} hostile connections, {closed:?} closed; {} new connections waited at most {worst:?}, {kept_probes} requests of one that is kept",
        probes.len()
    );
    let is_served = |probed: &&Probed| probed.status() == Some(200) && probed.took < freeze();
    let failed: Vec<_> = probes.iter().filter(|probed| !is_served(probed)).collect();
    assert!(failed.is_empty(), "{what}: {failed:?}");
    assert!(closed > Some(0.0), "{what}: {closed:?}");
    attacked.assert_memory_is_bounded(what);
}

#[test]
fn unread_responses_of_http2_lock_nobody_out() {
    let attack = Attack::without_window("x", "/v1/pets", 1);
    assert_served("unread responses of HTTP/2", &attack);
}

#[test]
fn unread_documents_lock_nobody_out() {
    let attack = Attack::unread("x", "/v1/openapi.json");
    assert_served("unread documents", &attack);
}

#[test]
fn half_sent_heads_lock_nobody_out() {
    assert_served("half-sent heads", &Attack::half_heads());
}

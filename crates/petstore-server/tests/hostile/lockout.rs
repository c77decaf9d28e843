//! Tests that clients without a valid key cannot prevent clients with a valid key from being served.

use crate::{
    alone,
    attacked::{Attacked, freeze, is_release, until},
    crowd::{Attack, Renewed},
    raw::{Connection, Request},
    scrape::Scrape,
};
use std::time::{Duration, Instant};

/// More connections than the service accepts.
const CONNECTIONS: usize = 4600;
/// After this time, the attack is running: the service has almost as many connections as it may have.
const FILLED: (usize, Duration) = (4000, Duration::from_secs(60));
const REQUESTS: usize = 5;
/// This is much less than the time after which a connection with an unread response is ended.
const LOCKED_OUT: Duration = Duration::from_secs(30);

/// Lets hostile clients keep as many connections open as they can, and open new ones for those that are closed. Clients
/// with a valid key must be served meanwhile, on new connections and on a connection that stays open.
fn assert_served(what: &str, attack: &Attack) {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let list = Request::get("/v1/pets").key(&attacked.other_key);
    let mut kept = Connection::open(attacked.service.address);
    let mut use_kept = || {
        kept.write(list.bytes());
        assert_eq!(kept.response().status, 200, "{what}");
    };
    use_kept();
    let hostile = Renewed::begin(attacked.service.address, None, attack, CONNECTIONS);
    let (count, time) = FILLED;
    assert!(until(time, || attacked.sockets() > count), "{what}");
    let mut worst = Duration::ZERO;
    for _ in 0..REQUESTS {
        let begin = Instant::now();
        let mut probed = attacked.probe(&list);
        // A service that is not optimised may read the first request of a new connection so late that the connection
        // already counts as one that has sent no valid key in time. Clients then connect again.
        while !is_release() && probed.status().is_none() && begin.elapsed() < LOCKED_OUT {
            probed = attacked.probe(&list);
        }
        assert_eq!(probed.status(), Some(200), "{what}: {probed:?}");
        worst = worst.max(begin.elapsed());
        use_kept();
    }
    let closed = || {
        let metrics = Scrape::of(attacked.admin);
        metrics.find("petstore_connections_without_key_closed_total", &[])
    };
    assert!(until(time, || closed() > Some(0.0)), "{what}");
    let opened = hostile.end();
    println!(
        "{what}: {opened} hostile connections, {:?} closed; new connections waited at most {worst:?}",
        closed()
    );
    let limit = if is_release() { freeze() } else { LOCKED_OUT };
    assert!(worst < limit, "{what}: {worst:?}");
    attacked.assert_memory_is_bounded(what);
}

#[test]
fn unread_http2_responses_do_not_block_other_clients() {
    let attack = Attack::without_window("x", "/v1/pets", 1);
    assert_served("unread responses of HTTP/2", &attack);
}

#[test]
fn unread_documents_do_not_block_other_clients() {
    let attack = Attack::unread("x", "/v1/openapi.json");
    assert_served("unread documents", &attack);
}

#[test]
fn incomplete_heads_do_not_block_other_clients() {
    assert_served("half-sent heads", &Attack::half_heads());
}

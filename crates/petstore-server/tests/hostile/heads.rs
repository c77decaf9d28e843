//! Tests clients that send the beginning of a request head and never its end.

use crate::{
    alone, attack,
    attacked::{Attacked, until},
    memory,
};
use std::{thread, time::Duration};

const CLIENTS: usize = 2000;
/// How long the heads are sent, as far as the service accepts them.
const SENDING: Duration = Duration::from_secs(40);
/// This is long enough for all heads to exist at the same time.
const IDLE: (&str, &str) = ("PETSTORE_IDLE_SECONDS", "10");
/// After this time, the service has closed the connections of incomplete heads.
const CLOSED: Duration = Duration::from_secs(60);

#[test]
fn memory_is_bounded_under_two_thousand_half_sent_heads_whose_connections_end() {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[IDLE]);
    let sockets = attacked.sockets();
    let watch = attacked.watch();
    let heads = attack::half_heads(attacked.service.address, CLIENTS, SENDING);
    thread::sleep(Duration::from_secs(2));
    let (connected, during) = (
        attacked.sockets().saturating_sub(sockets),
        attacked.resident(),
    );
    let are_closed = until(CLOSED, || attacked.sockets() <= sockets + 4);
    let report = watch.end();
    println!(
        "{} clients, {connected} connections, {during} during, at most {}",
        heads.len(),
        attacked.peak()
    );
    drop(heads);
    report.assert_served("half-sent heads");
    attacked.assert_memory_is_bounded("half-sent heads");
    assert!(are_closed, "{} sockets are open", attacked.sockets());
    assert!(attacked.resident() < memory::BOUND);
}

//! Tests clients that use up all connections of the service.

use crate::{
    alone, attack,
    attacked::{Attacked, freeze, until},
    memory,
    probe::probe,
    raw::Request,
};
use std::{net::TcpStream, time::Duration};

/// The limit of open files of the service.
const FILES: u32 = 128;
/// More connections than the service can have.
const CLIENTS: usize = 300;
/// The highest number of connections, in the test that sets it.
const CONNECTIONS: usize = 50;
/// After this time, an idle connection that never sent anything is closed.
const IDLE: Duration = Duration::from_secs(60);

/// Opens idle connections until the queue of the operating system is also full.
fn idle(attacked: &Attacked) -> Vec<TcpStream> {
    let connect = |_| attack::connect(attacked.service.address).ok();
    (0..CLIENTS).map_while(connect).collect()
}

/// Opens idle connections until the service accepts no more.
fn idle_until_full(attacked: &Attacked) -> Vec<TcpStream> {
    let connect = |_| {
        let sockets = attacked.sockets();
        let stream = attack::connect(attacked.service.address).ok()?;
        let is_taken = || attacked.sockets() > sockets;
        until(Duration::from_millis(500), is_taken).then_some(stream)
    };
    (0..CLIENTS).map_while(connect).collect()
}

/// Sends requests to the admin listener, each on a separate connection.
#[track_caller]
fn assert_admin_responds(attacked: &Attacked) {
    for path in ["/livez", "/readyz", "/metrics"].repeat(5) {
        let probed = probe(attacked.admin, &Request::get(path));
        assert_eq!(probed.status(), Some(200), "{path}: {probed:?}");
        assert!(probed.took < freeze(), "{path}: {probed:?}");
    }
}

#[track_caller]
fn assert_served(attacked: &Attacked) {
    let list = Request::get("/v1/pets").key(&attacked.service.key);
    let probed = probe(attacked.service.address, &list);
    assert_eq!(probed.status(), Some(200), "{probed:?}");
    assert!(probed.took < freeze(), "{probed:?}");
}

#[test]
fn the_admin_listener_responds_at_the_limit_of_open_files() {
    let _alone = alone();
    let attacked = Attacked::start_with_files(FILES, &[]);
    let clients = idle(&attacked);
    println!("{} clients, {} sockets", clients.len(), attacked.sockets());
    assert_admin_responds(&attacked);
    drop(clients);
    let list = Request::get("/v1/pets").key(&attacked.service.key);
    let is_served = || probe(attacked.service.address, &list).status() == Some(200);
    assert!(until(Duration::from_secs(5), is_served), "works again");
    assert_served(&attacked);
}

#[test]
fn idle_connections_end_and_make_room_at_the_limit_of_open_files() {
    let _alone = alone();
    let attacked = Attacked::start_with_files(FILES, &[("PETSTORE_IDLE_SECONDS", "10")]);
    let clients = idle_until_full(&attacked);
    let list = Request::get("/v1/pets").key(&attacked.service.key);
    // The connection waits in the queue until one of the idle connections has ended.
    let probed = probe(attacked.service.address, &list);
    println!(
        "a client behind {} idle ones waited {:.1?}",
        clients.len(),
        probed.took
    );
    assert_eq!(probed.status(), Some(200), "{probed:?}");
    assert!(probed.took < IDLE, "{probed:?}");
    assert_admin_responds(&attacked);
}

#[test]
fn the_number_of_connections_is_limited() {
    let _alone = alone();
    let limit = CONNECTIONS.to_string();
    let attacked = Attacked::start(&[], &[("PETSTORE_MAX_CONNECTIONS", &limit)]);
    let sockets = attacked.sockets();
    let clients = idle(&attacked);
    assert_admin_responds(&attacked);
    let connections = attacked.sockets().saturating_sub(sockets);
    println!("{} clients, {connections} connections", clients.len());
    // One connection of the admin listener may still be closing.
    assert!(connections <= CONNECTIONS + 2, "{connections} connections");
    drop(clients);
    let ended = || attacked.sockets() <= sockets + 2;
    assert!(until(Duration::from_secs(5), ended));
    assert_served(&attacked);
    assert!(attacked.peak() < memory::BOUND);
}

//! Tests that servers start, run in parallel, and stop.

use petstore_testing::{OperationId, Server, petstore_client::NewPet};
use std::time::{Duration, Instant};

#[tokio::test]
async fn several_test_servers_can_run_at_the_same_time() {
    let servers = (0..8).map(|_| Server::start());
    let servers = futures::future::try_join_all(servers)
        .await
        .expect("there are ports enough");
    for (number, server) in servers.iter().enumerate() {
        for _ in 0..number {
            let pet = NewPet::builder().name("Rex").category_id(7);
            let added = server.client().create_pet().body(pet).send().await;
            added.expect("the pet is added");
        }
    }
    for (number, server) in servers.iter().enumerate() {
        let pets = server.client().list_pets().send().await;
        assert_eq!(pets.expect("a list").len(), number);
        assert_eq!(server.received(OperationId::CreatePet), number as u64);
    }
    let keys = servers.iter().map(Server::key);
    assert_eq!(keys.collect::<std::collections::BTreeSet<_>>().len(), 8);
}

#[tokio::test]
async fn the_test_service_rejects_keys_that_it_did_not_create() {
    let (one, other) = (Server::start().await, Server::start().await);
    let (one, other) = (one.expect("a port"), other.expect("a port"));
    let wrong = petstore_testing::petstore_client::Client::builder(one.url())
        .api_key(other.key())
        .build()
        .expect("the key has the form of one");
    let error = wrong.list_pets().send().await.expect_err("a wrong key");
    assert_eq!(error.status(), Some(401));
}

#[tokio::test]
async fn a_stopped_or_dropped_server_accepts_no_connections() {
    for stops in [true, false] {
        let server = Server::start().await.expect("a port is free");
        server.client().list_pets().send().await.expect("a list");
        let address = server.url().replace("http://", "").replace("/v1", "");
        if stops {
            server.stop().await;
            let connected = tokio::net::TcpStream::connect(&address).await;
            assert!(connected.is_err());
        } else {
            drop(server);
            let gone = async {
                while tokio::net::TcpStream::connect(&address).await.is_ok() {
                    tokio::task::yield_now().await;
                }
            };
            let gone = tokio::time::timeout(Duration::from_secs(10), gone).await;
            gone.expect("its port is free again");
        }
    }
}

#[test]
fn a_server_can_be_dropped_after_its_tokio_runtime() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = runtime.block_on(Server::start());
    drop(runtime);
    drop(server.expect("a port was free"));
}

/// The times are printed but not checked, because machines differ.
#[tokio::test]
async fn a_server_starts_in_milliseconds() {
    let (mut started, mut responded) = (Vec::new(), Vec::new());
    for _ in 0..11 {
        let begun = Instant::now();
        let server = Server::start().await.expect("a port is free");
        started.push(begun.elapsed());
        server.client().list_pets().send().await.expect("a list");
        responded.push(begun.elapsed());
        server.stop().await;
    }
    for (what, mut taken) in [("started", started), ("responded", responded)] {
        taken.sort_unstable();
        println!("{what} after {:?}, at most {:?}", taken[5], taken[10]);
    }
}

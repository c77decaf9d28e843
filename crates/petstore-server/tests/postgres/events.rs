//! Tests a consumer that stores its cursor in the transaction of its own table: it has the effect of each event
//! exactly once and in order, while servers are killed and the consumer itself restarts.

use crate::{postgres::shared, process::Service, serve, serve_beside};
use petstore_client::{
    Client, Event, FeedItem, NewOrder, NewPet, PetStatus, RetryPolicy, recovery,
};
use rustix::process::Signal;
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::time::timeout;

const WRITERS: usize = 8;
/// The number of pets of each writer. Each pet is ordered, which makes three events.
const PETS: usize = 40;
const EVENTS: usize = WRITERS * PETS * 3;
/// The consumer restarts after this many events.
const RUN: usize = 97;
/// If the consumer gets no event for this time, it tries the other server.
const PATIENCE: Duration = Duration::from_millis(500);

fn client_of(service: &Service) -> Client {
    let address = format!("http://{}/v1", service.address);
    let client = Client::builder(&address).api_key(service.key.as_str());
    client
        .retry(RetryPolicy::never())
        .build()
        .expect("a client")
}

/// Adds pets and orders them, alternating between the servers. Each is added once, even if a server may be
/// killed.
async fn write(clients: [Client; 2], written: &AtomicUsize) {
    for number in 0..PETS {
        let (pet_key, order_key) = (
            recovery::new_idempotency_key(),
            recovery::new_idempotency_key(),
        );
        let mut turn = number;
        let pet = loop {
            let pet = NewPet::builder()
                .name("Rex")
                .category_id(7)
                .status(PetStatus::Available);
            let request = clients[turn % 2]
                .create_pet()
                .idempotency_key(pet_key.as_str());
            match request.body(pet).send().await {
                Ok(pet) => break pet.id,
                Err(error) => assert!(error.is_retryable(), "{error}"),
            }
            turn += 1;
        };
        loop {
            let order = NewOrder::builder().pet_id(pet);
            let request = clients[turn % 2]
                .create_order()
                .idempotency_key(order_key.as_str());
            match request.body(order).send().await {
                Ok(_) => break,
                Err(error) => assert!(error.is_retryable(), "{error}"),
            }
            turn += 1;
        }
        written.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_consumer_that_stores_its_cursor_gets_each_event_of_two_servers_once_if_a_server_is_killed()
 {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let one = serve(&database);
    let two = serve_beside(&one, &database);
    let clients = [client_of(&one), client_of(&two)];
    let written = AtomicUsize::new(0);
    let writers = (0..WRITERS).map(|_| write(clients.clone(), &written));
    let writers = futures::future::join_all(writers);
    let killer = async {
        while written.load(Ordering::Relaxed) < WRITERS * PETS / 3 {
            tokio::task::yield_now().await;
        }
        two.signal(Signal::KILL);
    };
    let consumer = async {
        let mut own = database.client().await;
        let tables = "CREATE TABLE seen (number bigserial PRIMARY KEY, event text NOT NULL, pet bigint NOT NULL, version bigint NOT NULL);
            CREATE TABLE consumed (cursor text)";
        own.batch_execute(tables).await.expect("tables");
        for run in 0.. {
            let cursor = own
                .query_opt("SELECT cursor FROM consumed", &[])
                .await
                .expect("a row");
            let cursor: Option<String> = cursor.map(|row| row.get(0));
            let mut events = clients[run % 2].events(cursor.as_deref());
            for _ in 0..RUN {
                // A feed continues by itself, but not with another server.
                let Ok(event) = timeout(PATIENCE, events.next()).await else {
                    break;
                };
                let event = event.expect("no end").expect("an event");
                let FeedItem::Known(event) = event else {
                    panic!("{event:?}");
                };
                // Writes the effect and the cursor in one transaction.
                let (id, pet, version) = match &event {
                    Event::PetCreated(event) => (&event.id, event.data.id, event.version),
                    Event::PetStatusChanged(event) => (&event.id, event.data.id, event.version),
                    Event::OrderPlaced(event) => (&event.id, 0, event.version),
                    other => panic!("{other:?}"),
                };
                let cursor = events.cursor().expect("a cursor");
                let transaction = own.transaction().await.expect("begun");
                let seen = "INSERT INTO seen (event, pet, version) VALUES ($1, $2, $3)";
                transaction
                    .execute(seen, &[id, &pet, &version])
                    .await
                    .expect("the effect");
                transaction
                    .execute("DELETE FROM consumed", &[])
                    .await
                    .expect("the old one");
                transaction
                    .execute("INSERT INTO consumed VALUES ($1)", &[&cursor])
                    .await
                    .expect("the cursor");
                transaction.commit().await.expect("committed");
                let seen = own
                    .query_one("SELECT count(*) FROM seen", &[])
                    .await
                    .expect("a row");
                if seen.get::<_, i64>(0) == EVENTS as i64 {
                    return;
                }
            }
        }
    };
    tokio::join!(writers, killer, consumer);
    let own = database.client().await;
    let check = "SELECT
        (SELECT count(DISTINCT event) FROM seen),
        (SELECT array_agg(event ORDER BY number) FROM seen)
            = (SELECT array_agg('evt_' || encode(id, 'hex') ORDER BY position) FROM events),
        (SELECT count(*) FROM (SELECT pet FROM seen WHERE pet > 0 GROUP BY pet
            HAVING array_agg(version ORDER BY number) = ARRAY[1, 2]::bigint[]) AS pets)";
    let row = own.query_one(check, &[]).await.expect("a row");
    assert_eq!(row.get::<_, i64>(0), EVENTS as i64, "each once");
    assert!(row.get::<_, bool>(1), "in the order of the store");
    assert_eq!(row.get::<_, i64>(2), (WRITERS * PETS) as i64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_one_server_contains_the_events_of_the_other() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let one = serve(&database);
    let two = serve_beside(&one, &database);
    let events = client_of(&one).stream_events().cursor("now").send().await;
    let mut events = events.expect("it begins").into_inner();
    for number in 0..3 {
        let pet = NewPet::builder()
            .name(format!("Rex {number}"))
            .category_id(7);
        let added = client_of(&two).create_pet().body(pet).send().await;
        let event = timeout(Duration::from_secs(20), events.next()).await;
        let event = event.expect("in time").expect("no end").expect("an event");
        let Event::PetCreated(event) = event.data else {
            panic!("only pets are added");
        };
        assert_eq!(event.data.id, added.expect("it is added").id);
    }
}

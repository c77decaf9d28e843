//! Tests orders for one pet from two servers at the same time.

use crate::{postgres::shared, raw::Connection, raw::Request, serve, serve_beside};
use serde_json::{Value, json};
use std::{
    sync::{Barrier, Mutex},
    thread,
};

const CLIENTS: usize = 32;
const ROUNDS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn if_32_clients_of_two_servers_order_the_same_pet_exactly_one_order_is_placed() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let one = serve(&database);
    let two = serve_beside(&one, &database);
    let pets: Vec<i64> = (0..ROUNDS)
        .map(|_| one.add("Rex", Some("available")))
        .collect();

    let start = Barrier::new(CLIENTS);
    let responses = Mutex::new(vec![Vec::new(); ROUNDS]);
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let service = [&one, &two][number % 2];
            let (pets, start, responses) = (&pets, &start, &responses);
            scope.spawn(move || {
                let mut connection = Connection::open(service.address);
                for (round, pet) in pets.iter().enumerate() {
                    let body = json!({"petId": pet}).to_string();
                    let mut request = Request::post("/v1/store/orders", body).key(&service.key);
                    // Every other pair of clients has separate keys.
                    if number % 4 < 2 {
                        let key = format!("{round}-{number}");
                        request = request.header("Idempotency-Key", &key);
                    }
                    start.wait();
                    let response = loop {
                        connection.write(request.bytes());
                        let response = connection.response();
                        if response.status != 503 {
                            break response;
                        }
                        // On a busy machine, other transactions may hold the lock for too long.
                        let message = response.assert_error(503, "unavailable");
                        assert!(message.contains("nothing was changed"), "{message}");
                    };
                    if response.status != 201 {
                        response.assert_error(409, "pet_not_available");
                    }
                    let response = (number, response.status, response.json());
                    responses.lock().expect("no other panics")[round].push(response);
                }
            });
        }
    });

    let responses = responses.into_inner().expect("nobody panics");
    let mut won_by = [0; 2];
    let mut orders = Vec::new();
    for responses in &responses {
        assert_eq!(responses.len(), CLIENTS);
        let won: Vec<_> = responses
            .iter()
            .filter(|response| response.1 == 201)
            .collect();
        let [(number, _, order)] = won[..] else {
            panic!("{} winners: {won:?}", won.len())
        };
        won_by[number % 2] += 1;
        orders.push(order.clone());
    }
    println!("{ROUNDS} rounds of {CLIENTS} clients: won by the servers {won_by:?}");
    // Only the confirmed orders are stored.
    let mut found = Vec::new();
    let mut target = "/v1/store/orders?limit=100".to_owned();
    loop {
        let response = two.get(&target);
        found.extend(response.json().as_array().expect("a page").clone());
        let Some(link) = response.header("link") else {
            break;
        };
        let next = link.strip_prefix('<').and_then(|link| link.split_once('>'));
        target = format!("/v1/store/orders{}", next.expect("a target").0);
    }
    let sorted = |mut orders: Vec<Value>| {
        orders.sort_by_key(|order| order["id"].as_i64());
        orders
    };
    assert_eq!(sorted(found), sorted(orders));
    let response = one.get("/v1/pets?status=available");
    assert_eq!(response.json(), json!([]));
}

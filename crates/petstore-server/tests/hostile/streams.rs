//! Tests many clients that follow events at the same time as others that read nothing.

use crate::{
    alone, attack,
    attacked::{Attacked, until},
    process::run_ok,
    raw::{Connection, Request},
};
use std::time::Duration;

const IDLE: usize = 1_000;
const UNREAD: usize = 100;
/// The number of clients with the same key, which is less than a key may have.
const OF_A_KEY: usize = 50;
const STREAM: &str = "/v1/events/stream";
/// The service sends each client that does not read far more events than the buffers along the way
/// can hold.
const EVENTS: usize = 120;
const NAME_BYTES: usize = 60_000;
/// A client that reads nothing is disconnected after this time.
const STALL: [(&str, &str); 1] = [("PETSTORE_RESPONSE_STALL_SECONDS", "3")];
const CUT_OFF: Duration = Duration::from_secs(45);

fn add(attacked: &Attacked, name: &str) {
    let pet = format!(r#"{{"name":"{name}","categoryId":7}}"#);
    let request = Request::post("/v1/pets", pet).key(&attacked.service.key);
    let probed = attacked.probe(&request);
    assert_eq!(probed.status(), Some(201), "{:?}", probed.response.err());
}

#[test]
fn a_thousand_clients_follow_events_while_a_hundred_read_nothing() {
    let _alone = alone();
    let attacked = Attacked::start(&[], &STALL);
    for _ in 0..EVENTS {
        add(&attacked, &"x".repeat(NAME_BYTES));
    }
    let key = |number: usize| {
        let create = ["key", "create", &format!("reader {number}")];
        run_ok(attacked.service.folder.path(), &create)
            .trim()
            .to_owned()
    };
    let keys: Vec<String> = (0..(IDLE + UNREAD) / OF_A_KEY).map(key).collect();
    let (of_idle, of_unread) = keys.split_at(IDLE / OF_A_KEY);
    let follow = |key: &String| {
        let mut connection = attacked.service.connect();
        let request = Request::get(&format!("{STREAM}?cursor=now")).key(key);
        connection.write(request.bytes());
        connection
    };
    let idle = of_idle.iter().flat_map(|key| [key; OF_A_KEY]);
    let mut idle: Vec<Connection> = idle.map(follow).collect();
    for connection in &mut idle {
        let (status, headers) = connection.head();
        assert_eq!(status, 200, "{headers:?}");
    }
    let sockets = attacked.sockets();
    let before = attacked.resident();
    let watch = attacked.watch();
    let unread = of_unread.iter().map(|key| {
        let request = Request::get(STREAM).key(key);
        attack::non_readers(attacked.service.address, &request, OF_A_KEY).expect("it listens")
    });
    let unread: Vec<_> = unread.collect();
    assert!(
        until(CUT_OFF, || attacked.sockets() >= sockets + UNREAD / 2),
        "they do not come in"
    );
    let are_cut_off = until(CUT_OFF, || attacked.sockets() <= sockets + 8);
    let report = watch.end();
    println!("{IDLE} streams: {before}, at most {}", attacked.peak());
    drop(unread);
    report.assert_served("beside 1,100 streams");
    attacked.assert_memory_is_bounded("1,100 streams");
    assert!(
        are_cut_off,
        "{} of {sockets} connections",
        attacked.sockets()
    );
    add(&attacked, "Rex");
    for connection in &mut idle {
        connection.until("\"name\":\"Rex\"");
    }
}

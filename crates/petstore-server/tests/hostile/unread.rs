//! Tests clients that request the largest pages and read nothing, or almost nothing, of the
//! responses.

use crate::{
    alone, attack,
    attacked::{Attacked, until},
    frames,
    probe::probe,
    raw::Request,
};
use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

const PETS: usize = 20;
/// The largest body that is configured, minus the text around a name.
const NAME_BYTES: usize = (1 << 20) - 100;
/// Room for several of the largest pets, and no more.
const PAGE_BYTES: usize = 8 << 20;
const LARGEST_PAGE: &str = "/v1/pets?limit=100";
const LIMITS: [&str; 2] = ["--body-max-bytes", "1048576"];
/// A client that reads nothing is disconnected after this time. If its responses, most of them 503,
/// fit into the buffers of the operating system, its connection ends as an idle one.
const STALL: [(&str, &str); 2] = [
    ("PETSTORE_RESPONSE_STALL_SECONDS", "3"),
    ("PETSTORE_IDLE_SECONDS", "5"),
];
/// The attack lasts at least this long.
const UNDER_WAY: Duration = Duration::from_secs(2);
/// After this time, all hostile clients are disconnected.
const CUT_OFF: Duration = Duration::from_secs(45);
/// How much memory a service may keep after an attack, in addition to what it used before.
const KEPT_BYTES: u64 = 64 << 20;

/// Adds the pets.
fn fill(attacked: &Attacked) {
    let name = "x".repeat(NAME_BYTES);
    let pet = format!(r#"{{"name":"{name}","categoryId":7,"status":"available"}}"#);
    let request = Request::post("/v1/pets", pet).key(&attacked.service.key);
    for _ in 0..PETS {
        let probed = match &attacked.tls {
            None => probe(attacked.service.address, &request),
            Some(trust) => trust.probe(attacked.service.address, &request),
        };
        assert_eq!(probed.status(), Some(201), "{:?}", probed.response.err());
    }
}

/// Runs hostile clients, and checks that other clients are served, that the hostile ones are
/// disconnected, and that the memory is limited and returned.
fn assert_survived<T>(attacked: &Attacked, what: &str, attack: impl FnOnce() -> T) {
    let (sockets, before) = (attacked.sockets(), attacked.resident());
    let watch = attacked.watch();
    let hostile = attack();
    thread::sleep(UNDER_WAY);
    let during = attacked.resident();
    let are_cut_off = until(CUT_OFF, || attacked.sockets() <= sockets + 4);
    let report = watch.end();
    let left = attacked.sockets().saturating_sub(sockets);
    // The allocator returns memory to the system only while it is used.
    let list = Request::get("/v1/pets").key(&attacked.service.key);
    let given_back = || {
        attacked.probe(&list);
        attacked.resident().0 <= before.0 + KEPT_BYTES
    };
    let is_given_back = until(Duration::from_secs(5), given_back);
    let (peak, after) = (attacked.peak(), attacked.resident());
    println!(
        "{what}: {before} before, {during} during, at most {peak}, {after} after; {left} connections were not cut off"
    );
    drop(hostile);
    report.assert_served(what);
    attacked.assert_memory_is_bounded(what);
    assert!(are_cut_off, "{what}: {left} connections are still open");
    assert!(is_given_back, "{what}: {before} before, {after} after");
}

#[test]
fn a_page_has_a_maximum_size_in_bytes_and_the_links_lead_to_all_pets() {
    let _alone = alone();
    let attacked = Attacked::start(&LIMITS, &[]);
    fill(&attacked);
    let mut connection = attacked.service.connect();
    let mut target = LARGEST_PAGE.to_owned();
    let (mut ids, mut pages, mut largest) = (BTreeSet::new(), 0, 0);
    loop {
        connection.write(Request::get(&target).key(&attacked.service.key).bytes());
        let page = connection.response();
        assert_eq!(page.status, 200);
        pages += 1;
        largest = largest.max(page.body.len());
        let pets = page.json();
        for pet in pets.as_array().expect("an array") {
            assert_eq!(pet["name"].as_str().map(str::len), Some(NAME_BYTES));
            assert!(ids.insert(pet["id"].as_i64()), "twice");
        }
        let Some(link) = page.header("link") else {
            break;
        };
        let next = link.strip_prefix('<').and_then(|link| link.split_once('>'));
        target = format!("/v1/pets{}", next.expect("a target").0);
    }
    println!("{pages} pages of at most {largest} bytes");
    assert_eq!(ids.len(), PETS);
    attacked.assert_memory_is_bounded("one client that reads all");
    assert!(largest <= PAGE_BYTES, "{largest} bytes");
}

#[test]
fn forty_clients_that_do_not_read_are_disconnected() {
    let _alone = alone();
    let attacked = Attacked::start(&LIMITS, &STALL);
    fill(&attacked);
    let list = Request::get(LARGEST_PAGE).key(&attacked.service.key);
    assert_survived(&attacked, "40 clients that do not read", || {
        attack::non_readers(attacked.service.address, &list, 40).expect("it listens")
    });
}

#[test]
fn sixty_http2_streams_with_a_zero_window_are_closed() {
    let _alone = alone();
    let Some(attacked) = Attacked::start_with_tls(&LIMITS, &STALL) else {
        return;
    };
    fill(&attacked);
    let trust = attacked.tls.as_ref().expect("it was made");
    assert_survived(&attacked, "60 streams with the window 0", || {
        let stream = trust
            .connect(attacked.service.address, "h2")
            .expect("it listens");
        attack::without_window(stream, LARGEST_PAGE, &attacked.service.key, 60)
            .expect("requests can be sent")
    });
}

#[test]
fn memory_is_bounded_under_sixty_connections_of_all_kinds() {
    let _alone = alone();
    let attacked = Attacked::start(&LIMITS, &STALL);
    fill(&attacked);
    let (address, key) = (attacked.service.address, attacked.service.key.as_str());
    let list = Request::get(LARGEST_PAGE).key(key);
    assert_survived(&attacked, "60 connections of all kinds", || {
        let unread = attack::non_readers(address, &list, 20).expect("it listens");
        let pipelined: Vec<TcpStream> = (0..20)
            .map(|_| {
                let mut stream = attack::connect(address).expect("it listens");
                let requests = list.bytes().repeat(20);
                stream.write_all(&requests).expect("they fit the buffers");
                stream
            })
            .collect();
        let streams: Vec<_> = (0..20)
            .map(|_| {
                let stream = attack::connect(address).expect("it listens");
                attack::without_window(stream, LARGEST_PAGE, key, 3).expect("requests can be sent")
            })
            .collect();
        (unread, pipelined, streams)
    });
}

/// The pages are read from the store, and their JSON is six times as large as the names in it.
#[test]
fn six_thousand_requests_for_large_pages_do_not_delay_other_clients() {
    const CONNECTIONS: usize = 600;
    const REQUESTS: usize = 10;
    const PETS: usize = 60;
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let name = r"\u0001".repeat(10_900);
    let pet = format!(r#"{{"name":"{name}","categoryId":7}}"#);
    let request = Request::post("/v1/pets", pet).key(&attacked.service.key);
    for _ in 0..PETS {
        assert_eq!(attacked.probe(&request).status(), Some(201));
    }
    let page = Request::get(LARGEST_PAGE)
        .key(&attacked.service.key)
        .header("Accept-Encoding", "gzip");
    let requests = page.bytes().repeat(REQUESTS);
    let watch = attacked.watch();
    let open = |_| {
        let mut stream = attack::connect(attacked.service.address).ok()?;
        stream.write_all(&requests).ok()?;
        Some(stream)
    };
    let streams: Vec<_> = (0..CONNECTIONS).filter_map(open).collect();
    let mut buffer = vec![0; 64 << 10];
    let mut responses = 0;
    for mut stream in streams {
        let mut read = 0;
        while read < REQUESTS
            && let Ok(bytes @ 1..) = stream.read(&mut buffer)
        {
            let text = String::from_utf8_lossy(&buffer[..bytes]);
            read += text.matches("HTTP/1.1 ").count();
        }
        responses += read;
    }
    let report = watch.end();
    println!("{responses} responses");
    report.assert_served("requests for large pages");
    attacked.assert_memory_is_bounded("requests for large pages");
    assert!(responses > CONNECTIONS, "{responses} responses");
}

/// The responses are small, and there are as many as there are streams.
#[test]
fn memory_is_bounded_under_sixty_thousand_http2_streams_with_a_zero_window() {
    const CONNECTIONS: usize = 600;
    const STREAMS: usize = 100;
    let _alone = alone();
    let attacked = Attacked::start(&[], &STALL);
    let (address, key) = (attacked.service.address, attacked.service.key.as_str());
    assert_survived(&attacked, "60,000 streams with the window 0", || {
        // A connection may be closed while it still sends.
        let open = |_| {
            let stream = attack::connect(address).ok()?;
            attack::without_window(stream, "/v1/pets?limit=1", key, STREAMS).ok()
        };
        (0..CONNECTIONS).map(open).collect::<Vec<_>>()
    });
}

/// The responses to `HEAD` have no content that a client would have to read.
#[test]
fn large_pages_on_many_connections_do_not_delay_other_clients() {
    const CONNECTIONS: usize = 200;
    const REQUESTS: usize = 2;
    const LEAST: usize = 50;
    let _alone = alone();
    let one_thread = [("TOKIO_WORKER_THREADS", "1")];
    let attacked = Attacked::start(&[], &one_thread);
    let service = &attacked.service;
    let name = "x".repeat(2_500);
    for _ in 0..100 {
        service.add(&name, Some("available"));
    }
    let page = Request::new("HEAD", LARGEST_PAGE)
        .key(&service.key)
        .header("Accept-Encoding", "gzip");
    let other = Request::get("/v1/pets/1").key(&attacked.other_key).bytes();
    let mut normal = service.connect();
    let mut hostile: Vec<_> = (0..CONNECTIONS).map(|_| service.connect()).collect();
    // The first response shows the service that the other responses of the connection are large.
    for connection in &mut hostile {
        connection.write(page.bytes());
        assert_eq!(connection.head().0, 200);
    }
    for connection in &mut hostile {
        connection.write(page.bytes().repeat(REQUESTS));
    }
    thread::scope(|scope| {
        let responses = scope.spawn(move || {
            let heads = hostile
                .iter_mut()
                .map(|connection| (0..REQUESTS).filter(|_| connection.head().0 == 200).count());
            heads.sum::<usize>()
        });
        let mut served = 0;
        while !responses.is_finished() {
            normal.write(&other);
            assert_eq!(normal.response().status, 200);
            served += 1;
        }
        let pages = responses.join().expect("no panic");
        println!("{served} other requests during {pages} pages");
        assert!(
            served >= LEAST,
            "{served} other requests during {pages} pages"
        );
    });
}

/// All requests share the content of a document, but not the buffers of its streams.
#[test]
fn unread_documents_count_towards_the_response_budget() {
    const CONNECTIONS: usize = 20;
    const STREAMS: usize = 50;
    /// The budget has room for this many responses, if each is counted with the part that is passed
    /// on.
    const MOST: usize = 400;
    /// While connections are opened, none is disconnected and no share is returned.
    const LONG_STALL: [(&str, &str); 2] = [
        ("PETSTORE_RESPONSE_STALL_SECONDS", "120"),
        ("PETSTORE_IDLE_SECONDS", "120"),
    ];
    let _alone = alone();
    let attacked = Attacked::start(&[], &LONG_STALL);
    let address = attacked.service.address;
    let open = |_| {
        let stream = attack::connect(address).expect("it listens");
        attack::without_window(stream, "/docs/scalar.js", "", STREAMS).ok()
    };
    let mut connections: Vec<_> = (0..CONNECTIONS).filter_map(open).collect();
    let mut sent = 0;
    // Their shares are not returned before the last response is counted.
    for connection in &mut connections {
        let is_head = |frame: &frames::Frame| frame.kind == frames::HEADERS;
        let heads = (0..STREAMS).map_while(|_| connection.receive_until(is_head).ok());
        let heads: Vec<_> = heads.collect();
        // A connection is closed if its responses find no room.
        if heads.len() == STREAMS {
            sent += heads.iter().filter(|head| frames::is_ok(head)).count();
        }
    }
    assert!((1..=MOST).contains(&sent), "{sent} documents");
    drop(connections);
    // HTTP/1.1 has only one response per connection, so this client is served.
    let page = attacked.probe(&Request::get("/docs/scalar.js"));
    assert_eq!(page.status(), Some(200));
}

/// Requests whose responses need no window do not let other responses stay unread for longer.
#[test]
fn http2_streams_with_a_zero_window_are_closed_and_other_streams_continue() {
    let _alone = alone();
    let attacked = Attacked::start(&[], &STALL);
    let (address, key) = (attacked.service.address, attacked.service.key.as_str());
    let stream = attack::connect(address).expect("it listens");
    let mut connection =
        attack::without_window(stream, "/v1/pets?limit=1", key, 60).expect("requests can be sent");
    let authorization = format!("Bearer {key}");
    let mut without_body = frames::get("/v1/pets?limit=1", &authorization);
    without_body[0].1 = "HEAD";
    let (begin, mut sent, mut is_cut_off) = (Instant::now(), 0, false);
    while !is_cut_off && begin.elapsed() < CUT_OFF {
        thread::sleep(Duration::from_millis(200));
        sent += 1;
        is_cut_off = connection.request(&without_body).is_err();
    }
    let time = begin.elapsed();
    println!("after {time:?} and {sent} requests: is it cut off? {is_cut_off}");
    assert!(is_cut_off, "it is still open after {time:?}");
}

/// A slow client is not hostile: it reads something from time to time.
#[test]
fn a_client_that_reads_slowly_gets_its_pages() {
    const PAGES: usize = 16;
    let _alone = alone();
    let attacked = Attacked::start(&LIMITS, &STALL);
    fill(&attacked);
    let mut stream = attack::connect(attacked.service.address).expect("it listens");
    let list = Request::get("/v1/pets?limit=2").key(&attacked.service.key);
    let requests = list.bytes().repeat(PAGES);
    stream.write_all(&requests).expect("they fit the buffers");
    // In total this is longer than the time after which a client that reads nothing is
    // disconnected.
    let mut buffer = vec![0; NAME_BYTES];
    // A page contains one pet of this size.
    for _ in 0..PAGES {
        thread::sleep(Duration::from_millis(500));
        stream.read_exact(&mut buffer).expect("it is not cut off");
    }
}

//! Tests floods of HTTP/2 frames, on connections without TLS.

use crate::{
    alone, attack,
    attacked::{Attacked, until},
    frames::{self, Http2, frame},
};
use std::{
    io,
    net::TcpStream,
    time::{Duration, Instant},
};

/// Browsers need this many streams.
const STREAMS: u32 = 100;
/// The length of a flood, if the service does not end the connection.
const FLOOD: Duration = Duration::from_secs(2);
const CONNECTIONS: usize = 4;

fn open(attacked: &Attacked) -> Http2<TcpStream> {
    let stream = attack::connect(attacked.service.address).expect("it listens");
    let mut connection = Http2::begin(stream, &[]).expect("the preface can be sent");
    connection.settings().expect("settings come first");
    connection
}

#[test]
fn an_http2_connection_has_at_most_a_hundred_streams() {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let stream = attack::connect(attacked.service.address).expect("it listens");
    let mut connection = Http2::begin(stream, &[]).expect("the preface can be sent");
    let settings = connection.settings().expect("settings come first");
    let streams = settings.get(&frames::MAX_CONCURRENT_STREAMS);
    println!("at most {streams:?} streams");
    assert!(
        streams.is_some_and(|streams| *streams <= STREAMS),
        "{settings:?}"
    );
    let authorization = format!("Bearer {}", attacked.service.key);
    let request = connection.request(&frames::get("/v1/pets", &authorization));
    let request = request.expect("it can be sent");
    let response = connection
        .receive_until(|frame| frame.stream == request && frame.kind == frames::HEADERS)
        .expect("a response");
    assert!(frames::is_ok(&response), "{response:?}");
}

/// Otherwise the service would have to keep the stream while it waits for the rest of the body.
#[test]
fn an_http2_stream_without_a_valid_key_is_reset_at_once_if_the_request_budget_is_full() {
    const PINGS: usize = 10;
    let attacked = Attacked::start(&["--request-budget-bytes", "1"], &[]);
    let mut connection = open(&attacked);
    let mut fields = frames::get("/v1/pets", "Bearer x");
    fields[0].1 = "POST";
    let head = frame(
        frames::HEADERS,
        frames::END_HEADERS,
        1,
        &frames::head(&fields),
    );
    connection.send(&head).expect("it can be sent");
    let end = connection
        .receive_until(|frame| frame.stream == 1 && frame.flags & frames::END_STREAM != 0);
    end.expect("a response");
    let mut kinds = Vec::new();
    while !kinds.contains(&frames::RST_STREAM) {
        let pings = kinds.iter().filter(|kind| **kind == frames::PING).count();
        assert!(pings < PINGS, "the stream is open: {kinds:?}");
        let ping = frame(frames::PING, 0, 0, &[0; 8]);
        connection.send(&ping).expect("it can be sent");
        let before = kinds.len();
        while kinds.last() != Some(&frames::PING) || kinds.len() == before {
            kinds.push(connection.receive().expect("a frame").kind);
        }
    }
}

#[test]
fn a_host_that_differs_from_the_authority_is_rejected() {
    let attacked = Attacked::start(&[], &[]);
    let authorization = format!("Bearer {}", attacked.service.key);
    // The indexes of `:status: 200` and `:status: 400`.
    for (host, status) in [("test", 0x88), ("TEST:80", 0x88), ("other", 0x8c)] {
        let mut connection = open(&attacked);
        let fields = [
            &frames::get("/v1/pets", &authorization)[..],
            &[("host", host)],
        ];
        let request = connection.request(&fields.concat());
        let request = request.expect("it can be sent");
        let response = connection
            .receive_until(|frame| frame.stream == request && frame.kind == frames::HEADERS)
            .expect("a response");
        assert_eq!(response.payload.first(), Some(&status), "{host}");
    }
}

/// Repeatedly sends the same bytes on several connections, until the service ends them or the time
/// is over. Other clients must be served meanwhile.
fn assert_flood_is_survived(
    what: &str,
    mut flood: impl FnMut(&mut Http2<TcpStream>) -> io::Result<usize>,
) {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let watch = attacked.watch();
    let mut connections: Vec<_> = (0..CONNECTIONS).map(|_| open(&attacked)).collect();
    let begin = Instant::now();
    let (mut sent, mut ended) = (0, 0);
    while begin.elapsed() < FLOOD {
        for connection in &mut connections {
            match flood(connection) {
                Ok(count) => sent += count,
                Err(_) => {
                    ended += 1;
                    *connection = open(&attacked);
                }
            }
        }
    }
    println!("{what}: {sent} frames; {ended} connections were ended, or not read by the service");
    watch.end().assert_served(what);
    attacked.assert_memory_is_bounded(what);
    assert!(sent > 0);
}

#[test]
fn streams_that_are_opened_and_cancelled_do_not_stop_the_service() {
    assert_flood_is_survived("rapid reset", |connection| {
        for _ in 0..50 {
            let stream = connection.request(&frames::get("/v1/pets", "Bearer x"))?;
            connection.cancel(stream)?;
        }
        drain(connection)?;
        Ok(100)
    });
}

#[test]
fn an_endless_head_does_not_stop_the_service() {
    let mut is_begun = false;
    let part = frame(
        frames::CONTINUATION,
        0,
        1,
        &frames::head(&[("x", &"y".repeat(16_000))]),
    );
    let begin = frame(
        frames::HEADERS,
        frames::END_STREAM,
        1,
        &frames::head(&frames::get("/v1/pets", "Bearer x")[..4]),
    );
    assert_flood_is_survived("CONTINUATION", |connection| {
        if !is_begun {
            connection.send(&begin)?;
        }
        is_begun = true;
        let sent = connection.send(&part);
        is_begun = sent.is_ok();
        sent.map(|()| 1)
    });
}

#[test]
fn a_flood_of_unread_pings_does_not_stop_the_service() {
    let pings = frame(frames::PING, 0, 0, &[0; 8]).repeat(500);
    assert_flood_is_survived("PING", |connection| {
        send_some(connection, &pings)?;
        Ok(500)
    });
}

#[test]
fn a_flood_of_unread_settings_frames_does_not_stop_the_service() {
    let settings = frame(frames::SETTINGS, 0, 0, &[]).repeat(500);
    assert_flood_is_survived("SETTINGS", |connection| {
        send_some(connection, &settings)?;
        Ok(500)
    });
}

/// The library that reads frames logs a warning if a client makes too many streams fail.
#[test]
fn invalid_frames_are_not_logged() {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let mut depends_on_itself = 1001_u32.to_be_bytes().to_vec();
    depends_on_itself.push(5);
    let wrong = frame(frames::PRIORITY, 0, 1001, &depends_on_itself).repeat(2000);
    let mut connection = open(&attacked);
    // The service ends the connection.
    let _ = send_some(&mut connection, &wrong);
    let connection = std::cell::RefCell::new(connection);
    let is_ended = until(Duration::from_secs(20), || {
        drain(&mut connection.borrow_mut()).is_err()
    });
    assert!(is_ended);
    let log = attacked.service.log.text();
    assert!(!log.contains("h2::"), "{log}");
}

/// Sends frames. The service may leave some of them in the socket for a while.
fn send_some(connection: &mut Http2<TcpStream>, frames: &[u8]) -> io::Result<()> {
    let patience = Duration::from_millis(200);
    connection.stream.set_write_timeout(Some(patience))?;
    connection.send(frames)
}

/// Reads the data that has arrived.
fn drain(connection: &mut Http2<TcpStream>) -> io::Result<()> {
    connection.stream.set_nonblocking(true)?;
    let mut buffer = [0; 65_536];
    let read = loop {
        match io::Read::read(&mut connection.stream, &mut buffer) {
            Ok(0) => break Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    connection.stream.set_nonblocking(false)?;
    read
}

//! Tests streams as `book/src/toolkit/streams.md` describes them, over a socket that is read while the items arrive.

use super::{Archive, client::Error};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

/// `ada:the-password`
const USER: &str = "authorization: Basic YWRhOnRoZS1wYXNzd29yZA==";
const WATCH: &str = "GET /v1/records/events";
const EXPORT: &str = "GET /v1/records/export";

/// Adds records to the database of a running archive.
fn insert(archive: &Archive, titles: impl Iterator<Item = String>) {
    let file = archive.folder.path().join("archive.db");
    let mut db = rusqlite::Connection::open(file).expect("the program made it");
    let all = db.transaction().expect("it begins");
    for title in titles {
        all.execute("INSERT INTO record (title, text) VALUES (?1, '')", [title])
            .expect("it is added");
    }
    all.commit().expect("it ends");
}

/// A response that is read while it arrives.
struct Reading(BufReader<TcpStream>);

impl Reading {
    fn start(archive: &Archive, request: &str, headers: &[&str]) -> Self {
        let address = archive.base.trim_start_matches("http://");
        let address = address.split('/').next().expect("an address");
        let mut stream = TcpStream::connect(address).expect("the service listens");
        let time = Some(Duration::from_secs(60));
        stream.set_read_timeout(time).expect("it is not zero");
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let request = format!("{request} HTTP/1.1\r\nhost: {address}\r\n{USER}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).expect("it is read");
        Reading(BufReader::new(stream))
    }

    /// Reads up to a line with this text.
    fn until(&mut self, wanted: &str) -> String {
        let mut read = String::new();
        loop {
            let mut line = String::new();
            let count = self.0.read_line(&mut line).expect("a line");
            assert!(count > 0, "{wanted} is missing: {read}");
            read.push_str(&line);
            if line.contains(wanted) {
                return read;
            }
        }
    }

    fn rest(mut self) -> String {
        let mut rest = Vec::new();
        let _broken = self.0.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// Waits until the metrics contain this line.
fn until_metrics_have(archive: &Archive, wanted: &str) {
    let end = Instant::now() + Duration::from_secs(60);
    let admin = archive.admin();
    loop {
        let metrics = super::send_to(&admin, "GET /metrics", &[]);
        if metrics.lines().any(|line| line == wanted) {
            return;
        }
        assert!(Instant::now() < end, "{wanted} is missing: {metrics}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn archive(arguments: &[&str]) -> Archive {
    Archive::start("http://127.0.0.1:1/keys", arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn events_arrive_while_the_stream_is_open_until_the_server_stops() {
    let mut archive = archive(&["--stream-heartbeat-seconds=1"]);
    archive.add("Atlas", "").await;
    let mut first = Reading::start(&archive, WATCH, &[]);
    let head = first.until("data");
    for line in [
        "HTTP/1.1 200 OK",
        "content-type: text/event-stream",
        "x-accel-buffering: no",
    ] {
        assert!(head.contains(line), "{head}");
    }
    assert!(
        head.ends_with("id: 1\ndata: {\"id\":1,\"title\":\"Atlas\"}\n"),
        "{head}"
    );
    first.until(":\n");
    archive.add("Globe", "").await;
    let event = first.until("data");
    assert!(
        event.ends_with("id: 2\ndata: {\"id\":2,\"title\":\"Globe\"}\n"),
        "{event}"
    );
    // A client that reconnects gets the items that it has missed.
    let mut second = Reading::start(&archive, WATCH, &["last-event-id: 1"]);
    assert!(second.until("data").contains("id: 2\n"));
    until_metrics_have(&archive, "archive_streams_in_use 2");
    let id = Pid::from_child(&archive.child);
    kill_process(id, Signal::TERM).expect("it runs");
    for reading in [first, second] {
        let rest = reading.rest();
        assert!(
            rest.ends_with("\r\n0\r\n\r\n"),
            "it ends as a whole: {rest}"
        );
    }
    assert!(archive.child.wait().expect("it ends").success());
}

#[test]
fn an_export_has_one_record_per_line() {
    let archive = archive(&[]);
    insert(&archive, (0..250).map(|number| format!("title {number}")));
    let response = archive.send(EXPORT, &[USER, "accept-encoding: gzip"]);
    assert!(
        response.contains("content-type: application/jsonl"),
        "{response}"
    );
    let lines = response.lines().filter(|line| line.starts_with("{\"id\""));
    assert_eq!(lines.count(), 250);
    assert!(response.ends_with("\r\n0\r\n\r\n"), "{response}");
    until_metrics_have(&archive, "archive_streams_in_use 0");
}

#[test]
fn streams_beyond_the_limit_of_a_key_are_rejected() {
    let archive = archive(&["--max-streams-per-key=1"]);
    let first = Reading::start(&archive, WATCH, &[]);
    until_metrics_have(&archive, "archive_streams_in_use 1");
    let second = archive.send(WATCH, &[USER]);
    assert!(second.starts_with("HTTP/1.1 503 "), "{second}");
    assert!(second.contains("too many streams are open"), "{second}");
    drop(first);
    until_metrics_have(&archive, "archive_streams_in_use 0");
    let mut third = Reading::start(&archive, WATCH, &[]);
    assert!(third.until("\r\n").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_stream_without_items_ends_after_the_idle_timeout() {
    let archive = archive(&["--stream-idle-seconds=1", "--stream-heartbeat-seconds=30"]);
    let reading = Reading::start(&archive, WATCH, &[]);
    assert!(reading.rest().ends_with("\r\n0\r\n\r\n"));
}

#[test]
fn a_client_that_does_not_read_is_disconnected_and_other_clients_are_served() {
    let archive = archive(&["--response-stall-seconds=1"]);
    // More than the buffers of both sockets hold.
    insert(
        &archive,
        (0..200_000).map(|number| format!("{number:0100}")),
    );
    let stalled: Vec<Reading> = (0..3)
        .map(|_| Reading::start(&archive, EXPORT, &[]))
        .collect();
    until_metrics_have(&archive, "archive_streams_in_use 3");
    let other = archive.send("GET /v1/records/1/content", &[USER]);
    assert!(other.starts_with("HTTP/1.1 200 "), "{other}");
    until_metrics_have(&archive, "archive_streams_in_use 0");
    for reading in stalled {
        let rest = reading.rest();
        assert!(
            !rest.ends_with("\r\n0\r\n\r\n"),
            "it was cut, and the client can tell"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_reads_events_and_lines() -> Result<(), Error> {
    let archive = archive(&[]);
    insert(&archive, ["Atlas", "Globe"].map(str::to_owned).into_iter());
    let (name, value) = USER.split_once(": ").expect("a header");
    let client = archive.client(name, value);
    let mut titles = Vec::new();
    let mut events = client.watch_records().send().await?.into_inner();
    while let Some(event) = events.next().await {
        titles.push(event?.data.title);
        if titles.len() == 2 {
            break;
        }
    }
    assert_eq!(titles, ["Atlas", "Globe"]);
    assert_eq!(events.last_event_id(), Some("2"));
    let mut lines = client.export_records().send().await?.into_inner();
    while let Some(record) = lines.next().await {
        titles.push(record?.title);
    }
    assert_eq!(titles, ["Atlas", "Globe", "Atlas", "Globe"]);
    Ok(())
}

//! Tests `examples/deploy/haproxy` in front of the service, for requests to which the service alone
//! would respond in another form or not at all. Without `haproxy`, these tests print that they are
//! skipped.

use crate::{
    haproxy::Haproxy,
    raw::{self, Connection, RawResponse, Request},
    scrape::Watched,
};
use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};
use test_support::{Need, skip};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// The proxy, with a service behind it.
struct Proxy {
    front: Haproxy,
    behind: Watched,
}

impl Proxy {
    /// `None` if HAProxy is not installed.
    fn start() -> Option<Self> {
        Self::front(Haproxy::start)
    }

    /// The same, with other values for the variables of the configuration.
    fn start_with(settings: &[(&str, &str)]) -> Option<Self> {
        Self::front(|behind| Haproxy::start_with(behind, settings))
    }

    fn front(start: impl FnOnce(&[(SocketAddr, u16)]) -> Haproxy) -> Option<Self> {
        if !Haproxy::is_installed() {
            skip(Need::Haproxy, "HAProxy is not installed");
            return None;
        }
        let behind = Watched::start();
        let front = start(&[(behind.service.address, behind.admin.port())]);
        Some(Proxy { front, behind })
    }

    fn send(&self, request: &Request) -> RawResponse {
        raw::send(self.front.address, request)
    }

    fn key(&self) -> &str {
        &self.behind.service.key
    }

    #[track_caller]
    fn serves(&self) {
        let response = self.send(&Request::get("/v1/pets").key(self.key()));
        assert_eq!(response.status, 200, "{response:?}");
    }
}

/// An error that the proxy itself creates, whose status has no code in the catalogue.
#[track_caller]
fn assert_status_of_its_own(response: &RawResponse, status: u16) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.header("x-request-id").map(str::len), Some(36));
    let body = response.json();
    assert_eq!(body["code"], "invalid_request", "{response:?}");
    assert_eq!(body["status"], status, "{response:?}");
    assert!(response.message().len() > 10);
}

#[test]
fn a_request_through_the_proxy_has_the_id_of_the_service() {
    let Some(proxy) = Proxy::start() else { return };
    let body = r#"{"name": "Rex", "categoryId": 7}"#;
    let response = proxy.send(&Request::post("/v1/pets", body).key(proxy.key()));
    assert_eq!(response.status, 201, "{response:?}");
    let id = response.header("x-request-id").expect("one id");
    proxy.behind.service.log.wait_for(id);
    proxy
        .send(&Request::get("/v1/pets"))
        .assert_error(401, "unauthorized");
    proxy.serves();
}

#[test]
fn errors_of_the_proxy_and_of_the_service_have_the_error_body() {
    let Some(proxy) = Proxy::start() else { return };
    for method in ["FOO", "TRACE"] {
        let response = proxy.send(&Request::new(method, "/v1/pets").key(proxy.key()));
        response.assert_error(405, "method_not_allowed");
    }
    let response = proxy.send(&Request::new("CONNECT", "localhost:80"));
    response.assert_error(405, "method_not_allowed");
    for path in [
        "/v1/%ff",
        "/v1/pets/..",
        "/v1/./pets",
        "/v1/pets/%2e%2E/x",
        "/v1/pets/%c3%28",
    ] {
        let response = proxy.send(&Request::get(path).key(proxy.key()));
        response.assert_error(404, "not_found");
    }
    for length in [9_000, 70_000] {
        let target = format!("/v1/pets?x={}", "a".repeat(length));
        assert_status_of_its_own(&proxy.send(&Request::get(&target)), 414);
    }
    let many = (0..150).fold(Request::get("/v1/pets"), |request, number| {
        request.header(&format!("x-{number}"), "a")
    });
    assert_status_of_its_own(&proxy.send(&many), 431);
    let long = Request::get("/v1/pets").header("x-long", &"a".repeat(50_000));
    assert_status_of_its_own(&proxy.send(&long), 431);
    proxy.serves();
}

#[test]
fn a_body_with_a_too_large_content_length_is_rejected_before_it_is_read() {
    let Some(proxy) = Proxy::start() else { return };
    let request = Request::new("POST", "/v1/pets").header("Content-Length", "65537");
    let response = proxy.send(&request);
    response.assert_error(413, "payload_too_large");
    proxy.serves();
}

#[test]
fn connections_without_http_are_closed_without_a_response() {
    let Some(proxy) = Proxy::start() else { return };
    for bytes in [
        &b"\x00\x01\x02\r\n\r\n"[..],
        b"GET /v1/pets HTTP/1.1\r\nHost: test\r\nno header\r\n\r\n",
        b"POST /v1/pets HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"GET /v1/\xff HTTP/1.1\r\nHost: test\r\n\r\n",
    ] {
        let mut connection = Connection::open(proxy.front.address);
        connection.write(bytes);
        assert!(connection.is_closed(), "{:?}", String::from_utf8_lossy(bytes));
    }
    proxy.serves();
}

#[test]
fn silent_and_slow_sockets_are_closed_in_seconds() {
    let short = [
        ("PETSTORE_PROXY_HEAD_TIMEOUT", "500ms"),
        ("PETSTORE_PROXY_BODY_TIMEOUT", "500ms"),
    ];
    let Some(proxy) = Proxy::start_with(&short) else {
        return;
    };
    let sockets = ["", "GET /v1/pets HT", "PRI * HTTP/2.0\r\n\r\nS"].map(|begin| {
        let mut connection = Connection::open(proxy.front.address);
        connection.write(begin);
        connection
    });
    let mut dripping = Connection::open(proxy.front.address);
    dripping.write(
        Request::new("POST", "/v1/pets")
            .header("Content-Type", "application/json")
            .header("Content-Length", "1000")
            .key(proxy.key())
            .bytes(),
    );
    dripping.write("{");
    proxy.serves();
    for mut socket in sockets {
        assert!(socket.is_closed());
    }
    dripping.response().assert_error(408, "request_timeout");
    proxy.serves();
}

#[test]
fn a_client_that_does_not_read_the_response_is_disconnected() {
    /// Longer than the proxy's `timeout client`.
    const PAUSE: Duration = Duration::from_secs(2);
    /// More than all buffers along the way can hold.
    const ANSWERS: usize = 16;
    let short = [("PETSTORE_PROXY_CLIENT_TIMEOUT", "500ms")];
    let Some(proxy) = Proxy::start_with(&short) else {
        return;
    };
    let viewer = Request::get("/docs/scalar.js");
    let all = proxy.send(&viewer).body.len() * ANSWERS;
    let mut stream = TcpStream::connect(proxy.front.address).expect("the proxy listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("not none");
    stream
        .write_all(&viewer.bytes().repeat(ANSWERS))
        .expect("taken");
    proxy.serves();
    thread::sleep(PAUSE);
    // Bytes in transit still arrive; then the connection ends in one way or another.
    let mut rest = Vec::new();
    let end = stream.read_to_end(&mut rest);
    let waited = |error: &io::Error| error.kind() == io::ErrorKind::WouldBlock;
    assert!(!end.as_ref().is_err_and(waited), "still open: {end:?}");
    assert!(rest.len() < all, "{} of {all}", rest.len());
    proxy.serves();
}

/// Returns a connection on which a request got its response, or `None` if the proxy closed the
/// connection.
fn served(proxy: &Proxy) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(proxy.front.address).expect("the proxy listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("not none");
    let request = Request::get("/v1/openapi.yaml").bytes();
    let answered = stream.write_all(&request).and_then(|()| {
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).map(|()| begin)
    });
    answered
        .is_ok_and(|begin| &begin == b"HTTP/1.1 200")
        .then_some(stream)
}

#[test]
fn the_connections_of_one_source_are_limited() {
    const MOST: usize = 5;
    let few = [("PETSTORE_PROXY_SOURCE_CONNECTIONS", "5")];
    let Some(proxy) = Proxy::start_with(&few) else {
        return;
    };
    // The proxy notices the end of a connection a moment later.
    let hold_all = || {
        let begin = Instant::now();
        let mut held = Vec::new();
        while held.len() < MOST {
            held.extend(served(&proxy));
            assert!(begin.elapsed() < PATIENCE, "only {} are held", held.len());
        }
        held
    };
    let held = hold_all();
    assert!(served(&proxy).is_none(), "one more is served");
    drop(held);
    hold_all();
}

#[test]
fn the_requests_of_one_source_are_limited() {
    let few = [("PETSTORE_PROXY_SOURCE_REQUESTS", "5")];
    let Some(proxy) = Proxy::start_with(&few) else {
        return;
    };
    let ask = || proxy.send(&Request::get("/v1/openapi.yaml"));
    // The connection that checked whether the proxy is ready also counts.
    let answered = (0..=5).take_while(|_| ask().status == 200).count();
    assert!((1..=5).contains(&answered), "{answered}");
    let response = ask();
    response.assert_error(429, "rate_limited");
    assert_eq!(response.header("retry-after"), Some("10"));
}

#[test]
fn the_proxy_responds_with_an_error_body_while_no_service_runs() {
    let Some(mut proxy) = Proxy::start() else {
        return;
    };
    proxy.serves();
    proxy.behind.service.signal(rustix::process::Signal::KILL);
    proxy.behind.service.ended();
    let response = proxy.send(&Request::get("/v1/pets").key("any"));
    response.assert_error(503, "unavailable");
}

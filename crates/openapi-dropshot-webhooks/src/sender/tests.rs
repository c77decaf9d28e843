//! Tests sending, with a receiver on this machine.

use super::*;
use crate::test_receiver::{raw_receiver, receiver, status};
use http::Response as HttpResponse;
use http_body_util::Full;
use std::sync::Mutex;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

fn sender(timeout: Duration) -> Sender {
    let rules = EgressRules {
        allow_http: true,
        allowed_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        proxy: None,
    };
    Sender::new(rules, timeout, "tests/1").expect("a sender")
}

async fn send(url: impl fmt::Display) -> Sent {
    let sender = sender(Duration::from_secs(30));
    let url = url.to_string();
    timeless(sender.send(&url, HeaderMap::new(), "{}".into()).await)
}

/// The result without its duration.
fn timeless(sent: Sent) -> Sent {
    Sent {
        duration: Duration::ZERO,
        ..sent
    }
}

fn delivered(status: u16, body: &[u8]) -> Sent {
    Sent {
        status: Some(status),
        body: body.to_vec(),
        ..Sent::default()
    }
}

fn rejected(status: u16, failure: Failure) -> Sent {
    Sent {
        status: Some(status),
        ..Sent::failed(failure)
    }
}

#[tokio::test]
async fn a_message_arrives_with_its_headers_and_body() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let stored = Arc::clone(&requests);
    let address = receiver(move |request| {
        stored.lock().expect("no panic").push(request);
        async { HttpResponse::new(Full::from("accepted")) }
    })
    .await;
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", HeaderValue::from_static("evt_1"));
    let sender = sender(Duration::from_secs(30));
    let url = format!("http://{address}/hook");
    let sent = sender.send(&url, headers, r#"{"a":1}"#.into()).await;
    assert_eq!(timeless(sent), delivered(200, b"accepted"));
    let requests = requests.lock().expect("no panic");
    let [request] = &requests[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(
        (request.path.as_str(), &request.body[..]),
        ("/hook", &br#"{"a":1}"#[..])
    );
    for (name, value) in [
        ("webhook-id", "evt_1"),
        ("content-type", "application/json"),
        ("user-agent", "tests/1"),
    ] {
        assert_eq!(request.headers[name], value);
    }
}

#[tokio::test]
async fn redirects_are_failures_and_not_followed() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let stored = Arc::clone(&requests);
    let address = receiver(move |request| {
        stored.lock().expect("no panic").push(request.path.clone());
        let code = request.path[1..].parse().expect("a status");
        let mut response = status(code);
        let location = HeaderValue::from_static("/200");
        response.headers_mut().insert("location", location);
        async { response }
    })
    .await;
    for code in [301, 302, 303, 307, 308] {
        let sent = send(format!("http://{address}/{code}")).await;
        assert_eq!(sent, rejected(code, Failure::Redirect));
    }
    assert_eq!(requests.lock().expect("no panic").len(), 5);
}

#[tokio::test]
async fn only_the_first_kilobyte_of_a_response_is_read() {
    // The response never ends, and the timeout of the sender is too long to end it.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.expect("a connection");
        let mut beginning = [0; 16];
        connection
            .read_exact(&mut beginning)
            .await
            .expect("a request");
        let response = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n{}",
            "a".repeat(3000)
        );
        connection
            .write_all(response.as_bytes())
            .await
            .expect("it is read");
        std::future::pending::<()>().await;
    });
    let sender = sender(Duration::from_secs(86_400));
    let url = format!("http://{address}/");
    let sending = sender.send(&url, HeaderMap::new(), "{}".into());
    let sent = tokio::time::timeout(Duration::from_secs(60), sending)
        .await
        .expect("it ends");
    assert_eq!(timeless(sent), delivered(200, &[b'a'; 1024]));
}

#[tokio::test]
async fn a_delivery_succeeds_if_the_status_arrives_even_if_the_body_is_interrupted() {
    let address = raw_receiver(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning").await;
    let sent = send(format!("http://{address}/")).await;
    assert_eq!(sent, delivered(200, b"beginning"));
}

#[tokio::test]
async fn each_failed_delivery_has_the_category_of_the_cause() {
    let silent = receiver(|_| std::future::pending()).await;
    let malformed = raw_receiver(b"SMTP ready\r\n\r\n").await;
    let closed = raw_receiver(b"").await;
    let rejecting = receiver(async |_| status(500)).await;
    let unused = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("its address")
    };
    let without_status = [
        (format!("http://{malformed}/"), Failure::Response),
        (format!("http://{closed}/"), Failure::Connection),
        (format!("http://{unused}/"), Failure::Connection),
        (format!("https://{malformed}/"), Failure::Tls),
        ("https://10.0.0.1/".to_owned(), Failure::Address),
        ("not a URL".to_owned(), Failure::Address),
    ];
    for (url, category) in without_status {
        assert_eq!(send(&url).await, Sent::failed(category), "{url}");
    }
    let url = format!("http://{silent}/");
    let sender = sender(Duration::from_millis(50));
    let sent = sender.send(&url, HeaderMap::new(), "{}".into()).await;
    assert_eq!(timeless(sent), Sent::failed(Failure::Timeout));
    let sent = send(format!("http://{rejecting}/")).await;
    assert_eq!(sent, rejected(500, Failure::Status));
}

#[tokio::test]
async fn localhost_is_resolved_and_rejected_unless_its_network_is_allowed() {
    let receiver = receiver(async |_| status(200)).await;
    let url = format!("http://localhost:{}/", receiver.port());
    assert_eq!(send(&url).await, delivered(200, b""));
    let rules = EgressRules {
        allow_http: true,
        ..EgressRules::default()
    };
    let sender = Sender::new(rules, Duration::from_secs(30), "tests").expect("a sender");
    let sent = sender.send(&url, HeaderMap::new(), "{}".into()).await;
    assert_eq!(timeless(sent), Sent::failed(Failure::Address));
}

#[tokio::test]
async fn a_proxy_receives_the_messages_and_may_have_a_private_address() {
    let proxy = receiver(async |_| status(202)).await;
    let rules = EgressRules {
        allow_http: true,
        proxy: Some(
            format!("http://localhost:{}", proxy.port())
                .parse()
                .expect("a URL"),
        ),
        ..EgressRules::default()
    };
    let sender = Sender::new(rules, Duration::from_secs(30), "tests").expect("a sender");
    let send = |url| sender.send(url, HeaderMap::new(), "{}".into());
    // Only the proxy resolves the name.
    let sent = send("http://no-such-host.invalid/hook").await;
    assert_eq!(timeless(sent), delivered(202, b""));
    let sent = send("http://10.0.0.1/hook").await;
    assert_eq!(timeless(sent), Sent::failed(Failure::Address));
}

#[test]
fn a_user_agent_or_a_proxy_that_is_not_valid_is_rejected() {
    let new = |proxy: Option<&str>, agent| {
        let rules = EgressRules {
            proxy: proxy.map(|proxy| proxy.parse().expect("a URL")),
            ..EgressRules::default()
        };
        Sender::new(rules, Duration::from_secs(15), agent)
    };
    assert!(matches!(
        new(None, "line\nbreak"),
        Err(InvalidSender::Client(_))
    ));
    for url in ["ftp://proxy.example", "socks5://proxy.example"] {
        assert!(
            matches!(new(Some(url), "tests"), Err(InvalidSender::Proxy)),
            "{url}"
        );
    }
}

#[test]
fn retry_after_is_read_as_seconds_or_a_date_for_statuses_that_ask_to_slow_down() {
    let read = |code: u16, pairs: &[(&'static str, &'static str)]| {
        let pairs = pairs.iter().map(|(name, value)| {
            (
                name.parse().expect("a name"),
                HeaderValue::from_static(value),
            )
        });
        let headers: HeaderMap = pairs.collect();
        retry_after(StatusCode::from_u16(code).expect("a status"), &headers)
    };
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    for code in [429, 502, 503, 504] {
        assert_eq!(read(code, &[("retry-after", "120")]), seconds(120));
    }
    assert_eq!(read(500, &[("retry-after", "120")]), None);
    assert_eq!(read(429, &[]), None);
    assert_eq!(read(429, &[("retry-after", "later")]), None);
    assert_eq!(read(429, &[("retry-after", "-1")]), None);
    let date = ("date", "Fri, 27 Nov 2026 08:00:00 GMT");
    assert_eq!(
        read(
            429,
            &[("retry-after", "Fri, 27 Nov 2026 08:01:30 GMT"), date]
        ),
        seconds(90)
    );
    assert_eq!(
        read(
            429,
            &[("retry-after", "Fri, 27 Nov 2026 07:00:00 GMT"), date]
        ),
        seconds(0)
    );
}

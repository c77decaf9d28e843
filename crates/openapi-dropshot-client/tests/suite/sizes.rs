//! Tests the limit of the response size, with a service that sends as much as the client accepts.

use crate::{
    generated::{CallOptions, Client, ClientBuilder, ErrorKind, RequestBody, RetryPolicy},
    service::{KEY, REX, Service, json},
};
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::{Request, Response};
use http_body_util::StreamBody;
use std::{
    convert::Infallible,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    thread::{self, JoinHandle},
};

const MIB: u64 = 1 << 20;
/// If the client does not stop the service, it stops after this many bytes.
const MOST_SENT: u64 = 512 * MIB;
/// How many sent bytes may be in the buffers of the operating system without being read.
const IN_SOCKETS: u64 = 32 * MIB;

/// Starts a service that sends this head to its only connection, and then JSON in chunks as long as the client accepts
/// them. The thread returns how many bytes were sent.
fn endless(head: &str) -> (String, JoinHandle<u64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let head = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
    let service = thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let mut request = BufReader::new(connection.try_clone().expect("a handle"));
        let mut line = String::new();
        while request.read_line(&mut line).is_ok_and(|length| length > 2) {
            line.clear();
        }
        let blanks = " ".repeat(0x1_0000);
        let chunk = format!("10000\r\n{blanks}\r\n");
        let mut sent = 0;
        connection.write_all(head.as_bytes()).expect("it is read");
        while sent < MOST_SENT && connection.write_all(chunk.as_bytes()).is_ok() {
            sent += chunk.len() as u64;
        }
        sent
    });
    (format!("http://{address}/v1"), service)
}

fn chunked(kind: &str) -> String {
    format!("content-type: {kind}\r\ntransfer-encoding: chunked")
}

fn builder(base_url: &str) -> ClientBuilder {
    Client::builder(base_url)
        .api_key(KEY)
        .retry(RetryPolicy::never())
}

fn client(base_url: &str) -> Client {
    builder(base_url).build().expect("it is valid")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_response_is_read_up_to_64_mib() {
    // A body whose media type is not `application/json` is read later.
    for kind in ["application/json", "text/json"] {
        let (base_url, service) = endless(&chunked(kind));
        let error = client(&base_url).list_books().send().await;
        let error = error.expect_err("it is too large");
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
        assert_eq!(error.status(), Some(200));
        assert!(error.was_sent() && !error.is_retryable());
        assert_eq!(
            error.to_string(),
            "the response has more than 67108864 bytes, the limit of this client, and was not read; if responses of this size \
             are expected, raise the limit with `max_response_bytes`"
        );
        let sent = service.join().expect("it ends");
        assert!(sent < 64 * MIB + IN_SOCKETS, "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_with_a_too_large_content_length_is_not_read() {
    for (length, limit) in [("10000000000", 64 * MIB), ("1048577", MIB)] {
        let head = format!("content-type: application/json\r\ncontent-length: {length}");
        let (base_url, service) = endless(&head);
        let client = builder(&base_url).max_response_bytes(limit).build();
        let error = client.expect("it is valid").list_books().send().await;
        assert_eq!(
            error.expect_err("it is too large").kind(),
            ErrorKind::TooLarge
        );
        let sent = service.join().expect("it ends");
        assert!(sent < IN_SOCKETS, "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_can_have_its_own_size_limit() {
    let page = format!("[{REX}]");
    let exact = page.len() as u64;
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let (start, end) = page.split_at(20);
    let chunked = format!(
        "{head}transfer-encoding: chunked\r\n\r\n14\r\n{start}\r\n{:x}\r\n{end}\r\n0\r\n\r\n",
        end.len()
    );
    let until_close = format!("{head}\r\n{page}");
    for response in [json("200 OK", &[], &page), chunked, until_close] {
        let service = Service::responding(vec![response; 4]).await;
        let small = builder(&service.base_url()).max_response_bytes(exact - 1);
        let small = small.build().expect("it is valid");
        let list = |bytes| {
            let options = CallOptions::new().max_response_bytes(bytes);
            small.list_books().with(options)
        };
        let books = list(exact).send().await.expect("it just fits");
        assert_eq!(books.raw_body().as_ref(), page.as_bytes());
        for error in [
            small
                .list_books()
                .send()
                .await
                .expect_err("it is too large"),
            list(exact - 1).send().await.expect_err("it is too large"),
            list(exact - 1)
                .stream()
                .try_collect::<Vec<_>>()
                .await
                .expect_err("it is too large"),
        ] {
            assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_counts_bytes_after_decompression() {
    // The transport of the application decompresses the body, but keeps the headers of the compressed response.
    let service = tower::service_fn(|_: Request<RequestBody>| async {
        let blanks = Bytes::from(vec![b' '; 0x1_0000]);
        let frames =
            stream::repeat(blanks).map(|chunk| Ok::<_, Infallible>(http_body::Frame::data(chunk)));
        let body = frames.take((MOST_SENT / 0x1_0000) as usize);
        let response = Response::builder()
            .header("content-type", "application/json")
            .header("content-encoding", "gzip")
            .header("content-length", "100");
        Ok::<_, Infallible>(response.body(StreamBody::new(body)).expect("a response"))
    });
    let client = Client::builder("http://books.example/v1").transport(service);
    let client = client.build().expect("it is valid");
    let error = client.list_books().send().await;
    let error = error.expect_err("it is too large");
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_the_application_reads_as_it_arrives_has_no_limit() {
    for kind in ["text/plain", "application/json"] {
        let (base_url, service) = endless(&chunked(kind));
        let client = builder(&base_url).max_response_bytes(1000).build();
        let client = client.expect("it is valid");
        let shelf = client.read_shelf().shelf("a").send();
        let mut body = shelf.await.expect("a success").into_inner();
        let mut read = 0;
        while read < 2 * MIB {
            let chunk = body.next().await.expect("it has no end").expect("a chunk");
            read += chunk.len() as u64;
        }
        drop(body);
        service.join().expect("it ends");
    }
}

#[cfg(feature = "blocking")]
#[test]
fn blocking_calls_have_the_same_limit() {
    let (base_url, service) = endless(&chunked("application/json"));
    let client = builder(&base_url).max_response_bytes(MIB).build();
    let error = client.expect("it is valid").list_books().send_blocking();
    let error = error.expect_err("it is too large");
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
    let sent = service.join().expect("it ends");
    assert!(sent < MIB + IN_SOCKETS, "{sent}");
}

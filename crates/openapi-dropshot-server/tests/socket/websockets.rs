//! Tests operations that open a websocket.

use crate::{desk::Desk, start};
use openapi_dropshot_server::{Server, Stopped};
use std::{num::NonZeroUsize, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

async fn connect(server: &Server<Desk>) -> TcpStream {
    let stream = TcpStream::connect(server.address()).await;
    stream.expect("it listens")
}

/// Reads the head of a response.
async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a head"));
    }
    String::from_utf8(head).expect("a head is text")
}

/// Opens the websocket, with the key of RFC 6455, section 1.3.
async fn open(server: &Server<Desk>) -> TcpStream {
    let mut stream = connect(server).await;
    let request = "GET /echo HTTP/1.1\r\nHost: desk\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let written = stream.write_all(request.as_bytes()).await;
    written.expect("it is read");
    let head = head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    let accept = "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    assert!(head.contains(accept), "{head}");
    stream
}

async fn check_echo(stream: &mut TcpStream) {
    stream.write_all(b"hello").await.expect("it is read");
    let mut echo = [0; 5];
    let read = stream.read_exact(&mut echo).await;
    read.expect("the websocket is open");
    assert_eq!(&echo, b"hello");
}

#[tokio::test]
async fn a_websocket_carries_bytes_both_ways_until_the_service_ends() {
    let server = start(|_| {});
    let mut websocket = open(&server).await;
    check_echo(&mut websocket).await;
    let stopped = server.stop(Duration::from_secs(30)).await;
    assert_eq!(stopped, Stopped::Finished);
    let end = websocket.read(&mut [0]).await.expect("the end");
    assert_eq!(end, 0);
}

#[tokio::test]
async fn a_websocket_request_without_an_upgrade_is_rejected_with_400() {
    let server = start(|_| {});
    let (status, response) = crate::send(&server, &["GET /echo"], b"").await;
    assert_eq!(status, 400, "{response}");
    assert!(
        response.contains("expected connection upgrade"),
        "{response}"
    );
}

#[tokio::test]
async fn a_websocket_counts_towards_the_connection_limit_and_is_not_closed_to_make_room_for_others()
{
    let server = start(|setup| {
        setup.limits.max_connections = NonZeroUsize::new(2).expect("not 0");
    });
    let mut websocket = open(&server).await;
    let mut idle = connect(&server).await;
    let mut third = connect(&server).await;
    let request = b"GET /none HTTP/1.1\r\nHost: desk\r\n\r\n";
    third.write_all(request).await.expect("it is read");
    assert!(head(&mut third).await.starts_with("HTTP/1.1 404 "));
    // There is no room for both, whichever of the two has been idle longer.
    let end = idle.read(&mut [0]).await.expect("the end");
    assert_eq!(end, 0);
    check_echo(&mut websocket).await;
}

//! Tests the service over a socket, as its clients use it.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
};

/// One exchange: the status, and the body.
fn send(address: SocketAddr, method: &str, target: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    let length = body.len();
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .expect("the request can be sent");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the answer can be read");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).expect("a status");
    (status.parse().expect("a number"), body.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bookmarks_are_added_found_and_removed_by_the_rules_of_the_document() {
    let server = bookmarks::serve(([127, 0, 0, 1], 0).into()).expect("a port is free");
    let address = server.local_addr();
    let rust = r#"{"url":"https://rust-lang.org","tags":["code"]}"#;
    let added = r#"{"id":1,"url":"https://rust-lang.org","tags":["code"]}"#;

    let (status, body) = send(address, "POST", "/bookmarks", rust);
    assert_eq!(status, 201);
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let added: serde_json::Value = serde_json::from_str(added).expect("JSON");
    assert_eq!(body, added);
    let found = |tag: &str| {
        let (status, body) = send(address, "GET", &format!("/bookmarks?tag={tag}"), "");
        assert_eq!(status, 200, "{body}");
        body.contains("rust-lang")
    };
    assert!(found("code"));
    assert!(!found("tea"));

    // The document's rules, which no line of this crate repeats.
    for (method, target, body, status, words) in [
        (
            "POST",
            "/bookmarks",
            r#"{"url":"rust-lang.org"}"#,
            400,
            "must match",
        ),
        (
            "POST",
            "/bookmarks",
            r#"{"tags":[]}"#,
            400,
            "missing field `url`",
        ),
        ("GET", "/bookmarks?tag=Code", "", 400, "must match"),
        ("DELETE", "/bookmarks/one", "", 400, "bookmarkId"),
        ("DELETE", "/bookmarks/2", "", 404, "there is no bookmark 2"),
    ] {
        let (found, answer) = send(address, method, target, body);
        assert_eq!(found, status, "{method} {target}: {answer}");
        assert!(answer.contains(words), "{method} {target}: {answer}");
    }

    assert_eq!(send(address, "DELETE", "/bookmarks/1", "").0, 204);
    assert!(!found("code"));
    server.close().await.expect("the service stops");
}

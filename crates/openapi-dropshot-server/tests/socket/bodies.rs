//! Tests request bodies that are not JSON, and optional bodies.

use crate::{desk::Desk, send, start};
use openapi_dropshot_server::Server;
use std::num::NonZeroUsize;

const LARGEST: usize = 200;
const JSON: Option<&str> = Some("application/json");
const PARTS: Option<&str> = Some("multipart/form-data; boundary=end");
const TWO_PARTS: &[u8] = b"--end\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--end\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n{\r\n--end--\r\n";

fn service() -> Server<Desk> {
    start(|setup| {
        setup.limits.body_max_bytes = NonZeroUsize::new(LARGEST).expect("not 0");
    })
}

/// Sends a body with its length, and checks the status and the end of the response.
async fn check(
    server: &Server<Desk>,
    (path, media_type, content): (&str, Option<&str>, &[u8]),
    (status, end): (u16, &str),
) {
    let line = format!("POST {path}");
    let length = format!("Content-Length: {}", content.len());
    let media_type = media_type.map(|media_type| format!("Content-Type: {media_type}"));
    let mut lines = vec![line.as_str(), &length];
    lines.extend(media_type.as_deref());
    let (found, response) = send(server, &lines, content).await;
    let is_right = found == status && response.trim_end().ends_with(end);
    assert!(is_right, "{lines:?} {content:?}: {response}");
}

#[tokio::test]
async fn bodies_that_are_not_json_are_passed_to_the_handler() {
    let server = service();
    for (path, media_type, content, end) in [
        (
            "/bytes",
            "application/octet-stream",
            &[0, 255, 10][..],
            "read: [0, 255, 10]",
        ),
        ("/bytes", "Application/Octet-Stream", b"", "read: []"),
        ("/text", "text/plain; charset=utf-8", b"{", "read: [123]"),
        ("/image", "image/png", &[137], "read: [137]"),
        (
            "/form",
            "application/x-www-form-urlencoded",
            b"text=a+b%26",
            "read: a b&",
        ),
        (
            "/parts",
            PARTS.unwrap_or_default(),
            TWO_PARTS,
            "read: a=1&b={",
        ),
        ("/note", "application/json", br#"{"text":"x"}"#, "read: x"),
    ] {
        check(&server, (path, Some(media_type), content), (200, end)).await;
    }
}

#[tokio::test]
async fn the_type_and_the_size_of_bodies_that_are_not_json_are_checked() {
    let server = service();
    for (path, right) in [
        ("/bytes", "application/octet-stream"),
        ("/text", "text/plain"),
        ("/image", "image/png"),
        ("/form", "application/x-www-form-urlencoded"),
        ("/parts", "multipart/form-data; boundary=end"),
        ("/note", "application/json"),
        ("/optional-note", "application/json"),
    ] {
        for wrong in [Some("application/pdf"), None] {
            check(&server, (path, wrong, b"{}"), (415, "}")).await;
        }
        let large = [b'x'; LARGEST + 1];
        check(&server, (path, Some(right), &large), (413, "}")).await;
    }
    // A form without a required field, and parts without a boundary.
    let form = Some("application/x-www-form-urlencoded");
    check(&server, ("/form", form, b"a=1"), (400, "}")).await;
    let without_boundary = Some("multipart/form-data");
    check(&server, ("/parts", without_boundary, TWO_PARTS), (400, "}")).await;
}

#[tokio::test]
async fn invalid_json_is_rejected_with_400_in_required_and_in_optional_bodies() {
    let server = service();
    for path in ["/note", "/optional-note"] {
        for content in [
            &b"{"[..],
            b"{\"text\":\"\xff\"}",
            br#"{"text":"a","text":"b"}"#,
        ] {
            check(&server, (path, JSON, content), (400, "}")).await;
        }
    }
}

#[tokio::test]
async fn an_optional_body_may_be_absent() {
    let server = service();
    let note = br#"{"text":"x"}"#;
    check(&server, ("/optional-note", JSON, note), (200, "read: x")).await;
    for media_type in [JSON, None] {
        let absent = ("/optional-note", media_type, &b""[..]);
        check(&server, absent, (200, "absent")).await;
    }
    let (status, response) = send(&server, &["POST /optional-note"], b"").await;
    assert!(status == 200 && response.ends_with("absent"), "{response}");
    let chunked = ["POST /optional-note", "Transfer-Encoding: chunked"];
    let (status, response) = send(&server, &chunked, b"0\r\n\r\n").await;
    assert!(status == 200 && response.ends_with("absent"), "{response}");
    let (status, response) = send(&server, &chunked, b"2\r\n{}\r\n0\r\n\r\n").await;
    assert_eq!(status, 415, "{response}");
    // The other body is required.
    check(&server, ("/note", JSON, b""), (400, "}")).await;
    check(&server, ("/note", None, b""), (415, "}")).await;
}

#[tokio::test]
async fn an_error_from_the_server_has_the_body_that_the_document_declares_for_that_status() {
    let server = service();
    for (path, media_type, start) in [
        ("/form", "application/problem+json", r#"{"title":""#),
        ("/note", "application/json", r#"{"message":""#),
    ] {
        let lines = [
            &format!("POST {path}"),
            "Content-Type: application/pdf",
            "Content-Length: 0",
        ];
        let (status, response) = send(&server, &lines, b"").await;
        let (head, body) = response.split_once("\r\n\r\n").expect("a head and a body");
        assert_eq!(status, 415, "{response}");
        assert!(
            head.contains(&format!("content-type: {media_type}\r\n")),
            "{response}"
        );
        assert!(body.starts_with(start), "{response}");
        assert_eq!(
            body.contains(r#""status":415"#),
            path == "/form",
            "{response}"
        );
    }
}

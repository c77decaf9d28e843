//! Tests requests that a service of the application sends instead of reqwest.

use crate::clock::Passing;
use crate::generated::{BoxError, CallOptions, Client, ErrorKind, RequestBody, TransportError};
use crate::service::{KEY, REX};
use futures::TryStreamExt as _;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use std::time::Duration;

type Body = Full<bytes::Bytes>;

fn json(status: u16, body: &str) -> Result<Response<Body>, BoxError> {
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/json");
    Ok(response.body(Full::from(body.to_owned()))?)
}

#[tokio::test]
async fn calls_retries_and_pages_work_without_a_socket() {
    let number = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&number);
    let service = tower::service_fn(move |request: Request<RequestBody>| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        async move {
            assert_eq!(request.headers()["authorization"], format!("Bearer {KEY}"));
            assert!(request.headers().contains_key("user-agent"));
            match number {
                0 => Err(TransportError::connect("nobody is there").into()),
                1 => json(503, r#"{"code":"overloaded","message":"later"}"#),
                2 => {
                    let mut page = json(200, &format!("[{REX}]"))?;
                    let next = "<?cursor=a>; rel=next".parse()?;
                    page.headers_mut().insert("link", next);
                    Ok(page)
                }
                _ => {
                    assert_eq!(request.uri().query(), Some("cursor=a"));
                    json(200, &format!("[{REX},{REX}]"))
                }
            }
        }
    });
    let client = Client::builder("http://books.example/v1")
        .api_key(KEY)
        .clock(Passing::new())
        .transport(service)
        .build()
        .expect("it is valid");
    let books: Vec<_> = client
        .list_books()
        .stream()
        .try_collect()
        .await
        .expect("two pages");
    assert_eq!((books.len(), number.load(Ordering::Relaxed)), (3, 4));
}

#[tokio::test]
async fn a_custom_transport_receives_bodies_and_returns_streams() {
    let service = tower::service_fn(|request: Request<RequestBody>| async move {
        let sent = request.into_body().collect().await?.to_bytes();
        let text = Response::builder().header("content-type", "text/plain");
        if sent.is_empty() {
            return Ok::<_, BoxError>(text.body(Full::from("Emma Woodhouse"))?);
        }
        assert_eq!(sent, r#"{"categoryId":7,"name":"Emma"}"#);
        json(201, REX)
    });
    let client = Client::builder("http://books.example/v1")
        .transport(service)
        .build()
        .expect("it is valid");
    let call = client
        .create_book()
        .body_map(|book| book.name("Emma").category_id(7));
    assert_eq!(call.send().await.expect("it is added").name, "Rex");
    let text = client
        .read_shelf()
        .shelf("a")
        .send()
        .await
        .expect("a success");
    let chunks: Vec<_> = text
        .into_inner()
        .into_inner()
        .try_collect()
        .await
        .expect("it is read");
    assert_eq!(chunks.concat(), b"Emma Woodhouse");
}

#[tokio::test]
async fn the_error_of_a_transport_says_whether_the_service_may_have_received_the_request() {
    for (transport_error, kind, sent, tries) in [
        (
            Some(TransportError::connect("x")),
            ErrorKind::Connect,
            false,
            6,
        ),
        (
            Some(TransportError::timeout("x")),
            ErrorKind::Timeout,
            true,
            6,
        ),
        (
            Some(TransportError::tls("not trusted")),
            ErrorKind::Tls,
            false,
            1,
        ),
        (None, ErrorKind::Interrupted, true, 6),
    ] {
        let number = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&number);
        let source = transport_error.map(Arc::new);
        let service = tower::service_fn(move |_: Request<RequestBody>| {
            counted.fetch_add(1, Ordering::Relaxed);
            let error = match source.as_deref().map(|error| format!("{error:?}")) {
                Some(text) if text.contains("Connect") => TransportError::connect("x").into(),
                Some(text) if text.contains("Timeout") => TransportError::timeout("x").into(),
                Some(_) => TransportError::tls("not trusted").into(),
                None => BoxError::from("it broke"),
            };
            async move { Err::<Response<Body>, _>(error) }
        });
        let client = Client::builder("http://books.example/v1")
            .clock(Passing::new())
            .transport(service)
            .build()
            .expect("it is valid");
        let error = client.list_books().send().await.expect_err("it fails");
        assert_eq!((error.kind(), error.was_sent()), (kind, sent), "{error}");
        assert_eq!(number.load(Ordering::Relaxed), tries, "{error}");
        if kind == ErrorKind::Tls {
            assert!(error.message().contains("(not trusted)"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_call_whose_transport_never_responds_ends_at_the_time_limit() {
    let service = tower::service_fn(|_: Request<RequestBody>| {
        std::future::pending::<Result<Response<Body>, BoxError>>()
    });
    let client = Client::builder("http://books.example/v1")
        .transport(service)
        .build()
        .expect("it is valid");
    let options = CallOptions::new().timeout(Duration::from_millis(20));
    let error = client.list_books().with(options).send().await;
    assert_eq!(
        error.expect_err("it takes too long").kind(),
        ErrorKind::Timeout
    );
}

//! Tests responses that are streams of JSON: their items, what ends them, and their limits.

use crate::clock::Passing;
use crate::generated::{
    CallOptions, ErrorKind, RequestBody, RetryPolicy,
    mock::{MockResponse, MockTransport},
};
use crate::service::{KEY, Service, response};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http_body_util::StreamBody;
use openapi_dropshot_client::{
    Client, ClientBuilder, Error, Response,
    generated::{Call, Method, Operation},
    stream::Streamed,
};
use std::{convert::Infallible, time::Duration};

static EXPORT: Operation = Operation {
    id: "exportBooks",
    method: Method::GET,
    path: "/books/export",
    parameters: &[],
    success: &[200],
};

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Book {
    id: i64,
}

const JSON_LINES: &str = "application/jsonl";

async fn export_with(
    client: ClientBuilder,
    media_type: &'static str,
    options: CallOptions,
) -> Result<Response<Streamed<Book>>, Error> {
    let client: Client = client.api_key(KEY).build().expect("it is valid");
    let mut call = Call::new(&client, &EXPORT);
    call.set_options(options);
    call.request().streamed(media_type).await
}

async fn export(client: ClientBuilder, media_type: &'static str) -> Streamed<Book> {
    let sent = export_with(client, media_type, CallOptions::new()).await;
    sent.expect("it is a stream").into_inner()
}

fn mocked(service: &MockTransport) -> ClientBuilder {
    Client::builder("http://books.example/v1").transport(service.clone())
}

fn answering(response: MockResponse) -> ClientBuilder {
    let service = MockTransport::new();
    service.respond(response);
    mocked(&service)
}

/// The items in one line: ids, and the kinds of errors.
async fn listed(mut books: Streamed<Book>) -> (String, Vec<Error>) {
    let (mut line, mut errors) = (Vec::new(), Vec::new());
    while let Some(book) = books.next().await {
        match book {
            Ok(book) => line.push(book.id.to_string()),
            Err(error) => {
                line.push(format!("{:?}", error.kind()));
                errors.push(error);
            }
        }
    }
    assert!(books.next().await.is_none(), "the end is the end");
    (line.join(" "), errors)
}

#[tokio::test]
async fn items_arrive_in_each_media_type() {
    let ids = [1, 2, 3].map(|id| serde_json::json!({ "id": id }));
    for media_type in [
        JSON_LINES,
        "application/x-ndjson",
        "application/json-seq",
        "application/geo+json-seq",
    ] {
        let service = MockTransport::new();
        service.respond(MockResponse::error(503, "overloaded", "later"));
        service.respond(MockResponse::items(media_type, &ids).header("x-request-id", "r-1"));
        let client = mocked(&service).clock(Passing::new());
        let sent = export_with(client, media_type, CallOptions::new()).await;
        let response = sent.expect("it is a stream");
        assert_eq!(
            (response.retries(), response.request_id()),
            (1, Some("r-1"))
        );
        assert_eq!(listed(response.into_inner()).await.0, "1 2 3");
        for request in service.requests() {
            assert_eq!(request.headers["accept"], media_type);
            assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
        }
    }
}

#[tokio::test]
async fn an_item_that_is_too_large_is_an_error_at_its_position() {
    let text =
        "{\"id\":1}\r\n\n  \n{\"id\":\"secret\"}\nno JSON\n{\"id\":2}\n{\"id\":3,\n{\"id\":4.0}\n";
    let client = answering(MockResponse::text(200, JSON_LINES, text));
    let (line, errors) = listed(export(client, JSON_LINES).await).await;
    assert_eq!(line, "1 Unreadable Unreadable 2 Unreadable 4");
    assert_eq!(
        errors[0].to_string(),
        "item 2 of the stream is not what this version of the client expects: a value of another type at `id` (line 1, column 14)"
    );
    assert_eq!(errors[0].status(), Some(200));
    assert!(!format!("{:?}", errors[0]).contains("secret"));
}

#[tokio::test]
async fn a_json_sequence_continues_after_a_truncated_item() {
    let text = "\x1e{\"id\":1}\n\x1e{\"id\":\x1e{\"id\":2}\x1e\x1e\n\x1e12\x1e{\n\"id\":3}\n\x1e{\"id\":4}";
    let client = answering(MockResponse::text(200, "application/json-seq", text));
    let (line, errors) = listed(export(client, "application/json-seq").await).await;
    assert_eq!(line, "1 Unreadable 2 Unreadable 3 4");
    for error in errors {
        assert!(
            error.message().ends_with("it is cut off before its end"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_item_of_a_sequence_does_not_wait_for_the_next_one() {
    let first = MockResponse::text(200, "application/json-seq", "\x1e{\"id\":1}\n").stays_open();
    let mut books = export(answering(first), "application/json-seq").await;
    let book = books.next().await.expect("an item").expect("it is read");
    assert_eq!((book.id, books.received()), (1, 1));
}

#[tokio::test]
async fn a_stream_that_is_cut_off_ends_with_an_error_that_says_so() {
    for (text, line) in [
        ("{\"id\":1}\n{\"id\":2", "1 Interrupted"),
        ("{\"id\":1}\n12", "1 Interrupted"),
        // It is whole, and its LF is optional.
        ("{\"id\":1}\n{\"id\":2}", "1 2"),
        ("{\"id\":1}\n \t", "1"),
        ("{\"id\":1}\n{\"id\":true}", "1 Unreadable"),
        ("", ""),
    ] {
        let client = answering(MockResponse::text(200, JSON_LINES, text));
        let (found, errors) = listed(export(client, JSON_LINES).await).await;
        assert_eq!(found, line, "{text:?}");
        if line.ends_with("Interrupted") {
            let message = "the stream was cut off: it ended in the middle of item 2, and further items may be missing; send the request again";
            assert_eq!(errors[0].message(), message);
        }
    }
}

#[tokio::test]
async fn a_broken_connection_is_an_error() {
    // The service promises more than it sends.
    let head = ["content-type: application/jsonl", "content-length: 1000"];
    let whole = response("200 OK", &head, "{\"id\":1}\n{\"id\":2}\n{\"id\"");
    let whole = whole.replacen("content-length: 23\r\n", "", 1);
    let service = Service::responding([whole]).await;
    let client = Client::builder(service.base_url());
    let (line, errors) = listed(export(client, JSON_LINES).await).await;
    assert_eq!(line, "1 2 Interrupted");
    assert_eq!(
        errors[0].message(),
        "the connection broke before the response was complete"
    );
}

#[tokio::test]
async fn an_endless_line_is_not_kept_in_memory() {
    let endless = tower::service_fn(|_: http::Request<RequestBody>| async {
        let chunk = Bytes::from(vec![b'x'; 1 << 16]);
        let line = stream::repeat(chunk).take(1 << 12);
        let last = stream::iter([Bytes::from("\n{\"id\":1}\n")]);
        let frames = line
            .chain(last)
            .map(|chunk| Ok::<_, Infallible>(http_body::Frame::data(chunk)));
        let response = http::Response::builder().header("content-type", JSON_LINES);
        Ok::<_, Infallible>(response.body(StreamBody::new(frames)).expect("a response"))
    });
    let client = Client::builder("http://books.example/v1").transport(endless);
    let (line, errors) = listed(export(client, JSON_LINES).await).await;
    assert_eq!(line, "TooLarge 1");
    assert_eq!(
        errors[0].message(),
        "item 1 of the stream has more than 1048576 bytes, the limit of this call, and was left out; if items of this size are \
         expected, raise the limit with `max_item_bytes`"
    );
}

#[tokio::test]
async fn a_call_has_its_own_limit_of_the_size_of_an_item() {
    let text = "{\"id\":12}\n{\"id\":123}\n{\"id\":1}\n{\"id\":123}";
    let client = answering(MockResponse::text(200, JSON_LINES, text));
    let options = CallOptions::new().max_item_bytes(9);
    let sent = export_with(client, JSON_LINES, options).await;
    let books = sent.expect("it is a stream").into_inner();
    assert_eq!(listed(books).await.0, "12 TooLarge 1 TooLarge");
}

#[tokio::test]
async fn a_response_of_another_type_is_not_read_as_a_stream() {
    for (expected, found, is_accepted) in [
        (JSON_LINES, "text/html", false),
        (JSON_LINES, "application/json-seq", false),
        ("application/json-seq", JSON_LINES, false),
        (
            "application/geo+json-seq",
            "application/geo+json-seq; charset=utf-8",
            true,
        ),
        ("application/geo+json-seq", "application/geo+json", false),
        (JSON_LINES, "application/x-ndjson; charset=utf-8", true),
        (JSON_LINES, "Application/JSONL", true),
    ] {
        let client = answering(MockResponse::text(200, found, ""));
        match export_with(client, expected, CallOptions::new()).await {
            Ok(_) => assert!(is_accepted, "{found}"),
            Err(error) => {
                assert!(!is_accepted, "{error}");
                assert_eq!(error.kind(), ErrorKind::Unreadable);
                let message = format!(
                    "the response is not a stream: it should be `{expected}` and is `{found}`"
                );
                assert_eq!(error.message(), message);
            }
        }
    }
}

#[tokio::test]
async fn a_stream_may_take_longer_than_a_call() {
    let late = Duration::from_millis(1_200);
    let slow = MockResponse::text(200, JSON_LINES, "{\"id\":1}\n").then(late, "{\"id\":2}\n");
    let options = CallOptions::new().timeout(Duration::from_secs(1));
    let sent = export_with(answering(slow), JSON_LINES, options).await;
    assert_eq!(
        listed(sent.expect("it is a stream").into_inner()).await.0,
        "1 2"
    );
}

#[tokio::test]
async fn the_head_of_a_stream_has_the_time_limit_of_a_call() {
    let late = MockResponse::items(JSON_LINES, [1]).delay(Duration::from_secs(3_600));
    let client = answering(late).retry(RetryPolicy::never());
    let options = CallOptions::new().try_timeout(Duration::from_millis(20));
    let error = export_with(client, JSON_LINES, options).await;
    let error = error.expect_err("it takes too long");
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_silent_stream_is_an_error() {
    let open = MockResponse::text(200, JSON_LINES, "{\"id\":1}\n").stays_open();
    let options = CallOptions::new().idle_timeout(Duration::from_millis(20));
    let sent = export_with(answering(open), JSON_LINES, options).await;
    let books = sent.expect("it is a stream").into_inner();
    let (line, errors) = listed(books).await;
    assert_eq!(line, "1 Timeout");
    assert_eq!(
        errors[0].message(),
        "nothing arrived for 20ms, the longest time that this call waits for the next part of a stream; if the service sends \
         less often, raise the limit with `idle_timeout`"
    );
}

#[cfg(feature = "blocking")]
#[test]
fn items_are_read_without_async() {
    use openapi_dropshot_client::blocking::wait;

    let service = MockTransport::new();
    let chunk = Duration::from_millis(1);
    service.respond(
        MockResponse::text(200, JSON_LINES, "{\"id\":1}\n{\"id\":2}\nx\n")
            .then(chunk, "{\"id\":3}\n{"),
    );
    let client = mocked(&service);
    let sent = wait(export_with(client, JSON_LINES, CallOptions::new()));
    let mut books = sent.expect("it is a stream").into_inner().blocking();
    let ids: Vec<_> = books
        .by_ref()
        .map(|book| book.map(|book| book.id).map_err(|error| error.kind()))
        .collect();
    let expected = [
        Ok(1),
        Ok(2),
        Err(ErrorKind::Unreadable),
        Ok(3),
        Err(ErrorKind::Interrupted),
    ];
    assert_eq!(ids, expected);
    assert_eq!(books.stream().map(Streamed::received), Some(4));
    assert!(books.next().is_none());
}

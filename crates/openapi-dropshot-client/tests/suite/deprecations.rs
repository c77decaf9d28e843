//! Tests that a deprecation in a response is logged once, and that it is passed to the callback and
//! counted each time.

use crate::generated::{Client, RetryPolicy};
use crate::service::{KEY, REX, Service, client, json};
use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, LazyLock, Mutex},
};
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

/// The headers of the deprecated operation.
const HEADERS: [&str; 3] = [
    "deprecation: @1795132800",
    "sunset: Thu, 05 Dec 2030 00:00:00 GMT",
    "link: <../books>; rel=\"successor-version\"",
];

/// The log of this process, which also contains the lines of other tests.
pub(crate) static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .finish();
    // The subscriber is set for all threads. Otherwise, if another thread reached a log statement
    // first without a subscriber, this thread would not see its lines either.
    tracing::subscriber::set_global_default(subscriber).expect("nobody else sets one");
    log
});

/// A log in memory.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        let bytes = self.0.lock().expect("no test panics with the lock");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no test panics with the lock")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Log;

    fn make_writer(&'a self) -> Log {
        self.clone()
    }
}

#[tokio::test]
async fn a_deprecation_is_logged_once_and_is_also_reported_to_the_application_and_counted() {
    let gone = r#"{"code":"not_found","message":"no","status":404}"#;
    let service = Service::responding([
        json("200 OK", &HEADERS, REX),
        json("404 Not Found", &HEADERS, gone),
        json("200 OK", &[], "[]"),
    ])
    .await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .retry(RetryPolicy::never())
        .on_deprecation({
            let heard = Arc::clone(&heard);
            move |deprecation| {
                let mut heard = heard.lock().expect("no test panics with the lock");
                heard.push(deprecation.clone());
            }
        })
        .build()
        .expect("it is valid");
    LazyLock::force(&LOG);
    for _ in 0..2 {
        #[expect(deprecated, reason = "what this test is about")]
        let _ = client.get_book().book_id(1).send().await;
    }
    client.list_books().send().await.expect("it succeeds");

    assert_eq!(client.deprecated_calls(), BTreeMap::from([("getBook", 2)]));
    let heard = heard.lock().expect("no test panics with the lock");
    assert_eq!(heard.len(), 2, "also an error says it");
    assert_eq!(heard[0].operation(), "getBook");
    let successor = format!("{}/books", service.base_url());
    assert_eq!(heard[0].successor(), Some(successor.as_str()));
    let text = LOG.text();
    let warnings = text.lines().filter(|line| line.contains("WARN"));
    let warnings: Vec<&str> = warnings.filter(|line| line.contains("deprecat")).collect();
    assert_eq!(warnings.len(), 1, "{text}");
    for word in ["getBook", "2026-11-20", "2030-12-05", "/v1/books"] {
        assert!(warnings[0].contains(word), "{text}");
    }
}

#[tokio::test]
async fn a_call_has_a_span_with_the_id_of_its_request() {
    let service = Service::responding([json("200 OK", &["x-request-id: r-42"], "[]")]).await;
    LazyLock::force(&LOG);
    client(&service)
        .list_books()
        .send()
        .await
        .expect("it succeeds");
    let text = LOG.text();
    let span = text.lines().find(|line| line.contains("r-42"));
    let span = span.unwrap_or_else(|| panic!("no line has the id: {text}"));
    for word in [
        "operation=\"listBooks\"",
        "request_id=\"r-42\"",
        "status=200",
        "retries=0",
    ] {
        assert!(span.contains(word), "{word}: {span}");
    }
    assert!(!text.contains(KEY), "{text}");
}

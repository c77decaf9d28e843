//! Tests the program over a socket, with the generated client.

use bookmarks_client::{
    ApiKey, Batch, Client, Error, ErrorCode, TryRequest, errors::RemoveBookmarkError,
    mock::MockTransport, reqwest, types::NewBookmark,
};
use bookmarks_server::KEY_FORMAT;
use openapi_dropshot_server::keys::{KeyHashes, KeyName};
use reqwest::{Method, Response};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

/// The running program, and a key for it.
struct Service {
    child: Child,
    base: String,
    key: String,
    log: Receiver<String>,
}

impl Service {
    fn start(flags: &[&str]) -> Self {
        let key = KEY_FORMAT.generate();
        let mut child = Command::new(env!("CARGO_BIN_EXE_bookmarks-server"))
            .args([
                "serve",
                "--listen=127.0.0.1:0",
                "--admin-listen=127.0.0.1:0",
            ])
            .args(flags)
            .env(
                "BOOKMARKS_KEYS",
                KeyHashes::of(KeyName::first(), &key).to_string(),
            )
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (sender, log) = channel();
        let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _gone = sender.send(line);
            }
        });
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        stdout.read_line(&mut line).expect("a line");
        let base = line.trim().strip_prefix("listening on ");
        Service {
            base: base.unwrap_or_else(|| panic!("{line}")).to_owned(),
            key: key.reveal().to_owned(),
            child,
            log,
        }
    }

    fn client(&self) -> Client {
        let builder = Client::builder(&self.base).api_key(&self.key);
        builder.build().expect("the settings are valid")
    }

    /// The next log line with this text.
    fn log_line(&self, text: &str) -> String {
        let next = || self.log.recv_timeout(Duration::from_secs(20));
        std::iter::repeat_with(next)
            .map(|line| line.expect(text))
            .find(|line| line.contains(text))
            .expect("the lines do not end")
    }

    /// A request without the generated client: `path` is relative to the root.
    async fn send(&self, method: Method, path: &str, key: Option<&str>, body: &str) -> Response {
        let root = self.base.strip_suffix("/api/v2").expect("the base path");
        let mut request = reqwest::Client::new().request(method, format!("{root}{path}"));
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if !body.is_empty() {
            let kind = if body.starts_with('{') {
                "application/json"
            } else {
                "text/plain"
            };
            request = request.header("content-type", kind).body(body.to_owned());
        }
        request.send().await.expect("the service responds")
    }

    async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, None, "").await
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

fn bookmark(number: u32) -> NewBookmark {
    let url = format!("https://example.org/{number}");
    let tags = if number % 2 == 1 { vec!["odd"] } else { vec![] };
    let new = serde_json::json!({ "url": url, "tags": tags });
    serde_json::from_value(new).expect("a bookmark")
}

#[tokio::test]
async fn the_client_adds_lists_and_removes_bookmarks() -> Result<(), Error> {
    let service = Service::start(&[]);
    let client = service.client();
    for number in 1..=5 {
        client.add_bookmark().body(bookmark(number)).send().await?;
    }
    // The stream reads page by page and follows the links.
    let mut ids = Vec::new();
    let mut odd = client.list_bookmarks().tag("odd").limit(2).stream();
    while let Some(bookmark) = odd.next().await {
        ids.push(bookmark?.id);
    }
    assert_eq!(ids, [1, 3, 5]);
    assert_eq!(odd.cursor(), Some("3"));

    let removed = client.remove_bookmark().bookmark_id(3).send().await?;
    let error = client.remove_bookmark_with(3).send().await;
    let error = error.expect_err("it was removed");
    assert_eq!(error.code(), Some(&ErrorCode::NoSuchThing));
    let listed = Some(RemoveBookmarkError::NoSuchThing);
    assert_eq!(error.code_of::<RemoveBookmarkError>(), listed);
    let credential = error.credential_fingerprint();
    assert!(credential.is_some() && credential == removed.credential_fingerprint());
    assert_eq!(error.message(), "there is no bookmark 3");
    Ok(())
}

#[tokio::test]
async fn a_batch_adds_bookmarks_with_a_key_that_changes_and_an_interceptor() -> Result<(), Error> {
    let service = Service::start(&[]);
    let keys = [
        KEY_FORMAT.generate().reveal().to_owned(),
        service.key.clone(),
    ];
    let loads = Arc::new(AtomicUsize::new(0));
    let (counted, tries) = (Arc::clone(&loads), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&tries);
    let client = Client::builder(&service.base)
        // The first key is not valid; the service rejects it, and the next one is loaded.
        .credentials(move || {
            let load = counted.fetch_add(1, Ordering::Relaxed);
            let key = keys[load.min(1)].clone();
            async move { Ok(ApiKey::new(key)) }
        })
        .interceptor(move |request: &mut TryRequest<'_>| {
            let number = seen.fetch_add(1, Ordering::Relaxed);
            request.headers_mut().insert("x-try", number.into());
            Ok(())
        })
        .app_name("bookmarks-test/1.0")
        .build()?;
    let add = |number| client.add_bookmark().body(bookmark(number)).send();
    let report = Batch::new(1..=10, add).concurrency(3).run().await;
    assert_eq!(report.done.len(), 10, "{:?}", report.failed);
    assert_eq!(loads.load(Ordering::Relaxed), 2);
    let tries = tries.load(Ordering::Relaxed);
    assert!((11..=13).contains(&tries), "{tries}");
    Ok(())
}

#[tokio::test]
async fn code_that_calls_the_service_can_be_tested_without_a_running_service() -> Result<(), Error>
{
    let transport = MockTransport::new();
    let builder = Client::builder("http://bookmarks.example/api/v2").api_key("bookmarks_a");
    let client = builder.transport(transport.clone()).build()?;
    client
        .list_bookmarks()
        .send()
        .await
        .expect_err("it has no response");
    assert_eq!(transport.requests()[0].path, "/api/v2/bookmarks");
    Ok(())
}

#[tokio::test]
async fn a_creation_is_repeated_safely() -> Result<(), Error> {
    let service = Service::start(&[]);
    let client = service.client();
    let add = |number| {
        client
            .add_bookmark()
            .idempotency_key("a1")
            .body(bookmark(number))
    };
    assert_eq!(add(1).send().await?.id, add(1).send().await?.id);
    let error = add(2).send().await.expect_err("another body");
    assert_eq!(error.code(), Some(&ErrorCode::KeyReused));
    Ok(())
}

#[tokio::test]
async fn the_client_sends_a_request_again_after_the_rate_limit() -> Result<(), Error> {
    let service = Service::start(&["--rate-limit-per-second=1", "--rate-limit-burst=1"]);
    service.client().list_bookmarks().send().await?;
    // Another client with the same key does not know the limit yet.
    let response = service.client().list_bookmarks().send().await?;
    assert!(response.retries() >= 1);
    Ok(())
}

#[tokio::test]
async fn each_error_has_the_body_that_the_document_declares() {
    let service = Service::start(&["--body-max-bytes=1000"]);
    let other = KEY_FORMAT.generate();
    let (key, other) = (Some(service.key.as_str()), Some(other.reveal()));
    let list = "/api/v2/bookmarks";
    let large = format!("{{\"url\":\"{}\"}}", "x".repeat(1000));
    for (method, path, key, body, status, code) in [
        (Method::GET, list, None, "", 401, "no_key"),
        (Method::GET, list, Some("bookmarks_1"), "", 401, "no_key"),
        (Method::GET, list, other, "", 401, "no_key"),
        (Method::GET, "/bookmarks", key, "", 404, "no_such_thing"),
        (Method::GET, "/v1/bookmarks", key, "", 404, "no_such_thing"),
        (
            Method::DELETE,
            "/api/v2/bookmarks/9",
            key,
            "",
            404,
            "no_such_thing",
        ),
        (Method::PUT, list, key, "", 405, "wrong_method"),
        (
            Method::GET,
            "/api/v2/bookmarks?tag=A",
            key,
            "",
            400,
            "bad_request",
        ),
        (Method::POST, list, key, "{\"url\":1}", 400, "bad_request"),
        (Method::POST, list, key, "url", 415, "not_json"),
        (Method::POST, list, key, &large, 413, "too_large"),
    ] {
        let response = service.send(method, path, key, body).await;
        assert_eq!(response.status(), status, "{path}");
        let id = response.headers()["x-request-id"].clone();
        let body: Value = response.json().await.expect("JSON");
        assert_eq!(body["error_code"], code, "{path}: {body}");
        assert_eq!(body["request_id"].as_str(), id.to_str().ok());
        assert!(body["message"].is_string() && body.as_object().map(|o| o.len()) == Some(3));
    }
}

#[tokio::test]
async fn the_deprecated_operation_announces_its_sunset() -> Result<(), Error> {
    let service = Service::start(&[]);
    let key = Some(service.key.as_str());
    let response = service
        .send(Method::GET, "/api/v2/search?tag=odd", key, "")
        .await;
    let header = |name: &str| response.headers()[name].to_str().expect("ASCII").to_owned();
    assert_eq!(header("deprecation"), "@1790812800");
    assert_eq!(header("sunset"), "Wed, 01 Oct 2031 00:00:00 GMT");
    assert_eq!(header("link"), "<bookmarks>; rel=\"successor-version\"");

    let client = service.client();
    #[expect(deprecated, reason = "the compiler warns of its use")]
    client.search_bookmarks().tag("odd").send().await?;
    assert_eq!(client.deprecated_calls()["searchBookmarks"], 1);
    Ok(())
}

#[tokio::test]
async fn the_service_serves_documents_docs_health_and_metrics_and_logs_requests()
-> Result<(), Error> {
    let service = Service::start(&["--log-format=json"]);
    let health = service.log_line("health and metrics on http://");
    let admin = health
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let admin = admin.unwrap_or_else(|| panic!("{health}"));
    for (path, text) in [
        ("/docs", "Bookmarks"),
        ("/api/v2/openapi.yaml", "operationId: listBookmarks"),
        ("/api/v2/openapi.json", "\"operationId\":\"listBookmarks\""),
    ] {
        let response = service.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert!(
            response.text().await.expect("a text").contains(text),
            "{path}"
        );
    }
    service.client().list_bookmarks().send().await?;
    let line: Value = serde_json::from_str(&service.log_line("listBookmarks")).expect("JSON");
    assert_eq!(line["key_id"], "first", "{line}");
    for (path, text) in [
        ("readyz", ""),
        ("metrics", "bookmarks_build_info"),
        ("metrics", "http_route=\"/api/v2/bookmarks\""),
    ] {
        let response = reqwest::get(format!("http://{admin}/{path}"))
            .await
            .expect(path);
        assert_eq!(response.status(), 200, "{path}");
        let body = response.text().await.expect("a text");
        assert!(body.contains(text), "{path}: {body}");
    }
    Ok(())
}

#[test]
fn the_program_stops_without_an_error_after_a_signal_and_prints_its_settings() {
    let mut service = Service::start(&[]);
    let pid = service.child.id().to_string();
    let sent = Command::new("kill").arg(pid).status().expect("`kill` runs");
    assert!(sent.success());
    assert!(service.child.wait().expect("it ends").success());

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("bookmarks.toml");
    let name = KeyHashes::of(KeyName::first(), &KEY_FORMAT.generate()).to_string();
    let text = format!("keys = [\"{name}\"]\nlisten = \"127.0.0.1:9\"\nmax-in-flight = 7\n");
    std::fs::write(&file, text).expect("the folder is writable");
    let output = Command::new(env!("CARGO_BIN_EXE_bookmarks-server"))
        .args(["config", "--max-in-flight=8", "--config"])
        .arg(file)
        .env("BOOKMARKS_LISTEN", "127.0.0.1:10")
        .output()
        .expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    for line in [
        format!("keys = \"{name}\"").as_str(),
        "listen = \"127.0.0.1:10\"",
        "max-in-flight = 8",
    ] {
        assert!(
            printed.lines().any(|printed| printed == line),
            "{line} in {printed}"
        );
    }
}

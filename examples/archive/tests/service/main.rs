//! Tests the program over a socket, like its clients.

include!(concat!(env!("OUT_DIR"), "/client.rs"));

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use client::{
    Client, Error, RetryPolicy, TryRequest,
    types::{NewRecord, Record, RecordChange, SizeRange},
};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rustix::process::{Pid, Signal, kill_process};
use scripted_service::json;
use serde_json::{Value, json};
use sha2::Sha256;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tempfile::TempDir;
use test_support::{Need, skip};

mod files;
mod limits;
mod streams;

/// An issuer of tokens, which sends its key set once.
struct Issuer {
    key: EncodingKey,
    service: scripted_service::Service,
}

impl Issuer {
    async fn start() -> Self {
        let pair = Ed25519KeyPair::generate().expect("a key");
        let public = BASE64_URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        let keys = json!({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "key-1", "x": public}
        ]});
        let der = pair.to_pkcs8v1().expect("a key");
        let keys = json("200 OK", &[], &keys.to_string());
        Issuer {
            key: EncodingKey::from_ed_der(der.as_ref()),
            service: scripted_service::Service::responding([keys]).await,
        }
    }

    fn token(&self, key_id: &str, change: &Value) -> String {
        let mut claims = json!({
            "iss": "https://issuer.example", "aud": "archive", "sub": "reader", "scope": "read write", "exp": now() + 60,
        });
        for (name, value) in change.as_object().expect("an object") {
            claims[name] = value.clone();
        }
        let header = Header {
            kid: Some(key_id.to_owned()),
            ..Header::new(Algorithm::EdDSA)
        };
        jsonwebtoken::encode(&header, &claims, &self.key).expect("a token")
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time after 1970").as_secs()
}

/// The running program.
struct Archive {
    child: Child,
    base: String,
    folder: TempDir,
}

impl Archive {
    fn start(key_set: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Archive::start_in(folder, key_set, arguments)
    }

    fn start_in(folder: TempDir, key_set: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_archive"))
            .args(["--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"])
            .args(["--database", "archive.db", "--key-set", key_set])
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(folder.path().join("log")).expect("a file"))
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        stdout.read_line(&mut line).expect("a line");
        let base = line.trim().strip_prefix("listening on ");
        Archive {
            base: base.unwrap_or_else(|| panic!("{line}")).to_owned(),
            child,
            folder,
        }
    }

    /// A client that adds this header. Its API key is the name of a partner, which is not enough for any operation.
    fn client(&self, name: &str, value: &str) -> Client {
        let builder = Client::builder(&self.base).retry(RetryPolicy::never());
        let museum = client::ApiKey::new("museum");
        let builder = builder
            .credential(&client::schemes::PARTNER, museum)
            .header(name, value);
        builder.build().expect("the settings are valid")
    }

    fn reader(&self, token: &str) -> Client {
        self.client("authorization", &format!("Bearer {token}"))
    }

    /// A client of a partner, which signs with this secret.
    fn partner(&self, partner: &str, secret: &'static [u8], time: u64) -> Client {
        let builder = Client::builder(&self.base).retry(RetryPolicy::never());
        let builder = builder
            .credential(&client::schemes::PARTNER, client::ApiKey::new(partner))
            .interceptor(move |request: &mut TryRequest<'_>| {
                let mut mac = Hmac::<Sha256>::new_from_slice(secret)?;
                let (method, path) = (request.method(), request.url().path());
                mac.update(format!("{time} {method} {path}\n").as_bytes());
                mac.update(request.body().unwrap_or_default());
                let mac = BASE64_STANDARD.encode(mac.finalize().into_bytes());
                let signature = format!("{time}.{mac}").try_into()?;
                request.headers_mut().insert("x-signature", signature);
                Ok::<_, client::BoxError>(())
            });
        builder.build().expect("the settings are valid")
    }

    async fn add(&self, title: &str, text: &str) -> Record {
        let partner = self.partner("museum", b"the-secret", now());
        let record = NewRecord::builder().title(title).text(text);
        let added = partner.create_record().body(record).send().await;
        added.expect("it is signed").into_inner()
    }

    /// Sends a request with this request line and these headers. Returns head and body of the response.
    fn send(&self, request: &str, headers: &[&str]) -> String {
        let address = self.base.trim_start_matches("http://");
        let address = address.split('/').next().expect("an address");
        send_to(address, request, headers)
    }

    /// Waits until the log contains the address of the admin listener, and returns it. The log is written in the background.
    fn admin(&self) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let log = std::fs::read_to_string(self.folder.path().join("log")).expect("a log");
            if let Some((_, line)) = log.split_once("health and metrics on http://")
                && let Some(end) = line.find(|c: char| c.is_whitespace() || c == '"')
            {
                return line[..end].to_owned();
            }
            assert!(Instant::now() < end, "it is not logged: {log}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

fn send_to(address: &str, request: &str, headers: &[&str]) -> String {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n"
    )
    .expect("the service reads");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("a response");
    String::from_utf8_lossy(&response).into_owned()
}

fn status<T>(result: Result<T, Error>) -> Option<u16> {
    match result {
        Ok(_) => panic!("the request is accepted"),
        Err(error) => error.status(),
    }
}

#[tokio::test]
async fn a_token_is_verified_with_the_keys_of_its_issuer() {
    let issuer = Issuer::start().await;
    let archive = Archive::start(&issuer.service.base_url(), &[]);
    let list = async |token: String| {
        let client = archive.reader(&token);
        client.list_records().send().await.map(drop)
    };
    let other = Issuer::start().await;
    for (token, expected) in [
        (issuer.token("key-1", &json!({"aud": "library"})), 401),
        (
            issuer.token("key-1", &json!({"iss": "https://other.example"})),
            401,
        ),
        (issuer.token("key-1", &json!({"scope": "write"})), 403),
        // The key set is not fetched for each unknown key.
        (issuer.token("key-2", &json!({})), 401),
        (other.token("key-1", &json!({})), 401),
        (
            "eyJhbGciOiJub25lIiwia2lkIjoia2V5LTEifQ.e30.".to_owned(),
            401,
        ),
        ("a-token".to_owned(), 401),
    ] {
        assert_eq!(status(list(token.clone()).await), Some(expected), "{token}");
    }
    let expired = list(issuer.token("key-1", &json!({"exp": now() - 3600}))).await;
    let error = expired.expect_err("it expired");
    assert_eq!(error.message(), "the token expired; get a new one");
    for _ in 0..2 {
        let token = issuer.token("key-1", &json!({}));
        list(token).await.expect("the token is valid");
    }
    assert_eq!(issuer.service.requests().len(), 1, "the keys are kept");
}

#[tokio::test]
async fn if_the_issuer_does_not_respond_the_response_is_503_and_not_401() {
    let issuer = Issuer::start().await;
    let archive = Archive::start("http://127.0.0.1:1/keys", &[]);
    let client = archive.reader(&issuer.token("key-1", &json!({})));
    assert_eq!(status(client.list_records().send().await), Some(503));
}

#[tokio::test]
async fn a_signature_covers_time_method_path_and_body() {
    let archive = Archive::start("http://127.0.0.1:1/keys", &[]);
    assert_eq!(archive.add("Atlas", "of the world").await.id, 1);
    let record = || NewRecord::builder().title("Atlas").text("");
    for client in [
        archive.partner("museum", b"another-secret", now()),
        archive.partner("museum", b"the-secret", now() - 3600),
        archive.partner("nobody", b"the-secret", now()),
        archive.client("x-other", "no signature"),
        archive.client("x-signature", "1.AAAA"),
    ] {
        let result = client.create_record().body(record()).send().await;
        assert_eq!(status(result), Some(401));
    }
    let unsigned = archive.send("POST /v1/records", &["x-signature: 1.AAAA"]);
    assert!(unsigned.starts_with("HTTP/1.1 401 "), "{unsigned}");
    // The signature of another body.
    let signed = archive.partner("museum", b"the-secret", now());
    let changed = signed.create_record().body(record());
    let options = client::CallOptions::new().interceptor(|request: &mut TryRequest<'_>| {
        let time = now();
        request.headers_mut().insert(
            "x-signature",
            format!("{time}.{}=", "A".repeat(43)).try_into()?,
        );
        Ok::<_, client::BoxError>(())
    });
    assert_eq!(status(changed.with(options).send().await), Some(401));
}

#[tokio::test]
async fn a_user_can_download_a_record_or_a_byte_range_of_a_record() {
    let archive = Archive::start("http://127.0.0.1:1/keys", &[]);
    archive.add("Atlas", "of the world").await;
    let user = |password| {
        let user = BASE64_STANDARD.encode(format!("ada:{password}"));
        archive.client("authorization", &format!("Basic {user}"))
    };
    let client = user("the-password");
    let part = |range: &str| client::CallOptions::new().header("range", range);
    for (range, expected, content_range) in [
        (None, "of the world", None),
        (Some("bytes=3-5"), "the", Some("bytes 3-5/12")),
        (Some("bytes=-5"), "world", Some("bytes 7-11/12")),
        (Some("bytes=7-"), "world", Some("bytes 7-11/12")),
        (Some("lines=1"), "of the world", None),
    ] {
        let call = client.download().record_id(1);
        let call = range.map_or(call.clone(), |range| call.with(part(range)));
        let response = call.send().await.expect("a success");
        let found = response.headers().get("content-range").cloned();
        let found = found.as_ref().map(|value| value.to_str().expect("text"));
        assert_eq!(found, content_range, "{range:?}");
        let mut parts = response.into_inner();
        let mut body = Vec::new();
        while let Some(part) = parts.next().await {
            body.extend(part.expect("it arrives"));
        }
        assert_eq!(body, expected.as_bytes(), "{range:?}");
    }
    let beyond = client.download().record_id(1).with(part("bytes=12-"));
    assert_eq!(status(beyond.send().await), Some(416));
    // The header `Range` applies only to GET.
    let authorization = format!(
        "authorization: Basic {}",
        BASE64_STANDARD.encode("ada:the-password")
    );
    let headers = [&*authorization, "range: bytes=3-5"];
    let head = archive.send("HEAD /v1/records/1/content", &headers);
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(
        status(client.download().record_id(9).send().await),
        Some(404)
    );
    let other = user("another-password");
    let wrong = other.download().record_id(1);
    assert_eq!(status(wrong.send().await), Some(401));
}

#[tokio::test]
async fn the_errors_of_the_server_and_of_handlers_are_problem_details() {
    let archive = Archive::start("http://127.0.0.1:1/keys", &[]);
    let user = "authorization: Basic YWRhOnRoZS1wYXNzd29yZA==";
    for (request, code, title) in [
        ("GET /v1/records", "unauthorized", "Unauthorized"),
        (
            "GET /v1/records/x/content",
            "invalid_request",
            "Bad Request",
        ),
        ("GET /v1/records/9/content", "not_found", "Not Found"),
        ("GET /v1/nothing", "not_found", "Not Found"),
        (
            "PUT /v1/records",
            "method_not_allowed",
            "Method Not Allowed",
        ),
    ] {
        let response = archive.send(request, &[user]);
        let (head, body) = response.split_once("\r\n\r\n").expect("a body");
        assert!(
            head.contains("content-type: application/problem+json"),
            "{response}"
        );
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["type"], "about:blank", "{response}");
        assert_eq!(
            (&body["code"], &body["title"]),
            (&json!(code), &json!(title))
        );
        assert!(
            head.contains(&format!("{} {title}", body["status"])),
            "{response}"
        );
    }
}

#[tokio::test]
async fn a_client_reads_all_pages_with_the_cursor_in_each_response_body() {
    let issuer = Issuer::start().await;
    let archive = Archive::start(&issuer.service.base_url(), &[]);
    for title in ["a", "b", "c", "d", "e"] {
        archive.add(title, "").await;
    }
    let client = archive.reader(&issuer.token("key-1", &json!({})));
    // The document has its own style of pages: the stream ends with the page that has no `next`.
    let pages = stream::try_unfold(Some(None::<i64>), async |next| {
        let Some(cursor) = next else {
            return Ok::<_, Error>(None);
        };
        let mut call = client.list_records();
        if let Some(cursor) = cursor {
            call = call.cursor(cursor);
        }
        let page = call.send().await?.into_inner();
        let next = page.next.map(Some);
        Ok(Some((page.items, next)))
    });
    let pages: Vec<Vec<Record>> = pages.try_collect().await.expect("all pages");
    let titles = |page: &Vec<Record>| page.iter().map(|one| one.title.clone()).collect();
    let titles: Vec<Vec<String>> = pages.iter().map(titles).collect();
    assert_eq!(titles, [vec!["a", "b"], vec!["c", "d"], vec!["e"]]);
}

#[test]
fn hooks_serve_files_and_add_headers_and_cookies() {
    let archive = Archive::start("http://127.0.0.1:1/keys", &[]);
    let file = archive.send("GET /assets/style.css", &["range: bytes=0-3"]);
    for expected in [
        "HTTP/1.1 206 ",
        "content-type: text/css",
        "content-range: bytes 0-3/",
        "x-content-type-options: nosniff",
        "x-request-id: ",
    ] {
        assert!(file.contains(expected), "{file}");
    }
    assert!(file.ends_with("\r\n\r\nbody"), "{file}");
    for path in [
        "/assets/../Cargo.toml",
        "/assets/%2e%2e/Cargo.toml",
        "/assets/none",
    ] {
        let response = archive.send(&format!("GET {path}"), &[]);
        assert!(response.starts_with("HTTP/1.1 404 "), "{path}: {response}");
    }
    // The hooks also run for a rejected request.
    let response = archive.send("GET /v1/records", &["cookie: a=b; theme=dark"]);
    assert!(response.starts_with("HTTP/1.1 401 "), "{response}");
    assert!(
        response.contains("set-cookie: theme=dark; Path=/"),
        "{response}"
    );
    assert!(
        response.contains("x-content-type-options: nosniff"),
        "{response}"
    );
    assert!(
        !response.contains("strict-transport-security"),
        "{response}"
    );
}

#[test]
fn configured_cors_origins_are_allowed_and_the_program_reports_its_health_until_it_stops() {
    let arguments = ["--cors-origins=https://shop.example"];
    let mut archive = Archive::start("http://127.0.0.1:1/keys", &arguments);
    let preflight = [
        "origin: https://shop.example",
        "access-control-request-method: POST",
        "access-control-request-headers: x-partner, x-signature",
    ];
    let response = archive.send("OPTIONS /v1/records", &preflight);
    let allowed = "access-control-allow-origin: https://shop.example";
    assert!(response.contains(allowed), "{response}");
    let response = archive.send("GET /v1/records", &preflight[..1]);
    let exposed = response
        .lines()
        .find(|line| line.starts_with("access-control-expose-headers: "));
    let exposed = exposed.unwrap_or_default();
    for name in ["X-Request-Id", "ETag", "Content-Range"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let ready = send_to(&archive.admin(), "GET /readyz", &[]);
    assert!(ready.starts_with("HTTP/1.1 200 "), "{ready}");
    let id = Pid::from_child(&archive.child);
    kill_process(id, Signal::TERM).expect("it runs");
    assert!(archive.child.wait().expect("it ends").success());
}

#[tokio::test]
async fn a_hook_gets_the_tls_parameters_of_the_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    if !certificate(folder.path()) {
        return;
    }
    let pem = std::fs::read(folder.path().join("cert.pem")).expect("it was made");
    let arguments = ["--tls-cert=cert.pem", "--tls-key=key.pem"];
    let archive = Archive::start_in(folder, "http://127.0.0.1:1/keys", &arguments);
    let trusted = reqwest::Certificate::from_pem(&pem).expect("a certificate");
    let http = reqwest::Client::builder()
        .tls_certs_only([trusted])
        .no_proxy();
    let http = http.build().expect("a client");
    let response = http.get(format!("{}/records", archive.base)).send().await;
    let response = response.expect("a response");
    assert_eq!(response.status(), 401);
    assert_eq!(
        response.headers()["strict-transport-security"],
        "max-age=31536000"
    );
}

/// Creates a certificate and its key. Returns false if `openssl` is missing.
fn certificate(folder: &Path) -> bool {
    let mut command = Command::new("openssl");
    let command = command.current_dir(folder).stderr(Stdio::null());
    let command = command.args(
        "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=archive"
            .split(' '),
    );
    let made = command
        .args([
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .status();
    match made {
        Ok(status) => {
            assert!(status.success(), "openssl failed");
            true
        }
        Err(_) => {
            skip(Need::Openssl, "the command `openssl` is missing");
            false
        }
    }
}

#[test]
fn the_code_in_the_guide_equals_the_code_of_this_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // White space is ignored, because the guide has another indentation.
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(folder.join(file)).expect("it can be read");
        text.split_whitespace().collect::<String>()
    };
    let files = ["src", "tests/service"].map(|files| {
        let files = std::fs::read_dir(folder.join(files)).expect("a folder");
        files.map(|file| file.expect("a file").path())
    });
    let sources: Vec<String> = files.into_iter().flatten().map(&read).collect();
    let guide = ["service.md", "streams.md", "files.md"];
    let guide = guide.map(|page| read(format!("../../book/src/toolkit/{page}").into()));
    let guide = guide.concat();
    let blocks = guide.split("```rust").skip(1);
    let blocks: Vec<&str> = blocks.filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 5, "the guide has code");
    for block in blocks {
        let found = sources.iter().any(|source| source.contains(block));
        assert!(found, "the example does not have: {block}");
    }
}

// Several threads, because these requests block their thread and the issuer must respond meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn lists_json_values_and_cookies_are_accepted_as_parameters() {
    let issuer = Issuer::start().await;
    let archive = Archive::start(&issuer.service.base_url(), &[]);
    let token = issuer.token("key-1", &json!({}));
    for (title, text) in [("old map", "12"), ("old book", "1234"), ("new map", "123")] {
        archive.add(title, text).await;
    }
    let authorization = format!("authorization: Bearer {token}");
    let get = |query: &str, cookie: &str| {
        let request = format!("GET /v1/records/count{query}");
        archive.send(&request, &[&authorization, cookie])
    };
    for (query, cookie, count) in [
        ("", "x-none: 1", 3),
        ("?ids=1%7C3", "x-none: 1", 2),
        ("?ids=1|2&words=old+book", "x-none: 1", 1),
        ("?words=old%20map", "x-none: 1", 1),
        ("?size=%7B%22least%22:3%7D", "x-none: 1", 2),
        ("?size={%22least%22:3,%22most%22:3}", "x-none: 1", 1),
        ("", "cookie: theme=dark; seen=2", 1),
        ("", "cookie: seen=%32; seen=0", 1),
    ] {
        let response = get(query, cookie);
        assert!(
            response.ends_with(&format!("{{\"count\":{count}}}")),
            "{query} {cookie}: {response}"
        );
    }
    for (query, cookie, message) in [
        (
            "?ids=1%7Cx",
            "x-none: 1",
            "a value of `ids` must be an integer",
        ),
        ("?size=%7B", "x-none: 1", "`size` must be JSON: EOF"),
        (
            "?size=%7B%7D",
            "x-none: 1",
            "`size` must be JSON: missing field `least`",
        ),
        ("", "cookie: seen=x", "`seen` must be an integer"),
    ] {
        let response = get(query, cookie);
        assert!(
            response.starts_with("HTTP/1.1 400 "),
            "{query} {cookie}: {response}"
        );
        assert!(response.contains(message), "{query} {cookie}: {response}");
    }
    let client = archive.reader(&token);
    let count = async |ids: &[i64], words: &[&str], least: i64, seen: i64| {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let counting = client.count_records().ids(ids.to_vec()).words(words);
        let size = SizeRange::builder().least(least);
        let counted = counting.size(size).seen(seen).send().await;
        counted.map(|counted| counted.into_inner().count)
    };
    assert_eq!(count(&[1, 2, 3], &["old"], 0, 0).await.ok(), Some(2));
    assert_eq!(count(&[2, 3], &["old", "book"], 3, 1).await.ok(), Some(1));
    assert_eq!(count(&[1, 2, 3], &["map"], 3, 0).await.ok(), Some(1));
    assert_eq!(count(&[1, 2, 3], &["map"], 0, 1).await.ok(), Some(1));
    let error = count(&[1], &["old map"], 0, 0)
        .await
        .map_err(|error| error.to_string());
    let message = error.expect_err("a word has a space");
    assert!(message.contains("whose space would end it"), "{message}");
}

#[tokio::test]
async fn each_operation_accepts_its_own_media_types() {
    let issuer = Issuer::start().await;
    let archive = Archive::start(&issuer.service.base_url(), &[]);
    let token = issuer.token("key-1", &json!({}));
    let id = archive.add("Map", "old").await.id;
    let client = archive.reader(&token);
    let change = RecordChange::builder().title("Chart".to_owned());
    let changed = client.change_record().record_id(id).body(change);
    let changed = changed.send().await.expect("it is a merge patch");
    assert_eq!(changed.title, "Chart");
    let sent = async |method: &str, path: &str, media_type: &str, body: &'static str| {
        let url = format!("{}/records/{id}{path}", archive.base);
        let method = method.parse().expect("a method");
        let request = reqwest::Client::new()
            .request(method, url)
            .bearer_auth(&token);
        let response = request.header("content-type", media_type).body(body).send();
        let response = response.await.expect("a response");
        let status = response.status().as_u16();
        (status, response.text().await.expect("a text"))
    };
    let merge = "application/merge-patch+json";
    assert_eq!(sent("PATCH", "", merge, "{}").await.0, 200);
    let (status, body) = sent("PATCH", "", merge, r#"{"title":"a","title":"b"}"#).await;
    assert_eq!(status, 400, "{body}");
    let (status, body) = sent("PATCH", "", "application/json", "{}").await;
    assert_eq!(status, 415, "{body}");
    assert!(
        body.contains("the body must be `application/merge-patch+json`"),
        "{body}"
    );
    for media_type in ["text/plain", "text/markdown"] {
        assert_eq!(sent("PUT", "/content", media_type, "new").await.0, 204);
    }
    let (status, body) = sent("PUT", "/content", "image/png", "new").await;
    assert_eq!(status, 415, "{body}");
    assert!(
        body.contains("must be `text/plain` or `text/markdown`"),
        "{body}"
    );
    let text = client
        .upload()
        .record_id(id)
        .body("by the client".to_owned());
    text.send().await.expect("it is text");
    let content = client.download().record_id(id).send().await;
    content.expect("the content");
}

//! Starts services that send webhooks to this machine, and receives these webhooks.

use crate::{
    process::{Service, run_ok},
    raw::{RawResponse, Request, send},
};
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use std::{
    collections::HashMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{self, Sender},
    },
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The settings of a service that sends webhooks to this machine, and that runs in the folder of [`write_key`].
pub const LOCAL: [&str; 6] = [
    "--webhook-key-file",
    "webhooks.key",
    "--webhook-allow-http",
    "on",
    "--webhook-allow-networks",
    "127.0.0.0/8",
];

/// Writes the file from which the secrets of webhooks are derived.
pub fn write_key(folder: &Path) {
    fs::write(folder.join("webhooks.key"), "k".repeat(48)).expect("a key file");
}

/// Creates an API key that may manage webhooks. The arguments name the store.
pub fn create_key(folder: &Path, store: &[&str]) -> String {
    let create = ["key", "create", "shop", "--scope", "read,write,webhooks"];
    let shown = run_ok(folder, &[&create, store].concat());
    shown.trim().to_owned()
}

/// Starts a service on a new store that sends webhooks to this machine. Its key may manage webhooks.
pub fn serve(store: &[&str]) -> Service {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    write_key(folder.path());
    serve_again(folder, store, None)
}

/// Starts such a service again. Without a key it creates one.
pub fn serve_again(folder: Arc<TempDir>, store: &[&str], key: Option<&str>) -> Service {
    let mut service = Service::start_in(folder, &[&LOCAL, store].concat(), &[]);
    let create = || create_key(service.folder.path(), store);
    service.key = key.map_or_else(create, str::to_owned);
    service
}

/// Sends a request about the webhooks of a key.
pub fn request(
    service: SocketAddr,
    key: &str,
    method: &str,
    target: &str,
    body: Option<&Value>,
) -> RawResponse {
    let mut request = Request::new(method, &format!("/v1/webhooks{target}")).key(key);
    if let Some(body) = body {
        request = request
            .header("content-type", "application/json")
            .body(body.to_string());
    }
    send(service, &request)
}

/// Creates and enables a webhook. Returns its id and its secret.
pub fn enable(service: SocketAddr, key: &str, url: &str, types: &Value) -> (String, String) {
    let webhook = json!({"url": url, "types": types});
    let created = request(service, key, "POST", "", Some(&webhook)).json();
    assert_eq!(created["status"], "pending", "{created}");
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    let (id, secret) = (text("id"), text("secret"));
    let verification = format!("/{id}/verification");
    let verified = request(service, key, "POST", &verification, None).json();
    assert_eq!(verified["status"], "enabled", "{verified}");
    assert_eq!(verified.get("secret"), None);
    (id, secret)
}

/// A request that a receiver got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Got {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Verifies the signature as the library of Standard Webhooks does.
    pub fn verify(&self, secret: &str) -> bool {
        let headers = self.headers.iter().map(|(name, value)| {
            let name = HeaderName::try_from(name.as_str()).expect("a name");
            (name, value.parse().expect("a value"))
        });
        let headers: HeaderMap = headers.collect();
        let webhook = Webhook::new(secret).expect("a secret");
        webhook.verify(self.body.as_bytes(), &headers).is_ok()
    }
}

/// A receiver on this machine. It returns challenges (for `/hold` after `release`), and for events the status that its path names: `/503` gets 503.
pub struct Receiver {
    pub address: SocketAddr,
    events: mpsc::Receiver<Got>,
    release: Sender<()>,
}

impl Receiver {
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let (got, events) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let released = Arc::new(Mutex::new(released));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (got, released) = (got.clone(), Arc::clone(&released));
                thread::spawn(move || respond(stream, &got, &released));
            }
        });
        Receiver {
            address,
            events,
            release,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn event(&self) -> Got {
        self.events.recv_timeout(PATIENCE).expect("an event")
    }

    /// Waits for the next event as long as the receiver runs.
    pub fn next(&self) -> Option<Got> {
        self.events.recv().ok()
    }

    /// Responds to a challenge for `/hold`, which [`event`](Self::event) returned.
    pub fn release(&self) {
        self.release.send(()).expect("the receiver runs");
    }
}

fn respond(stream: TcpStream, events: &Sender<Got>, released: &Mutex<mpsc::Receiver<()>>) {
    let mut reader = BufReader::new(stream);
    while let Some(got) = read(&mut reader) {
        let challenge = (got.json()["type"] == "endpoint.verification").then(|| {
            got.json()["challenge"]
                .as_str()
                .expect("a challenge")
                .to_owned()
        });
        let (status, body) = match (&challenge, got.path.as_str()) {
            (Some(_), "/other") => (200, "another text".to_owned()),
            (Some(challenge), _) => (200, challenge.clone()),
            (None, path) => (
                path.trim_start_matches('/').parse().unwrap_or(200),
                String::new(),
            ),
        };
        let is_held = challenge.is_some() && got.path == "/hold";
        if challenge.is_none() || is_held {
            let _ = events.send(got);
        }
        if is_held && released.lock().expect("no panic").recv().is_err() {
            return;
        }
        let length = body.len();
        let location = if status == 302 { "location: /\r\n" } else { "" };
        let response =
            format!("HTTP/1.1 {status} X\r\n{location}content-length: {length}\r\n\r\n{body}");
        if reader.get_mut().write_all(response.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader
            .read_line(&mut line)
            .ok()
            .filter(|length| *length > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let path = lines[0].split(' ').nth(1)?.to_owned();
    let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
    let headers: HashMap<_, _> = headers
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = vec![0; headers["content-length"].parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).expect("UTF-8");
    Some(Got {
        path,
        headers,
        body,
    })
}

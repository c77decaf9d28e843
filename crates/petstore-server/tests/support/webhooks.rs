//! Receives webhooks on this machine.

use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;
use standardwebhooks::Webhook;
use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{self, Sender},
    },
    thread,
    time::Duration,
};

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The settings of a service that sends webhooks to this machine, beside `--webhook-key-file`.
pub const LOCAL: [&str; 4] = [
    "--webhook-allow-http",
    "on",
    "--webhook-allow-networks",
    "127.0.0.0/8",
];

/// A request that a receiver got.
#[derive(Clone, Debug)]
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
    address: String,
    events: mpsc::Receiver<Got>,
    release: Sender<()>,
}

impl Receiver {
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let (got, events) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let released = Arc::new(Mutex::new(released));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (got, released) = (got.clone(), Arc::clone(&released));
                thread::spawn(move || serve(stream, &got, &released));
            }
        });
        Receiver {
            address,
            events,
            release,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    pub fn event(&self) -> Got {
        self.events.recv_timeout(PATIENCE).expect("an event")
    }

    /// Responds to a challenge for `/hold`, which [`event`](Self::event) returned.
    pub fn release(&self) {
        self.release.send(()).expect("the receiver runs");
    }
}

fn serve(stream: TcpStream, events: &Sender<Got>, released: &Mutex<mpsc::Receiver<()>>) {
    let mut reader = BufReader::new(stream);
    while let Some(got) = request(&mut reader) {
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

fn request(reader: &mut BufReader<TcpStream>) -> Option<Got> {
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

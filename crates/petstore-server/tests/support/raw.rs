//! Sends HTTP requests as raw bytes, and reads complete responses.

use serde_json::Value;
use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// An HTTP/1.1 request.
#[derive(Clone, Debug)]
pub struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, target: &str) -> Self {
        Request {
            head: format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n"),
            body: Vec::new(),
        }
    }

    pub fn get(target: &str) -> Self {
        Request::new("GET", target)
    }

    /// Creates a `POST` request with a JSON body.
    pub fn post(target: &str, body: impl Into<Vec<u8>>) -> Self {
        Request::new("POST", target)
            .header("Content-Type", "application/json")
            .body(body)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    pub fn key(self, key: &str) -> Self {
        self.header("Authorization", &format!("Bearer {key}"))
    }

    /// Adds a body and its length.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("Content-Length", &length)
    }

    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// A response, with all bytes that were received.
#[derive(Clone, Debug)]
pub struct RawResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl RawResponse {
    /// Returns the only header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let all = self.headers(name);
        assert!(all.len() <= 1, "more than one {name}: {self:?}");
        all.first().copied()
    }

    pub fn headers(&self, name: &str) -> Vec<&str> {
        let same = |(found, _): &&(String, String)| found.eq_ignore_ascii_case(name);
        self.headers
            .iter()
            .filter(same)
            .map(|(_, value)| value.as_str())
            .collect()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn message(&self) -> String {
        self.json()["message"]
            .as_str()
            .unwrap_or_else(|| panic!("no message: {self:?}"))
            .to_owned()
    }

    /// Checks that an error has the required form: status, code, the three properties, and the
    /// headers that belong to the status. Returns the message.
    #[track_caller]
    pub fn assert_error(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(
            self.header("content-type"),
            Some("application/json"),
            "{self:?}"
        );
        let request_id = self.header("x-request-id").unwrap_or_default();
        assert_eq!(request_id.len(), 36, "{self:?}");
        let json = self.json();
        assert_eq!(json["code"], code, "{self:?}");
        assert_eq!(json["status"], status, "{self:?}");
        assert_eq!(
            json.as_object().map(serde_json::Map::len),
            Some(3),
            "{self:?}"
        );
        assert_eq!(
            self.header("www-authenticate").is_some(),
            [401, 403].contains(&status),
            "{self:?}"
        );
        assert_eq!(
            self.header("retry-after").is_some(),
            code == "conflict" || [429, 503].contains(&status),
            "{self:?}"
        );
        assert_eq!(self.header("allow").is_some(), status == 405, "{self:?}");
        let message = self.message();
        assert!(message.len() > 10, "{self:?}");
        message
    }
}

/// One connection.
pub struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a timeout can be set");
        stream
            .set_write_timeout(Some(PATIENCE))
            .expect("a timeout can be set");
        stream.set_nodelay(true).expect("can be set");
        Connection {
            stream,
            read: Vec::new(),
        }
    }

    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream
            .write_all(bytes.as_ref())
            .expect("the server takes what is sent");
    }

    /// Returns the same connection, for writing while another thread waits for a response.
    pub fn writer(&self) -> Self {
        let stream = self.stream.try_clone().expect("a socket can be shared");
        Connection {
            stream,
            read: Vec::new(),
        }
    }

    /// Returns the next response, completely.
    pub fn response(&mut self) -> RawResponse {
        let (status, headers) = self.head();
        let mut response = RawResponse {
            status,
            headers,
            body: Vec::new(),
        };
        let length = match response.header("content-length") {
            Some(length) => length.parse().expect("a length"),
            None => 0,
        };
        while self.read.len() < length {
            assert!(self.read_more(), "closed in the middle of a body");
        }
        response.body = self.read.drain(..length).collect();
        response
    }

    /// Returns the head of the next response if no body follows: the response to `HEAD`, or an
    /// interim response such as 100.
    pub fn head(&mut self) -> (u16, Vec<(String, String)>) {
        let end = loop {
            match self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(end) => break end,
                None => assert!(
                    self.read_more(),
                    "closed before a response: {:?}",
                    self.read
                ),
            }
        };
        let head: Vec<u8> = self.read.drain(..end + 4).collect();
        let head = String::from_utf8(head).expect("a head is text");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .expect("a status line");
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.to_owned(), value.to_owned())
        };
        (
            status.parse().expect("a status"),
            lines.map(header).collect(),
        )
    }

    /// Returns the bytes that arrive up to this text, including the text.
    pub fn until(&mut self, text: &str) -> String {
        let begin = Instant::now();
        let end = loop {
            let mut starts = self.read.windows(text.len());
            if let Some(start) = starts.position(|window| window == text.as_bytes()) {
                break start + text.len();
            }
            let arrives = begin.elapsed() < PATIENCE && self.read_more();
            assert!(arrives, "{text} is missing: {}", self.so_far());
        };
        String::from_utf8_lossy(&self.read.drain(..end).collect::<Vec<_>>()).into_owned()
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// Whether the server closes the connection without sending another byte.
    pub fn is_closed(&mut self) -> bool {
        self.read.is_empty() && !self.read_more()
    }

    /// Returns the bytes that arrive until the server closes the connection.
    pub fn rest(&mut self) -> String {
        while self.read_more() {}
        self.so_far()
    }

    fn read_more(&mut self) -> bool {
        let mut buffer = [0; 64 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(read) => {
                self.read.extend_from_slice(&buffer[..read]);
                true
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) if error.kind() == ErrorKind::Interrupted => self.read_more(),
            Err(error) => panic!("no response: {error}; so far {:?}", self.so_far()),
        }
    }
}

/// Sends one request on a separate connection.
pub fn send(address: SocketAddr, request: &Request) -> RawResponse {
    let mut connection = Connection::open(address);
    connection.write(request.bytes());
    connection.response()
}

//! Thousands of connections of one hostile client, with or without TLS. Each sends the same bytes,
//! as far as the service accepts them, and reads nothing.

use crate::{
    frames::{self, END_HEADERS, END_STREAM, HEADERS, SETTINGS, frame},
    raw::Request,
    tls::Trust,
};
use rustls::ClientConnection;
use std::{
    io::{self, ErrorKind, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The time limit for opening a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// An attack is established when the service has read nothing for this time.
const SETTLED: Duration = Duration::from_millis(700);
/// How many threads open connections; a handshake also takes the client a millisecond.
const THREADS: usize = 4;

/// Just less than the largest head that the service accepts.
const HEAD_BYTES: usize = 31_000;
/// The same, including the names of the fields and 32 bytes for each (RFC 9113, section 6.5.2).
const FIELD_BYTES: usize = 28_000;
/// Fields that count as 33 bytes, but take only one byte each in the frame.
const INDEXED_FIELDS: usize = 900;

/// The bytes that each connection of an attack sends.
#[derive(Clone)]
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// The protocol that TLS negotiates; if it is empty, the bytes are sent instead of a handshake.
    protocol: &'static str,
    bytes: Arc<[u8]>,
}

/// Open connections.
pub(crate) struct Crowd(Vec<TcpStream>);

impl Attack {
    fn new(name: &'static str, protocol: &'static str, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            name,
            protocol,
            bytes: bytes.into(),
        }
    }

    /// HTTP/1.1 heads that never end.
    pub(crate) fn half_heads() -> Self {
        let mut head = b"GET /v1/pets HTTP/1.1\r\nHost: test\r\nX: ".to_vec();
        head.resize(HEAD_BYTES, b'x');
        Self::new("half-sent heads", "http/1.1", head)
    }

    /// Large HTTP/1.1 heads whose bodies never end.
    pub(crate) fn large_heads(key: &str) -> Self {
        let request = Request::post("/v1/pets", vec![b' '; 2000])
            .key(key)
            .header("X", &"x".repeat(HEAD_BYTES - 500));
        let mut bytes = request.bytes();
        bytes.truncate(bytes.len() - 1000);
        Self::new("large heads and slow bodies", "http/1.1", bytes)
    }

    /// An HTTP/1.1 request whose response is never read.
    pub(crate) fn unread(key: &str, target: &str) -> Self {
        let bytes = Request::get(target).key(key).bytes();
        Self::new("unread responses of HTTP/1.1", "http/1.1", bytes)
    }

    /// HTTP/2 heads with one large field, and a body that never arrives.
    pub(crate) fn large_streams(key: &str, streams: u32) -> Self {
        let padding = "x".repeat(FIELD_BYTES);
        let head = frames::head(&[&create(&bearer(key))[..], &[("x", &padding)]].concat());
        Self::new("large heads of HTTP/2", "h2", open_streams(streams, &head))
    }

    /// HTTP/2 heads that are as small as possible, and a body that never arrives.
    pub(crate) fn small_streams(key: &str, streams: u32) -> Self {
        let head = frames::head(&create(&bearer(key)));
        Self::new(
            "waiting requests of HTTP/2",
            "h2",
            open_streams(streams, &head),
        )
    }

    /// HTTP/2 heads with many fields, each of which refers to an entry of the dynamic table (RFC
    /// 7541, section 2.3.2) with one byte.
    pub(crate) fn indexed_fields(key: &str, streams: u32) -> Self {
        let mut first = frames::head(&create(&bearer(key)));
        // A literal that is added to the table as its first entry.
        first.extend([0x40, 1, b'x', 0]);
        first.extend([0xbe; INDEXED_FIELDS]);
        let mut head = frames::head(&create(&bearer(key)));
        head.extend([0xbe; INDEXED_FIELDS]);
        let begin = frame(HEADERS, END_HEADERS, 1, &first);
        let rest = (1..streams).map(|stream| frame(HEADERS, END_HEADERS, 2 * stream + 1, &head));
        let bytes = [preface(), begin].into_iter().chain(rest);
        Self::new(
            "indexed fields of HTTP/2",
            "h2",
            bytes.collect::<Vec<_>>().concat(),
        )
    }

    /// The head of an HTTP/2 request with many fields that never ends.
    pub(crate) fn half_heads_of_http2() -> Self {
        let mut head = frames::head(&create("Bearer x"));
        head.extend([0x40, 1, b'x', 0]);
        head.extend([0xbe; INDEXED_FIELDS]);
        let bytes = [preface(), frame(HEADERS, END_STREAM, 1, &head)].concat();
        Self::new("half-sent heads of HTTP/2", "h2", bytes)
    }

    /// HTTP/2 responses for which the client opens no window.
    pub(crate) fn without_window(key: &str, target: &str, streams: u32) -> Self {
        let authorization = bearer(key);
        let head = frames::head(&frames::get(target, &authorization));
        let settings: [u8; 6] = [0, 4, 0, 0, 0, 0];
        let mut bytes = [PREFACE.to_vec(), frame(SETTINGS, 0, 0, &settings)].concat();
        for stream in 0..streams {
            bytes.extend(frame(
                HEADERS,
                END_HEADERS | END_STREAM,
                2 * stream + 1,
                &head,
            ));
        }
        Self::new("unread responses of HTTP/2", "h2", bytes)
    }

    /// The beginning of a TLS handshake that would have 65 kB and that never ends.
    pub(crate) fn endless_hello(bytes: usize) -> Self {
        let mut hello = vec![1, 0, 0xff, 0xf0, 3, 3];
        hello.resize(bytes, 0);
        let records = hello.chunks(16_000).map(|part| {
            let length = u16::try_from(part.len())
                .expect("it is small")
                .to_be_bytes();
            [&[22, 3, 1][..], &length, part].concat()
        });
        Self::new(
            "endless ClientHellos",
            "",
            records.collect::<Vec<_>>().concat(),
        )
    }

    /// Returns the bytes that a connection sends after the handshake, encrypted if `tls` is set.
    fn bytes(&self, tls: Option<ClientConnection>) -> io::Result<Vec<u8>> {
        let Some(mut tls) = tls else {
            return Ok(self.bytes.to_vec());
        };
        tls.set_buffer_limit(None);
        tls.writer().write_all(&self.bytes)?;
        let mut encrypted = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut encrypted)?;
        }
        Ok(encrypted)
    }

    fn connect(&self, address: SocketAddr, trust: Option<&Trust>) -> io::Result<Client> {
        let mut stream = TcpStream::connect_timeout(&address, CONNECT)?;
        stream.set_read_timeout(Some(CONNECT))?;
        stream.set_write_timeout(Some(CONNECT))?;
        let tls = match trust {
            Some(trust) if !self.protocol.is_empty() => {
                let (mut tls, _) = trust.open(stream.try_clone()?, self.protocol)?.into_parts();
                tls.complete_io(&mut stream)?;
                Some(tls)
            }
            _ => None,
        };
        let bytes = self.bytes(tls)?;
        stream.set_nonblocking(true)?;
        Ok(Client {
            stream,
            bytes,
            sent: 0,
        })
    }
}

impl Crowd {
    /// Opens this many connections, and sends as much as the service accepts within `time`.
    pub(crate) fn gather(
        address: SocketAddr,
        trust: Option<&Trust>,
        attack: &Attack,
        count: usize,
        time: Duration,
    ) -> Self {
        let clients = Mutex::new(Vec::with_capacity(count));
        thread::scope(|scope| {
            for number in 0..THREADS {
                let clients = &clients;
                let share = count / THREADS + usize::from(number < count % THREADS);
                scope.spawn(move || {
                    let begin = Instant::now();
                    for _ in 0..share {
                        if begin.elapsed() > time {
                            break;
                        }
                        if let Ok(mut client) = attack.connect(address, trust) {
                            client.send();
                            clients.lock().expect("no panic").push(client);
                        }
                    }
                });
            }
        });
        let mut clients = clients.into_inner().expect("no panic");
        let (begin, mut last) = (Instant::now(), Instant::now());
        while begin.elapsed() < time && last.elapsed() < SETTLED {
            let moved = clients.iter_mut().map(Client::send).sum::<usize>();
            if moved > 0 {
                last = Instant::now();
            }
            if clients.iter().all(Client::is_done) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Self(clients.into_iter().map(|client| client.stream).collect())
    }

    /// Returns how many of the connections the service has not closed.
    pub(crate) fn open(&self) -> usize {
        let is_open = |stream: &&TcpStream| {
            let mut buffer = [0; 4096];
            loop {
                match (&**stream).read(&mut buffer) {
                    Ok(1..) => {}
                    Ok(0) => return false,
                    Err(error) => return error.kind() == ErrorKind::WouldBlock,
                }
            }
        };
        self.0.iter().filter(is_open).count()
    }
}

/// A hostile client that repeatedly opens its connections.
pub(crate) struct Renewed {
    ends: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<usize>>,
}

impl Renewed {
    /// Keeps this many connections open; each is opened again when the service closes it.
    pub(crate) fn begin(
        address: SocketAddr,
        trust: Option<&Trust>,
        attack: &Attack,
        count: usize,
    ) -> Self {
        let ends = Arc::<AtomicBool>::default();
        let threads = (0..THREADS).map(|_| {
            let (ends, attack, trust) = (ends.clone(), attack.clone(), trust.cloned());
            thread::spawn(move || {
                let mut clients: Vec<Client> = Vec::new();
                let mut opened = 0;
                while !ends.load(Ordering::Relaxed) {
                    clients.retain_mut(|client| {
                        client.send();
                        client.is_open()
                    });
                    for _ in 0..100 {
                        if clients.len() >= count / THREADS {
                            break;
                        }
                        if let Ok(mut client) = attack.connect(address, trust.as_ref()) {
                            client.send();
                            clients.push(client);
                            opened += 1;
                        }
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                opened
            })
        });
        Self {
            threads: threads.collect(),
            ends,
        }
    }

    /// Ends the client, and returns how many connections were opened.
    pub(crate) fn end(self) -> usize {
        self.ends.store(true, Ordering::Relaxed);
        let opened = |thread: thread::JoinHandle<usize>| thread.join().expect("no panic");
        self.threads.into_iter().map(opened).sum()
    }
}

struct Client {
    stream: TcpStream,
    bytes: Vec<u8>,
    sent: usize,
}

impl Client {
    fn is_done(&self) -> bool {
        self.sent >= self.bytes.len()
    }

    /// Whether the service has not closed the connection; nothing is read.
    fn is_open(&self) -> bool {
        match self.stream.peek(&mut [0]) {
            Ok(length) => length > 0,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }

    /// Sends as much as the service accepts, and returns how much that was.
    fn send(&mut self) -> usize {
        let before = self.sent;
        while !self.is_done() {
            match self.stream.write(&self.bytes[self.sent..]) {
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => {
                    self.bytes.clear();
                    self.sent = 0;
                    return 0;
                }
            }
        }
        if self.is_done() {
            self.bytes = Vec::new();
            let sent = self.sent - before;
            self.sent = 0;
            return sent;
        }
        self.sent - before
    }
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn preface() -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()
}

fn bearer(key: &str) -> String {
    format!("Bearer {key}")
}

/// Returns the header fields of the creation of a pet.
fn create(authorization: &str) -> [(&str, &str); 6] {
    let [_, scheme, authority, _, authorization] = frames::get("", authorization);
    [
        (":method", "POST"),
        scheme,
        authority,
        (":path", "/v1/pets"),
        ("content-type", "application/json"),
        authorization,
    ]
}

/// Returns streams with this head that never end.
fn open_streams(streams: u32, head: &[u8]) -> Vec<u8> {
    let mut bytes = preface();
    for stream in 0..streams {
        let stream = 2 * stream + 1;
        let mut parts = head.chunks(16_384).peekable();
        let mut kind = HEADERS;
        while let Some(part) = parts.next() {
            let flags = if parts.peek().is_none() {
                END_HEADERS
            } else {
                0
            };
            bytes.extend(frame(kind, flags, stream, part));
            kind = frames::CONTINUATION;
        }
    }
    bytes
}

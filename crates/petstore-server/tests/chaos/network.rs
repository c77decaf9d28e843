//! A proxy that closes connections, delays or truncates responses, responds instead of the service,
//! and sends requests twice. A seed decides what it does with each request.

use std::{
    collections::HashSet,
    fmt, io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// The treatment of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The request is forwarded, and its response is sent back.
    Pass,
    /// The same, after a delay.
    Delay,
    /// The request is forwarded twice at the same time; one of the responses is sent back.
    Duplicate,
    /// The connection is closed before the request is forwarded.
    KillBefore,
    /// The request is forwarded, and the connection is closed instead of sending the response.
    KillAfter,
    /// The request is forwarded, and half of the response is sent back.
    Truncate,
    /// The request is forwarded, and the client gets no response.
    Hold,
    /// 429 with `Retry-After`; the request is not forwarded.
    Limit,
    /// 503 with `Retry-After`, as a proxy sends it; the request is not forwarded.
    Unavailable,
    /// The request is forwarded, and the client gets a response as if it were still running.
    Conflict,
    /// An HTML 502 instead of the response.
    BadGateway,
}

/// All treatments, each with its share in a thousand: about one try in eight fails.
const SHARES: [(Fate, u64); 11] = [
    (Fate::Pass, 770),
    (Fate::Delay, 50),
    (Fate::Duplicate, 60),
    (Fate::KillBefore, 20),
    (Fate::KillAfter, 25),
    (Fate::Truncate, 25),
    (Fate::Hold, 1),
    (Fate::Limit, 4),
    (Fate::Unavailable, 15),
    (Fate::Conflict, 15),
    (Fate::BadGateway, 15),
];

/// A status, headers and a body that replace the response.
type Instead = (&'static str, &'static str, &'static str);

const LIMITED: Instead = ("429 Too Many Requests", "retry-after: 1", "");
const UNAVAILABLE: Instead = ("503 Service Unavailable", "retry-after: 1", "<html>");
const BAD_GATEWAY: Instead = ("502 Bad Gateway", "content-type: text/html", "<html>");
const CONFLICT: Instead = (
    "409 Conflict",
    "content-type: application/json",
    r#"{"code":"conflict","message":"it is still running","status":409}"#,
);

fn written((status, header, body): Instead) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

/// The proxy, which runs as long as the test.
pub(crate) struct Network {
    /// The address of the proxy.
    pub(crate) address: SocketAddr,
    counts: Arc<[AtomicU64; SHARES.len()]>,
}

impl Network {
    /// Starts a proxy in front of the service at this address.
    pub(crate) async fn before(service: SocketAddr, seed: u64) -> Self {
        Network::drawing(service, move |number, _| draw(seed, number)).await
    }

    /// Starts a proxy in front of the receiver of a webhook. Only the first request with an event can get a fault, because
    /// the service waits for minutes after a second failure.
    pub(crate) async fn before_receiver(receiver: SocketAddr, seed: u64) -> Self {
        let met = Arc::<Mutex<HashSet<String>>>::default();
        let fate = move |number, request: &[u8]| {
            let head = String::from_utf8_lossy(request);
            let mut ids = head
                .lines()
                .filter_map(|line| line.strip_prefix("webhook-id: "));
            let event = ids.next().filter(|id| id.starts_with("evt_"));
            let is_first = |id: &str| met.lock().expect("no panic").insert(id.to_owned());
            match event.is_some_and(is_first) {
                true => draw(seed, number),
                false => Fate::Pass,
            }
        };
        Network::drawing(receiver, fate).await
    }

    /// Closes every connection when a request has arrived.
    pub(crate) async fn without_responses(service: SocketAddr) -> Self {
        Network::drawing(service, |_, _| Fate::KillBefore).await
    }

    async fn drawing(
        service: SocketAddr,
        fate: impl Fn(u64, &[u8]) -> Fate + Clone + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port is free");
        let address = listener.local_addr().expect("a bound listener has one");
        let counts: Arc<[AtomicU64; SHARES.len()]> = Arc::default();
        let network = Network {
            address,
            counts: Arc::clone(&counts),
        };
        tokio::spawn(async move {
            let next = Arc::new(AtomicU64::new(0));
            while let Ok((client, _)) = listener.accept().await {
                let (counts, next, fate) = (Arc::clone(&counts), Arc::clone(&next), fate.clone());
                tokio::spawn(async move {
                    let drawn = |request: &[u8]| {
                        let fate = fate(next.fetch_add(1, Ordering::Relaxed), request);
                        count(&counts, fate);
                        fate
                    };
                    // Broken connections are expected here.
                    let _ = serve(client, service, drawn).await;
                });
            }
        });
        network
    }

    /// How many requests the client has sent.
    pub(crate) fn tries(&self) -> u64 {
        let counts = self.counts.iter();
        counts.map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// How many requests arrived twice, or arrived although the client got no successful response.
    pub(crate) fn repeated(&self) -> usize {
        let repeats = [
            Fate::Duplicate,
            Fate::KillAfter,
            Fate::Truncate,
            Fate::Hold,
            Fate::Conflict,
        ];
        let counts = SHARES.iter().zip(self.counts.iter());
        let counts = counts.filter(|((fate, _), _)| repeats.contains(fate));
        let count = counts
            .map(|(_, count)| count.load(Ordering::Relaxed))
            .sum::<u64>();
        usize::try_from(count).expect("few")
    }

    /// Whether every kind of fault occurred.
    pub(crate) fn did_everything_wrong(&self) -> bool {
        let counts = self.counts.iter();
        let mut counts = counts.map(|count| count.load(Ordering::Relaxed));
        counts.all(|count| count > 0)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tries", self.tries())?;
        for ((fate, _), count) in SHARES.iter().zip(self.counts.iter()) {
            write!(f, ", {fate:?} {}", count.load(Ordering::Relaxed))?;
        }
        Ok(())
    }
}

/// The treatment of the request with this number.
fn draw(seed: u64, number: u64) -> Fate {
    // SplitMix64: all bits of its output depend on all of its input.
    let mut bits = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mut left = (bits ^ (bits >> 31)) % SHARES.iter().map(|(_, share)| share).sum::<u64>();
    for (fate, share) in SHARES {
        if left < share {
            return fate;
        }
        left -= share;
    }
    Fate::Pass
}

fn count(counts: &[AtomicU64; SHARES.len()], fate: Fate) {
    let place = SHARES.iter().position(|(known, _)| *known == fate);
    counts[place.expect("all are listed")].fetch_add(1, Ordering::Relaxed);
}

/// Handles the requests of one connection until it is closed.
async fn serve(
    mut client: TcpStream,
    service: SocketAddr,
    draw: impl Fn(&[u8]) -> Fate,
) -> io::Result<()> {
    let mut unread = Vec::new();
    while let Some(request) = message(&mut client, &mut unread).await? {
        let response = match draw(&request) {
            Fate::Pass => exchange(service, &request).await?,
            Fate::Delay => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                exchange(service, &request).await?
            }
            Fate::Duplicate => {
                let (one, other) =
                    tokio::join!(exchange(service, &request), exchange(service, &request));
                one?;
                other?
            }
            Fate::KillBefore => return Ok(()),
            Fate::KillAfter => {
                exchange(service, &request).await?;
                return Ok(());
            }
            Fate::Truncate => {
                let response = exchange(service, &request).await?;
                client.write_all(&response[..response.len() / 2]).await?;
                return Ok(());
            }
            Fate::Hold => {
                exchange(service, &request).await?;
                // Waits until the client gives up.
                client.read_u8().await?;
                return Ok(());
            }
            Fate::Limit => written(LIMITED),
            Fate::Unavailable => written(UNAVAILABLE),
            Fate::Conflict => {
                exchange(service, &request).await?;
                written(CONFLICT)
            }
            Fate::BadGateway => written(BAD_GATEWAY),
        };
        client.write_all(&response).await?;
    }
    Ok(())
}

/// Forwards a request on a separate connection.
async fn exchange(service: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut connection = TcpStream::connect(service).await?;
    connection.write_all(request).await?;
    let mut unread = Vec::new();
    message(&mut connection, &mut unread)
        .await?
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Reads one message to the end of its body; `None` if the connection has ended. It only supports
/// bodies with a length, because both sides send only such bodies.
async fn message(connection: &mut TcpStream, unread: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(end) = end_of_message(unread) {
            let rest = unread.split_off(end);
            return Ok(Some(std::mem::replace(unread, rest)));
        }
        if connection.read_buf(unread).await? == 0 {
            return Ok(None);
        }
    }
}

/// Returns the length of the message that begins here, if it is complete.
fn end_of_message(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    assert!(!text.contains("transfer-encoding:"), "{text}");
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|value| value.trim().parse::<usize>().ok());
    let end = head + length.unwrap_or(0);
    (bytes.len() >= end).then_some(end)
}

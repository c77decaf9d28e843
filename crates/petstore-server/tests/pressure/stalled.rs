//! Tests clients that keep a socket open and send or read nothing: they must not slow down other
//! clients.

use crate::{
    server::Running,
    talk::{self, Connection},
};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    task::JoinSet,
    time::{self, Instant},
};

const SILENT: usize = 1000;
const DRIPPING: usize = 1000;
const NOT_READING: usize = 100;
/// How long a normal client waits for a response.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many responses a client does not read: too many for the buffers.
const UNREAD: usize = 300;

/// Sends nothing.
async fn silent(address: SocketAddr, begun: Arc<AtomicUsize>) {
    let _stream = TcpStream::connect(address).await.expect("it listens");
    begun.fetch_add(1, Ordering::Relaxed);
    std::future::pending().await
}

/// Sends a body byte by byte, and starts again when it is disconnected.
async fn dripping(address: SocketAddr, key: String, begun: Arc<AtomicUsize>) {
    let head = format!(
        "POST /v1/pets HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    );
    let mut first = Some(begun);
    loop {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let mut sent = stream.write_all(head.as_bytes()).await;
        if let Some(begun) = first.take() {
            begun.fetch_add(1, Ordering::Relaxed);
        }
        while sent.is_ok() {
            sent = stream.write_all(b" ").await;
            time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Requests a lot of data and reads nothing.
async fn not_reading(address: SocketAddr, begun: Arc<AtomicUsize>) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    begun.fetch_add(1, Ordering::Relaxed);
    let request = b"GET /v1/openapi.yaml HTTP/1.1\r\nHost: test\r\n\r\n";
    for _ in 0..UNREAD {
        // When the server stops reading, this write waits.
        if stream.write_all(request).await.is_err() {
            break;
        }
    }
    std::future::pending().await
}

pub(crate) async fn a_normal_client_is_served_while_thousands_of_sockets_stall(time: Duration) {
    let server = Running::start();
    let address = server.address;
    let begun = Arc::new(AtomicUsize::new(0));
    let mut stalling = JoinSet::new();
    for _ in 0..SILENT {
        stalling.spawn(silent(address, begun.clone()));
    }
    for _ in 0..DRIPPING {
        stalling.spawn(dripping(address, server.key.clone(), begun.clone()));
    }
    for _ in 0..NOT_READING {
        stalling.spawn(not_reading(address, begun.clone()));
    }

    let request = talk::list(&server.key);
    let begin = Instant::now();
    let mut all_there = None;
    let (mut answered, mut worst) = (0, Duration::ZERO);
    // Measures from the time when all stalled clients exist, and also before.
    while all_there.is_none_or(|there: Instant| there.elapsed() < time) {
        let sent = Instant::now();
        // Every second request uses a new connection, like a new client.
        let mut connection = Connection::open(address).await.expect("it listens");
        for _ in 0..2 {
            let response = time::timeout(PATIENCE, connection.ask(&request)).await;
            let response = response.expect("in time").expect("answered");
            assert_eq!(response.status, 200, "{response:?}");
            answered += 1;
        }
        worst = worst.max(sent.elapsed());
        let there = begun.load(Ordering::Relaxed) == SILENT + DRIPPING + NOT_READING;
        all_there = all_there.or_else(|| there.then(Instant::now));
        assert!(all_there.is_some() || begin.elapsed() < 3 * PATIENCE);
    }
    assert_eq!(stalling.len(), SILENT + DRIPPING + NOT_READING);
    let ended = stalling.try_join_next();
    assert!(ended.is_none(), "a client gave up: {ended:?}");
    let memory = server.assert_memory_is_bounded();
    println!(
        "  {answered} requests beside {} stalled sockets, two took at most {worst:.0?}; at most {memory} MB",
        stalling.len()
    );
}

//! Hostile clients: they send half of a request, or do not read the response. They need no separate
//! threads.

use crate::{
    frames::{self, Http2},
    raw::Request,
};
use std::{
    io::{self, ErrorKind, Write as _},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

/// The size of a half-sent head: just less than the server accepts.
pub const HEAD_BYTES: usize = 32_000;
/// An attack is established when the server has read nothing for this time.
const SETTLED: Duration = Duration::from_secs(2);
/// The time limit for opening a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Opens a connection, if the server accepts it.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, CONNECT)?;
    stream.set_write_timeout(Some(CONNECT))?;
    stream.set_read_timeout(Some(CONNECT))?;
    Ok(stream)
}

/// Opens connections that send heads that never end; each sends as many bytes as the server
/// accepts, for at most `time`.
pub fn half_heads(address: SocketAddr, count: usize, time: Duration) -> Vec<TcpStream> {
    let mut head = b"GET /v1/pets HTTP/1.1\r\nHost: test\r\nX: ".to_vec();
    head.resize(HEAD_BYTES, b'x');
    write_what_is_taken(address, &head, count, time)
}

/// Opens connections that send a request and never read the response.
pub fn non_readers(
    address: SocketAddr,
    request: &Request,
    count: usize,
) -> io::Result<Vec<TcpStream>> {
    let request = request.bytes();
    let open = |_| {
        let mut stream = connect(address)?;
        stream.write_all(&request)?;
        Ok(stream)
    };
    (0..count).map(open).collect()
}

/// Opens connections that send the head of a creation and a part of its body.
pub fn slow_bodies(
    address: SocketAddr,
    key: &str,
    bytes: usize,
    count: usize,
    time: Duration,
) -> Vec<TcpStream> {
    let mut request = Request::post("/v1/pets", vec![b' '; bytes])
        .key(key)
        .bytes();
    request.pop();
    write_what_is_taken(address, &request, count, time)
}

/// Opens a connection with streams whose responses cannot be sent, because the window of each
/// stream is 0.
pub fn without_window<S: io::Read + io::Write>(
    stream: S,
    target: &str,
    key: &str,
    streams: usize,
) -> io::Result<Http2<S>> {
    let mut connection = Http2::begin(stream, &[(frames::INITIAL_WINDOW_SIZE, 0)])?;
    let authorization = format!("Bearer {key}");
    for _ in 0..streams {
        connection.request(&frames::get(target, &authorization))?;
    }
    Ok(connection)
}

/// Writes to all connections at the same time, until everything is sent, no connection makes
/// progress, or the time is over. If the server closes a connection, no more is written to it.
fn write_what_is_taken(
    address: SocketAddr,
    request: &[u8],
    count: usize,
    time: Duration,
) -> Vec<TcpStream> {
    let begin = Instant::now();
    // If the server accepts no more data, the rest must wait.
    let mut clients: Vec<(TcpStream, usize)> = (0..count)
        .map_while(|_| connect_soon(address).ok())
        .map(|stream| (stream, 0))
        .collect();
    let mut last = Instant::now();
    let mut is_done = false;
    while !is_done && begin.elapsed() < time && last.elapsed() < SETTLED {
        is_done = true;
        let mut moved = false;
        for (stream, sent) in &mut clients {
            while *sent < request.len() {
                match stream.write(&request[*sent..]) {
                    Ok(bytes) => {
                        *sent += bytes;
                        moved = true;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        is_done = false;
                        break;
                    }
                    Err(_) => *sent = request.len(),
                }
            }
        }
        if moved {
            last = Instant::now();
        } else {
            thread::sleep(Duration::from_millis(5));
        }
    }
    clients.into_iter().map(|(stream, _)| stream).collect()
}

fn connect_soon(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, CONNECT)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

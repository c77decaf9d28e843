//! A relay in front of a service. It can drop every response: the service receives and executes the
//! requests, and the client gets no response.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

/// A running relay. Its threads end with the process of the test.
pub(crate) struct Relay {
    pub(crate) url: String,
    loses: Arc<AtomicBool>,
    lost: Arc<AtomicU64>,
}

impl Relay {
    pub(crate) fn before(url: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let address = listener.local_addr().expect("an address");
        let relay = Relay {
            url: format!("http://{address}/v1"),
            loses: Arc::default(),
            lost: Arc::default(),
        };
        let to = url.trim_start_matches("http://").trim_end_matches("/v1");
        let (to, loses, lost) = (to.to_owned(), relay.loses.clone(), relay.lost.clone());
        thread::spawn(move || {
            for from in listener.incoming().map_while(Result::ok) {
                let Ok(to) = TcpStream::connect(&to) else {
                    continue;
                };
                let (requests, upstream) = (from.try_clone(), to.try_clone());
                let (requests, upstream) = (requests.expect("a socket"), upstream.expect("one"));
                thread::spawn(move || pass(requests, upstream, |_| true));
                let (loses, lost) = (loses.clone(), lost.clone());
                let keeps = move |_: &[u8]| {
                    let loses = loses.load(Ordering::SeqCst);
                    lost.fetch_add(u64::from(loses), Ordering::SeqCst);
                    !loses
                };
                thread::spawn(move || pass(to, from, keeps));
            }
        });
        relay
    }

    /// Sets whether responses are dropped from now on.
    pub(crate) fn lose(&self, loses: bool) {
        self.loses.store(loses, Ordering::SeqCst);
    }

    /// Returns how many responses were dropped.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::SeqCst)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, keeps: impl Fn(&[u8]) -> bool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if keeps(&buffer[..read]) && to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

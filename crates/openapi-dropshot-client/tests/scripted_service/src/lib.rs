//! Test support for clients: a service that sends one response of a script to each connection, and
//! records the requests. It implements only as much of HTTP/1.1 as these tests need.

use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// A running test service.
#[derive(Debug)]
pub struct Service {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Starts a service that sends the next of these responses to each connection.
    pub async fn responding(responses: impl IntoIterator<Item = String>) -> Self {
        let responses: Vec<String> = responses.into_iter().collect();
        Service::start(false, responses.into_iter()).await
    }

    /// Starts a service that never responds to the first connection, and sends this to all others.
    pub async fn holding_the_first(response: String) -> Self {
        Service::start(true, std::iter::repeat(response)).await
    }

    async fn start(
        holds_the_first: bool,
        responses: impl Iterator<Item = String> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port is free");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address")
            .to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            let _held = if holds_the_first {
                listener.accept().await.ok()
            } else {
                None
            };
            for response in responses {
                let Ok((mut connection, _)) = listener.accept().await else {
                    return;
                };
                let request = read(&mut connection).await;
                kept.lock()
                    .expect("no test panics with the lock")
                    .push(request);
                let _ = connection.write_all(response.as_bytes()).await;
                let _ = connection.shutdown().await;
            }
        });
        Service { address, requests }
    }

    /// Waits until the service has stopped, which it does after its last response.
    pub async fn is_gone(&self) {
        while TcpStream::connect(&self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }

    /// Returns the base URL of the service.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the requests that were received so far, with headers and body.
    pub fn requests(&self) -> Vec<String> {
        self.requests
            .lock()
            .expect("no test panics with the lock")
            .clone()
    }
}

/// Reads one request to the end of its body.
async fn read(connection: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .filter_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length:")?
                        .trim()
                        .parse()
                        .ok()
                })
                .next()
                .unwrap_or(0);
            if body.len() >= length {
                return text.into_owned();
            }
        }
        let mut chunk = [0; 4096];
        match connection.read(&mut chunk).await {
            Ok(0) | Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
        }
    }
}

/// Formats a response with a JSON body and additional headers.
pub fn json(status: &str, headers: &[&str], body: &str) -> String {
    response(
        status,
        &[&["content-type: application/json"], headers].concat(),
        body,
    )
}

/// Formats a response with these headers and this body.
pub fn response(status: &str, headers: &[&str], body: &str) -> String {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

//! A service that gives the answers of a script, one a connection, and keeps
//! what it was asked. It speaks just enough HTTP/1.1 for the tests here.

use petstore_client::{Client, RetryPolicy};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The key that the clients of these tests have.
pub(crate) const KEY: &str = "pk_hush_0123456789";

/// A running service.
pub(crate) struct Service {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Answers each connection with the next of these bytes.
    pub(crate) async fn answering(answers: impl IntoIterator<Item = String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port is free");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address")
            .to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let answers: Vec<String> = answers.into_iter().collect();
        tokio::spawn(async move {
            for answer in answers {
                let Ok((mut connection, _)) = listener.accept().await else {
                    return;
                };
                let request = read(&mut connection).await;
                kept.lock()
                    .expect("no test panics with the lock")
                    .push(request);
                let _ = connection.write_all(answer.as_bytes()).await;
                let _ = connection.shutdown().await;
            }
        });
        Service { address, requests }
    }

    /// Answers the first connection never, and all others so.
    pub(crate) async fn holding_the_first(answer: String) -> Self {
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
            let Ok(_held) = listener.accept().await else {
                return;
            };
            while let Ok((mut connection, _)) = listener.accept().await {
                let request = read(&mut connection).await;
                kept.lock()
                    .expect("no test panics with the lock")
                    .push(request);
                let _ = connection.write_all(answer.as_bytes()).await;
                let _ = connection.shutdown().await;
            }
        });
        Service { address, requests }
    }

    /// Returns when nobody listens any more: when all answers are given.
    pub(crate) async fn is_gone(&self) {
        while TcpStream::connect(&self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }

    /// Its base URL.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A client of it that takes the first answer for an answer.
    pub(crate) fn client(&self) -> Client {
        Client::builder(self.base_url())
            .api_key(KEY)
            .retry(RetryPolicy::never())
            .build()
            .expect("address and key are valid")
    }

    /// The requests that arrived so far, headers and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests
            .lock()
            .expect("no test panics with the lock")
            .clone()
    }
}

/// One request, to the end of its body.
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

/// An answer with a body of JSON, and these headers beside.
pub(crate) fn json(status: &str, headers: &[&str], body: &str) -> String {
    answer(
        status,
        &[&["content-type: application/json"], headers].concat(),
        body,
    )
}

/// An answer with these headers and this body.
pub(crate) fn answer(status: &str, headers: &[&str], body: &str) -> String {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// The pet that these tests know.
pub(crate) const REX: &str = r#"{"id":1,"name":"Rex","categoryId":7,"status":"available"}"#;

//! A service that sends the responses of a script, one for each connection, and keeps the requests. It speaks just enough
//! HTTP/1.1 for these tests.

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
    /// Sends each connection the next of these responses.
    pub(crate) async fn responding(responses: impl IntoIterator<Item = String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port is free");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address")
            .to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let responses: Vec<String> = responses.into_iter().collect();
        tokio::spawn(async move {
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

    /// Its base URL.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A client of the service without retries.
    pub(crate) fn client(&self) -> Client {
        Client::builder(self.base_url())
            .api_key(KEY)
            .retry(RetryPolicy::never())
            .build()
            .expect("address and key are valid")
    }

    /// The requests that were received so far, with headers and body.
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

/// A response with a JSON body and these other headers.
pub(crate) fn json(status: &str, headers: &[&str], body: &str) -> String {
    response(
        status,
        &[&["content-type: application/json"], headers].concat(),
        body,
    )
}

/// A response with these headers and this body.
pub(crate) fn response(status: &str, headers: &[&str], body: &str) -> String {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// The pet of these tests.
pub(crate) const REX: &str = r#"{"id":1,"name":"Rex","categoryId":7,"status":"available"}"#;

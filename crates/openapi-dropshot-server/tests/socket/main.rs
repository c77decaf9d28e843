//! Tests the pipeline over a socket, with documents whose operations exist only for these tests.

mod bodies;
mod cors;
mod desk;
mod error_form;
mod security;
mod websockets;

use desk::{Desk, DeskContract};
use openapi_dropshot_server::{Bound, Server, ServiceInfo, Setup, State, service_info};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const INFO: ServiceInfo = service_info!("desk");

/// A server with settings that differ from the defaults.
fn start(set: impl FnOnce(&mut Setup<Desk>)) -> Server<Desk> {
    let mut setup = Setup::new(&INFO, Desk);
    set(&mut setup);
    let bound = Bound::bind::<DeskContract>(setup).expect("the routes can be served");
    bound.start()
}

/// Sends a request with these lines and this content; returns the status and the whole response.
async fn send<S: State>(server: &Server<S>, lines: &[&str], content: &[u8]) -> (u16, String) {
    let head = format!(
        "{} HTTP/1.1\r\nHost: desk\r\nConnection: close\r\n{}\r\n",
        lines[0],
        lines[1..]
            .iter()
            .map(|line| format!("{line}\r\n"))
            .collect::<String>()
    );
    let mut stream = TcpStream::connect(server.address())
        .await
        .expect("it listens");
    let request = [head.as_bytes(), content].concat();
    stream.write_all(&request).await.expect("it is read");
    let mut response = String::new();
    let read = stream.read_to_string(&mut response).await;
    read.expect("the response is text");
    let status = response
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok());
    (status.expect("a status"), response)
}

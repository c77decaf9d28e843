//! A receiver of webhooks for tests.

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{convert::Infallible, future::Future, net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// A request that was received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Starts a receiver on a port of this machine. It runs until the runtime ends.
pub(crate) async fn receiver<F, R>(respond: F) -> SocketAddr
where
    F: Fn(Request) -> R + Send + Sync + 'static,
    R: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let respond = Arc::new(respond);
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            let respond = Arc::clone(&respond);
            let service = service_fn(move |request: http::Request<Incoming>| {
                let respond = Arc::clone(&respond);
                async move {
                    let (head, body) = request.into_parts();
                    let request = Request {
                        path: head.uri.path().to_owned(),
                        headers: head.headers,
                        body: body.collect().await.expect("a body").to_bytes(),
                    };
                    Ok::<_, Infallible>(respond(request).await)
                }
            });
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(connection), service),
            );
        }
    });
    address
}

/// A response without a body.
pub(crate) fn status(status: u16) -> Response<Full<Bytes>> {
    let response = Response::builder().status(status);
    response.body(Full::default()).expect("a status")
}

/// Starts a receiver that sends these bytes on each connection, and then closes it.
pub(crate) async fn raw_receiver(response: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 1024];
                let _ = connection.read(&mut request).await;
                let _ = connection.write_all(response).await;
                let _ = connection.shutdown().await;
                // Reads the rest of the request, so that the client gets the response and not a reset.
                while matches!(connection.read(&mut request).await, Ok(1..)) {}
            });
        }
    });
    address
}

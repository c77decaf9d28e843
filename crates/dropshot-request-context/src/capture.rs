//! Gets a request context from dropshot: starts a dropshot server, sends it a request, and stops
//! it.

use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, ApiEndpoint, ApiEndpointVersions, Body,
    BuildError, CONTENT_TYPE_JSON, ConfigDropshot, HttpError, RequestContext, ServerBuilder,
    ServerContext,
};
use http::{Method, Response};
use slog::Logger;
use std::{any::Any, cell::RefCell, io, net::Ipv4Addr, thread};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// dropshot did not create a request context.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotCaptured {
    /// dropshot rejected the route.
    #[error("cannot register a route with dropshot")]
    Register(#[from] ApiDescriptionRegisterError),
    /// dropshot cannot listen on the loopback interface.
    #[error("cannot start dropshot on the loopback interface")]
    Build(#[from] BuildError),
    /// dropshot cannot be reached over the loopback interface, or no thread can be started.
    #[error("cannot send a request over the loopback interface")]
    Io(#[from] io::Error),
    /// dropshot did not call its handler.
    #[error("dropshot did not call its handler")]
    NotCalled,
}

thread_local! {
    /// The request context that the handler received.
    static CAPTURED: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// Creates a request context of dropshot on a separate thread, so that this function can be called
/// inside and outside of a runtime.
pub(crate) fn request_context<C: ServerContext>(
    context: C,
    body_max_bytes: usize,
) -> Result<RequestContext<C>, NotCaptured> {
    thread::scope(|scope| {
        let work = || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?
                .block_on(capture(context, body_max_bytes))
        };
        let thread = thread::Builder::new().spawn_scoped(scope, work)?;
        thread.join().unwrap_or(Err(NotCaptured::NotCalled))
    })
}

/// Must run on a single-threaded runtime.
async fn capture<C: ServerContext>(
    context: C,
    body_max_bytes: usize,
) -> Result<RequestContext<C>, NotCaptured> {
    let mut api = ApiDescription::new();
    api.register(ApiEndpoint::new(
        "capture".to_owned(),
        keep::<C>,
        Method::GET,
        CONTENT_TYPE_JSON,
        "/",
        ApiEndpointVersions::All,
    ))?;
    let config = ConfigDropshot {
        bind_address: (Ipv4Addr::LOCALHOST, 0).into(),
        default_request_body_max_bytes: body_max_bytes,
        ..ConfigDropshot::default()
    };
    let log = Logger::root(slog::Discard, slog::o!());
    let server = ServerBuilder::new(api, context, log)
        .config(config)
        .start()?;
    let mut stream = TcpStream::connect(server.local_addr()).await?;
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await?;
    stream.read_to_end(&mut Vec::new()).await?;
    // The runtime of this thread ends now, and the dropshot server ends with it.
    CAPTURED
        .take()
        .and_then(|captured| captured.downcast::<RequestContext<C>>().ok())
        .map(|captured| *captured)
        .ok_or(NotCaptured::NotCalled)
}

/// The handler of the only route.
async fn keep<C: ServerContext>(rqctx: RequestContext<C>) -> Result<Response<Body>, HttpError> {
    CAPTURED.set(Some(Box::new(rqctx)));
    Ok(Response::new(Body::empty()))
}

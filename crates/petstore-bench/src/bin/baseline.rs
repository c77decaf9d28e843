//! The baseline of the benchmark: plain hyper, which sends the responses that the service would
//! send, without doing the work. A page is always the first page of 20 pets, a pet is always the
//! first pet, and a created pet is the received body with an id. It does not check keys and stores
//! nothing.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use petstore_bench::pets::{self, Filter, Members, PAGE};
use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use tokio::net::TcpListener;

struct Content {
    page: Bytes,
    pet: Bytes,
    pets: AtomicI64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let pets = env::args().nth(1).unwrap_or_default().parse();
    let pets: i64 = pets.map_err(|_| anyhow::anyhow!("give the number of pets: baseline PETS"))?;
    let content = Arc::new(Content {
        page: pets::page(0, Filter::Available, PAGE, pets, Members::AsDeclared).into(),
        pet: pets::pet(1, pets, Members::AsDeclared).into(),
        pets: AtomicI64::new(pets),
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("listening on http://{}/v1", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(serve(stream, Arc::clone(&content)));
    }
}

async fn serve(stream: tokio::net::TcpStream, content: Arc<Content>) {
    let respond = service_fn(|request| respond(request, &content));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), respond)
        .await;
    // A client may close its connection during a request.
    if let Err(error) = served {
        eprintln!("a connection ended early: {error}");
    }
}

async fn respond(
    request: Request<Incoming>,
    content: &Content,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/v1/pets") => (StatusCode::OK, content.page.clone()),
        (&Method::GET, path) if path.starts_with("/v1/pets/") => {
            (StatusCode::OK, content.pet.clone())
        }
        (&Method::POST, "/v1/pets") => {
            let body = request.into_body().collect().await?.to_bytes();
            let id = content.pets.fetch_add(1, Ordering::Relaxed) + 1;
            let created = with_id(&body, id).map(|body| (StatusCode::CREATED, body));
            created.unwrap_or((StatusCode::BAD_REQUEST, Bytes::new()))
        }
        _ => (StatusCode::NOT_FOUND, Bytes::new()),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    Ok(response)
}

/// Adds the property `id` at the end of the object `pet`.
fn with_id(pet: &[u8], id: i64) -> Option<Bytes> {
    let members = pet.strip_suffix(b"}")?;
    let id = format!(",\"id\":{id}}}");
    Some([members, id.as_bytes()].concat().into())
}

//! The floor of the bench: bare hyper that answers what the service would, and
//! does nothing for it. A page of 20 is always the first one, a pet is always
//! the first one, a created pet is the body that was read, with an id. No key
//! is looked at, nothing is kept. What is asked of it is left to `load`.

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
use petstore_bench::pets::{self, Filter, PAGE};
use std::{
    env, io,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use tokio::net::TcpListener;

struct Answers {
    page: Bytes,
    pet: Bytes,
    pets: AtomicI64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let pets = env::args().nth(1).unwrap_or_default().parse();
    let pets: i64 = pets.map_err(|_| anyhow::anyhow!("say how many pets there are: floor PETS"))?;
    let answers = Arc::new(Answers {
        page: pets::page(0, Filter::Available, PAGE, pets).into(),
        pet: pets::pet(1, pets).into(),
        pets: AtomicI64::new(pets),
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("listening on http://{}/v1", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(serve(stream, Arc::clone(&answers)));
    }
}

async fn serve(stream: tokio::net::TcpStream, answers: Arc<Answers>) {
    let answer = service_fn(|request| answer(request, &answers));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), answer)
        .await;
    // A client that goes away in mid-request is the client's affair.
    if let Err(error) = served {
        eprintln!("a connection ended early: {error}");
    }
}

async fn answer(
    request: Request<Incoming>,
    answers: &Answers,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/v1/pets") => (StatusCode::OK, answers.page.clone()),
        (&Method::GET, path) if path.starts_with("/v1/pets/") => {
            (StatusCode::OK, answers.pet.clone())
        }
        (&Method::POST, "/v1/pets") => {
            let body = request.into_body().collect().await?.to_bytes();
            let id = answers.pets.fetch_add(1, Ordering::Relaxed) + 1;
            match with_id(&body, id) {
                Ok(body) => (StatusCode::CREATED, body),
                Err(_) => (StatusCode::BAD_REQUEST, Bytes::new()),
            }
        }
        _ => (StatusCode::NOT_FOUND, Bytes::new()),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    Ok(response)
}

/// The object `pet` with a further member at its end.
fn with_id(pet: &[u8], id: i64) -> io::Result<Bytes> {
    let members = pet.strip_suffix(b"}").ok_or(io::ErrorKind::InvalidData)?;
    Ok([members, format!(",\"id\":{id}}}").as_bytes()]
        .concat()
        .into())
}

//! A second baseline of the benchmark: plain actix-web, which sends the same responses as the
//! baseline on hyper. A page is always the first page of 20 pets, a pet is always the first pet,
//! and a created pet is the received body with an id. It does not check keys and stores nothing.
//!
//! ```text
//! petstore-bench-actix PETS
//! ```

use actix_web::{
    App, HttpResponse, HttpServer,
    http::header::ContentType,
    web::{self, Bytes, Data},
};
use anyhow::Context as _;
use pets::{Filter, Members, PAGE};
use std::{
    env,
    sync::atomic::{AtomicI64, Ordering},
};

#[path = "../../../src/pets.rs"]
#[expect(dead_code, unreachable_pub, reason = "the other programs of the bench use the rest of it")]
mod pets;

struct Content {
    page: Bytes,
    pet: Bytes,
    pets: AtomicI64,
}

#[actix_web::main]
async fn main() -> anyhow::Result<()> {
    let pets = env::args().nth(1).unwrap_or_default().parse();
    let pets: i64 = pets.context("give the number of pets")?;
    let content = Data::new(Content {
        page: pets::page(0, Filter::Available, PAGE, pets, Members::AsDeclared).into(),
        pet: pets::pet(1, pets, Members::AsDeclared).into(),
        pets: AtomicI64::new(pets),
    });
    let app = move || {
        App::new()
            .app_data(content.clone())
            .route("/v1/pets", web::get().to(list))
            .route("/v1/pets", web::post().to(create))
            .route("/v1/pets/{pet_id}", web::get().to(get))
    };
    let server = HttpServer::new(app).bind(("127.0.0.1", 0))?;
    println!("listening on http://{}/v1", server.addrs()[0]);
    Ok(server.run().await?)
}

async fn list(content: Data<Content>) -> HttpResponse {
    json(HttpResponse::Ok()).body(content.page.clone())
}

async fn get(content: Data<Content>) -> HttpResponse {
    json(HttpResponse::Ok()).body(content.pet.clone())
}

async fn create(content: Data<Content>, pet: Bytes) -> HttpResponse {
    let id = content.pets.fetch_add(1, Ordering::Relaxed) + 1;
    match pet.strip_suffix(b"}") {
        None => HttpResponse::BadRequest().finish(),
        Some(members) => {
            let end = format!(",\"id\":{id}}}");
            json(HttpResponse::Created()).body([members, end.as_bytes()].concat())
        }
    }
}

fn json(mut response: actix_web::HttpResponseBuilder) -> actix_web::HttpResponseBuilder {
    response.content_type(ContentType::json());
    response
}

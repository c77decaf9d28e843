//! A comparison service of the benchmark: the pet store as it is usually written with axum and
//! sqlx, on PostgreSQL, with one commit for each creation and a look-up of the key for each
//! request. It has no access log, no metrics and no limits.
//!
//! ```text
//! petstore-bench-axum-sqlx-postgres seed URL PETS KEY
//! petstore-bench-axum-sqlx-postgres serve URL
//! ```

#[path = "../../axum-sqlx/src/failure.rs"]
mod failure;
#[path = "../../axum-sqlx/src/keys.rs"]
mod keys;
#[path = "../../axum-sqlx/src/pets.rs"]
mod pets;
mod store;

use anyhow::{Context as _, bail};
use axum::{
    Router, middleware,
    routing::get,
    serve::{Listener as _, ListenerExt as _},
};
use std::env;
use store::Store;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["seed", url, pets, key] => {
            let pets = pets.parse().context("PETS is a number")?;
            let store = Store::open(url).await?;
            store.seed(pets, key).await?;
            store.close().await;
            Ok(())
        }
        ["serve", url] => serve(Store::open(url).await?).await,
        _ => bail!("say what to do: seed URL PETS KEY, or serve URL"),
    }
}

async fn serve(store: Store) -> anyhow::Result<()> {
    let routes = Router::new()
        .route("/v1/pets", get(pets::list).post(pets::create))
        .route("/v1/pets/{pet_id}", get(pets::get))
        .layer(middleware::from_fn_with_state(store.clone(), keys::check))
        .with_state(store);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?.tap_io(|stream| {
        // With `TCP_NODELAY` responses are sent at once; without it they are only sent
        // later.
        let _late = stream.set_nodelay(true);
    });
    println!("listening on http://{}/v1", listener.local_addr()?);
    Ok(axum::serve(listener, routes).await?)
}

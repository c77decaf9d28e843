//! Runs the bookmarks service: `bookmarks [ADDRESS]`.

use anyhow::{Context as _, Result, anyhow};
use std::env;

const DEFAULT: &str = "127.0.0.1:8081";

#[tokio::main]
async fn main() -> Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| DEFAULT.to_owned());
    let address = address
        .parse()
        .with_context(|| format!("ADDRESS must have the form of `{DEFAULT}`, found `{address}`"))?;
    let server = bookmarks::serve(address)?;
    println!("listening on http://{}", server.local_addr());
    server
        .await
        .map_err(|error| anyhow!("the server ended: {error}"))
}

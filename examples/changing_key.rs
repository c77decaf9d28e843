//! Adds a pet for each line of standard input. It reads the API key from a file, which may change while the program runs:
//! `changing_key FILE`.

use anyhow::{Context, Result, bail};
use petstore_client::{ApiKeyFile, Client, NewPet};
use std::io;

#[tokio::main]
async fn main() -> Result<()> {
    let Some(file) = std::env::args().nth(1) else {
        bail!("usage: changing_key FILE")
    };
    // The file is read again every 10 seconds, and as soon as the service rejects the key. Instead of the file, you can
    // pass a closure, for example one that reads the key from a vault.
    let client = Client::builder(petstore_examples::url()?)
        .credentials(ApiKeyFile::new(file))
        .app_name("changing_key/1")
        .build()?;
    for name in io::stdin().lines() {
        let name = name.context("standard input cannot be read")?;
        match client
            .create_pet()
            .body(NewPet::new(7, &*name))
            .send()
            .await
        {
            Ok(added) => println!("{name} was added after {} retries", added.retries()),
            Err(error) => println!("{name} was not added: {}", error.message()),
        }
    }
    Ok(())
}

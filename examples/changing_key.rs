//! Adds pets, with an API key from a file that may change meanwhile: `changing_key FILE NAME…`.

use anyhow::{Context, Result, bail};
use petstore_client::{ApiKeyFile, Client, NewPet};

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, names @ ..] = arguments.as_slice() else {
        bail!("usage: changing_key FILE NAME…")
    };
    // The file is read again every 10 seconds, and as soon as the service rejects the key. A closure that asks a vault
    // can stand in place of the file.
    let client = Client::builder(petstore_examples::url()?)
        .credentials(ApiKeyFile::new(file))
        .app_name("changing_key/1")
        .build()?;
    for name in names {
        let added = client.create_pet().body(NewPet::new(7, name)).send().await;
        let added = added.with_context(|| format!("{name} was not added"))?;
        println!("{name} was added after {} retries", added.retries());
    }
    Ok(())
}

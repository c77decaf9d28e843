//! Prints the first page of pets exactly as the service sent it, and the members that this version of the client does not know.

use anyhow::{Context, Result};

#[tokio::main]
async fn main() -> Result<()> {
    let client = petstore_examples::client()?;
    let pets = client.list_pets().send().await;
    let pets = pets.context("the pets cannot be listed")?;
    println!("{}", String::from_utf8_lossy(pets.raw_body()));
    for (place, value) in pets.unknown_members() {
        println!("new: {place} is {value}");
    }
    Ok(())
}

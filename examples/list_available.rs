//! Prints all available pets, from all pages.

use anyhow::{Context, Result};
use petstore_client::PetStatus;

#[tokio::main]
async fn main() -> Result<()> {
    let client = petstore_examples::client()?;
    let mut pets = client
        .list_pets()
        .status(PetStatus::Available)
        .limit(100)
        .stream();
    let mut count = 0;
    while let Some(pet) = pets.next().await {
        let pet = pet.with_context(|| format!("reading the list failed after {count} pets"))?;
        println!("{}\t{}", pet.id, pet.name);
        count += 1;
    }
    println!("{count} available");
    Ok(())
}

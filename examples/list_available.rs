//! Prints all available pets, page by page.

use anyhow::{Context, Result};
use petstore_client::PetStatus;

#[tokio::main]
async fn main() -> Result<()> {
    let client = petstore_examples::client()?;
    let mut count = 0;
    let mut page = client
        .list_pets()
        .status(PetStatus::Available)
        .limit(100)
        .send()
        .await
        .context("no first page")?;
    loop {
        for pet in page.iter() {
            println!("{}\t{}", pet.id, pet.name);
            count += 1;
        }
        // The cursor belongs to the filter, so the filter stays.
        let Some(cursor) = page.next_cursor()? else {
            break;
        };
        page = client
            .list_pets()
            .status(PetStatus::Available)
            .limit(100)
            .cursor(cursor)
            .send()
            .await
            .context("no further page")?;
    }
    println!("{count} available");
    Ok(())
}

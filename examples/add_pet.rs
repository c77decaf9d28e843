//! Adds a pet: `add_pet NAME CATEGORY [STATUS]`.

use anyhow::{Context, Result, bail};
use petstore_client::{ErrorCode, NewPet, PetStatus};

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, category, status) = match arguments.as_slice() {
        [name, category] => (name, category, None),
        [name, category, status] => (name, category, Some(status)),
        _ => bail!("usage: add_pet NAME CATEGORY [available|pending|sold]"),
    };
    let category: i64 = category
        .parse()
        .with_context(|| format!("CATEGORY must be an integer, found `{category}`"))?;
    let mut pet = NewPet::builder().name(name.as_str()).category_id(category);
    if let Some(status) = status {
        let status: PetStatus = status
            .parse()
            .with_context(|| format!("STATUS `{status}` is not valid"))?;
        pet = pet.status(status);
    }

    let client = petstore_examples::client()?;
    match client.create_pet().body(pet).send().await {
        Ok(added) => println!("added {} with the id {}", added.name, added.id),
        // Decide by the code; `message` is for people and says what to change.
        Err(error) if error.code() == Some(&ErrorCode::Unauthorized) => {
            bail!("the API key was rejected: {}", error.message())
        }
        Err(error) => return Err(error).context("the pet was not added"),
    }
    Ok(())
}

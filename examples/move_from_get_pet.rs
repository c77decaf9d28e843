//! Finds one pet, `move_from_get_pet ID [STATUS]`: by the deprecated operation,
//! and by its replacement, `GET /pets` with a `status` filter.

use anyhow::{Context, Result, bail};
use petstore_client::{Client, Error, ErrorCode, Pet, PetStatus};

/// As it was: works until 5 December 2030, and the compiler says so.
#[expect(deprecated, reason = "shown beside its replacement")]
async fn before(client: &Client, id: i64) -> Result<Option<Pet>, Error> {
    match client.get_pet().pet_id(id).send().await {
        Ok(pet) => Ok(Some(pet.into_inner())),
        Err(error) if error.code() == Some(&ErrorCode::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// As it will be: walks the pets of one status. They come by ascending id, so
/// the walk ends where the pet would be. A pet without a status is in no such
/// list; leave the filter out to meet it.
async fn after(client: &Client, id: i64, status: &PetStatus) -> Result<Option<Pet>, Error> {
    let mut pets = client
        .list_pets()
        .status(status.clone())
        .limit(100)
        .stream();
    while let Some(pet) = pets.next().await {
        let pet = pet?;
        if pet.id >= id {
            return Ok((pet.id == id).then_some(pet));
        }
    }
    Ok(None)
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(id) = arguments.next() else {
        bail!("usage: move_from_get_pet ID [available|pending|sold]");
    };
    let id: i64 = id
        .parse()
        .with_context(|| format!("ID must be an integer, found `{id}`"))?;
    let status = arguments.next().unwrap_or_else(|| "available".to_owned());
    let status: PetStatus = status
        .parse()
        .with_context(|| format!("STATUS `{status}` is refused"))?;

    let client = petstore_examples::client()?;
    report(
        "get_pet",
        before(&client, id).await.context("get_pet failed")?,
    );
    report(
        "list_pets",
        after(&client, id, &status)
            .await
            .context("list_pets failed")?,
    );
    Ok(())
}

fn report(operation: &str, found: Option<Pet>) {
    match found {
        Some(pet) => println!("{operation}: {} has the id {}", pet.name, pet.id),
        None => println!("{operation}: there is no such pet"),
    }
}

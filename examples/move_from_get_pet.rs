//! Finds one pet with the deprecated operation, and with its replacement,
//! `GET /pets` with a `status` filter: `move_from_get_pet ID [STATUS]`.

use anyhow::{Context, Result, bail};
use petstore_client::{Client, Error, ErrorCode, Pet, PetStatus};

/// Uses the deprecated operation. It works until 5 December 2030. The compiler warns about each use.
#[expect(deprecated, reason = "shown beside its replacement")]
async fn before(client: &Client, id: i64) -> Result<Option<Pet>, Error> {
    match client.get_pet().pet_id(id).send().await {
        Ok(pet) => Ok(Some(pet.into_inner())),
        Err(error) if error.code() == Some(&ErrorCode::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Uses the replacement: reads the pets of one status. They are sorted by ascending id, so the search can end at the
/// first id that is not smaller. Without the filter, the list also contains pets without a status.
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
        .with_context(|| format!("STATUS `{status}` is not valid"))?;

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

fn report(operation: &str, pet: Option<Pet>) {
    match pet {
        Some(pet) => println!("{operation}: {} has the id {}", pet.name, pet.id),
        None => println!("{operation}: there is no such pet"),
    }
}

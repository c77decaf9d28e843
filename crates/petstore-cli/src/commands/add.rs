//! `pets add`: one pet.

use crate::{
    cli::AddOptions,
    exit::{Exit, WrongUsage},
    output::{Form, PetWriter},
};
use anyhow::{Context as _, Result};
use petstore_client::{Client, ErrorKind, NewPet};

/// `pets add`
pub(super) async fn run(client: &Client, options: AddOptions, form: Form) -> Result<Exit> {
    let mut pet = NewPet::builder()
        .name(options.name)
        .category_id(options.category_id);
    if let Some(status) = options.status {
        pet = pet.status(status);
    }
    let mut request = client.create_pet().body(pet);
    if let Some(key) = options.idempotency_key {
        request = request.idempotency_key(key);
    }
    let added = match request.send().await {
        Ok(added) => added.into_inner(),
        Err(error) if error.kind() == ErrorKind::Request => {
            return Err(WrongUsage(error.message().to_owned()).into());
        }
        Err(error) => {
            if let (true, true, Some(key)) = (
                error.is_retryable(),
                error.was_sent(),
                error.idempotency_key(),
            ) {
                eprintln!(
                    "the pet may have been added; --idempotency-key {key} in the same command adds it if it was not"
                );
            }
            return Err(error).context("the pet was not added, as far as is known");
        }
    };
    let mut writer = PetWriter::one(form);
    writer.write(&[added])?;
    writer.end()?;
    Ok(Exit::Done)
}

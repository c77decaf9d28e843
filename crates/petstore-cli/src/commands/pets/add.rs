//! Command `pets add`: adds one pet.

use crate::{
    cli::AddOptions,
    commands::creation,
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::Result;
use petstore_client::{Client, NewPet};

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
    let response = request.send().await;
    let added = response.map_err(|error| creation::failed(error, "pet", "added"))?;
    let mut writer = Writer::one(form);
    writer.write(&[added.into_inner()])?;
    writer.end()?;
    Ok(Exit::Done)
}

//! Command `pets get`: prints one pet by its id. The callback that every client
//! of this program has prints on stderr that the operation is deprecated.

use crate::{
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::{Context as _, Result};
use petstore_client::Client;

/// `pets get`
pub(super) async fn run(client: &Client, id: i64, form: Form) -> Result<Exit> {
    #[expect(deprecated, reason = "offered until it is removed, with a warning")]
    let response = client.get_pet().pet_id(id).send().await;
    let pet = response.with_context(|| format!("cannot fetch the pet {id}"))?;
    let mut writer = Writer::one(form);
    writer.write(&[pet.into_inner()])?;
    writer.end()?;
    Ok(Exit::Done)
}

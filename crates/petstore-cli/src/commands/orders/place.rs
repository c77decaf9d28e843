//! Command `orders place`: places one order for one pet.

use crate::{
    cli::PlaceOptions,
    commands::creation,
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::Result;
use petstore_client::{Client, NewOrder};

/// `orders place`
pub(super) async fn run(client: &Client, options: PlaceOptions, form: Form) -> Result<Exit> {
    let order = NewOrder::builder().pet_id(options.pet_id);
    let mut request = client.create_order().body(order);
    if let Some(key) = options.idempotency_key {
        request = request.idempotency_key(key);
    }
    let response = request.send().await;
    let placed = response.map_err(|error| creation::failed(error, "order", "placed"))?;
    let mut writer = Writer::one(form);
    writer.write(&[placed.into_inner()])?;
    writer.end()?;
    Ok(Exit::Done)
}

//! Command `orders get`: prints one order by its id.

use crate::{
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::{Context as _, Result};
use petstore_client::Client;

/// `orders get`
pub(super) async fn run(client: &Client, id: i64, form: Form) -> Result<Exit> {
    let response = client.get_order().order_id(id).send().await;
    let order = response.with_context(|| format!("cannot fetch the order {id}"))?;
    let mut writer = Writer::one(form);
    writer.write(&[order.into_inner()])?;
    writer.end()?;
    Ok(Exit::Done)
}

//! Command `orders update`: makes one transition of an order, which the service
//! accepts or rejects.

use crate::{
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::{Context as _, Result};
use petstore_client::{Client, OrderStatus, OrderUpdate};

/// `orders update`
pub(super) async fn run(client: &Client, id: i64, status: OrderStatus, form: Form) -> Result<Exit> {
    let update = OrderUpdate::builder().status(status.clone());
    let response = client.update_order().order_id(id).body(update).send().await;
    if let Err(error) = &response
        && error.was_sent()
        && error.code().is_none()
    {
        // No key makes a second attempt safe, but the order tells.
        eprintln!(
            "the order may have become {status}; `petstore orders get {id}` shows its status"
        );
    }
    let order = response.with_context(|| format!("cannot make the order {id} {status}"))?;
    let mut writer = Writer::one(form);
    writer.write(&[order.into_inner()])?;
    writer.end()?;
    Ok(Exit::Done)
}

//! Implements the commands of `orders`.

use super::{
    creation_failed,
    walk::{self, Walk},
};
use crate::{
    cli::{OrderListOptions, OrdersCommand, PlaceOptions},
    output::{Form, Writer, print_one},
    settings::Service,
};
use anyhow::{Context as _, Result};
use petstore_client::{Client, NewOrder, OrderStatus, OrderUpdate};

pub(super) async fn run(service: &Service, command: OrdersCommand, form: Form) -> Result<()> {
    let client = service.client()?;
    match command {
        OrdersCommand::List(options) => list(&client, options, form).await,
        OrdersCommand::Place(options) => place(&client, options, form).await,
        OrdersCommand::Get { id } => get(&client, id, form).await,
        OrdersCommand::Update { id, status } => update(&client, id, status, form).await,
    }
}

async fn list(client: &Client, options: OrderListOptions, form: Form) -> Result<()> {
    let OrderListOptions { status, pet, page } = options;
    let walk = Walk {
        what: "orders",
        page,
    };
    let mut request = client.list_orders();
    if let Some(limit) = walk.page_size() {
        request = request.limit(limit);
    }
    if let Some(status) = status {
        request = request.status(status);
    }
    if let Some(pet) = pet {
        request = request.pet_id(pet);
    }
    if let Some(cursor) = &walk.page.cursor {
        request = request.cursor(cursor.as_str());
    }
    let next = walk.write(request.pages(), Writer::list(form)).await?;
    walk::say_next(next);
    Ok(())
}

async fn place(client: &Client, options: PlaceOptions, form: Form) -> Result<()> {
    let order = NewOrder::builder().pet_id(options.pet_id);
    let mut request = client.create_order().body(order);
    if let Some(key) = options.idempotency_key {
        request = request.idempotency_key(key);
    }
    let response = request.send().await;
    let placed = response.map_err(|error| creation_failed(error, "order", "placed"))?;
    print_one(form, placed.into_inner())
}

async fn get(client: &Client, id: i64, form: Form) -> Result<()> {
    let response = client.get_order().order_id(id).send().await;
    let order = response.with_context(|| format!("cannot fetch the order {id}"))?;
    print_one(form, order.into_inner())
}

/// Requests a transition of an order, which the service accepts or rejects.
async fn update(client: &Client, id: i64, status: OrderStatus, form: Form) -> Result<()> {
    let update = OrderUpdate::builder().status(status.clone());
    let response = client.update_order().order_id(id).body(update).send().await;
    if let Err(error) = &response
        && error.was_sent()
        && error.code().is_none()
    {
        // No idempotency key makes a second attempt safe, but the status of the order shows whether
        // it changed.
        eprintln!(
            "the order may have become {status}; `petstore orders get {id}` shows its status"
        );
    }
    let order = response
        .with_context(|| format!("cannot change the status of the order {id} to {status}"))?;
    print_one(form, order.into_inner())
}

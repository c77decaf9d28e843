//! Command `orders list`: prints one page of orders, or all pages.

use crate::{
    cli::OrderListOptions,
    commands::walk::{self, Walk},
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::Result;
use petstore_client::Client;

/// `orders list`
pub(super) async fn run(client: &Client, options: OrderListOptions, form: Form) -> Result<Exit> {
    let walk = Walk {
        what: "orders",
        cursor: options.cursor,
        all: options.all,
    };
    let mut request = client.list_orders();
    if let Some(limit) = walk.page_size(options.limit) {
        request = request.limit(limit);
    }
    if let Some(status) = options.status {
        request = request.status(status);
    }
    if let Some(pet) = options.pet {
        request = request.pet_id(pet);
    }
    if let Some(cursor) = &walk.cursor {
        request = request.cursor(cursor.as_str());
    }
    let next = walk.write(request.pages(), Writer::list(form)).await?;
    walk::say_next(next);
    Ok(Exit::Done)
}

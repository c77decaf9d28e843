//! Runs the commands of `orders`.

mod get;
mod list;
mod place;
mod update;

use crate::{cli::OrdersCommand, exit::Exit, output::Form, settings::Service};
use anyhow::Result;

/// `orders`
pub(super) async fn run(service: &Service, command: OrdersCommand, form: Form) -> Result<Exit> {
    let client = service.client()?;
    match command {
        OrdersCommand::List(options) => list::run(&client, options, form).await,
        OrdersCommand::Place(options) => place::run(&client, options, form).await,
        OrdersCommand::Get { id } => get::run(&client, id, form).await,
        OrdersCommand::Update { id, status } => update::run(&client, id, status, form).await,
    }
}

//! Runs the commands of `pets`.

mod add;
mod get;
mod list;

use crate::{cli::PetsCommand, exit::Exit, import, output::Form, settings::Service};
use anyhow::Result;

/// `pets`
pub(super) async fn run(service: &Service, command: PetsCommand, form: Form) -> Result<Exit> {
    match command {
        PetsCommand::List(options) => list::run(&service.client()?, options, form).await,
        PetsCommand::Add(options) => add::run(&service.client()?, options, form).await,
        PetsCommand::Get { id } => get::run(&service.client()?, id, form).await,
        PetsCommand::Import(options) => import::run(service, &options, form).await,
        PetsCommand::Export(options) => list::export(&service.client()?, options).await,
    }
}

//! The commands, a file each.

mod add;
mod get;
mod list;
mod manual;

use crate::{
    cli::{Cli, Command, PetsCommand},
    exit::Exit,
    import,
    output::Form,
    settings::Service,
};
use anyhow::Result;

/// Runs the command of the command line.
///
/// # Errors
///
/// It could not be done; `exit::of` has the code for it.
pub(crate) async fn run(cli: Cli) -> Result<Exit> {
    let form = Form::choose(cli.output);
    let command = match cli.command {
        Command::Completions { shell } => return manual::completions(shell),
        Command::Man { to } => return manual::man(to.as_deref()),
        Command::Pets { command } => command,
    };
    let service = Service::find(&cli.service)?;
    match *command {
        PetsCommand::List(options) => list::run(&service.client()?, options, form).await,
        PetsCommand::Add(options) => add::run(&service.client()?, options, form).await,
        PetsCommand::Get { id } => get::run(&service.client()?, id, form).await,
        PetsCommand::Import(options) => import::run(&service, &options, form).await,
        PetsCommand::Export(options) => list::export(&service.client()?, options).await,
    }
}

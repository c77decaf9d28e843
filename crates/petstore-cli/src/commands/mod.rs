//! The commands: a folder for each kind of object, with a file for each
//! command.

mod creation;
mod manual;
mod orders;
mod pets;
mod walk;

use crate::{
    cli::{Cli, Command},
    exit::Exit,
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
    let service = || Service::find(&cli.service);
    match cli.command {
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { to } => manual::man(to.as_deref()),
        Command::Pets { command } => pets::run(&service()?, *command, form).await,
        Command::Orders { command } => orders::run(&service()?, command, form).await,
    }
}

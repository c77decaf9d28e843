//! The commands, in one module for each kind of object.

mod events;
mod manual;
mod orders;
mod pets;
mod walk;
mod webhooks;

use crate::{
    cli::{Cli, Command, PetsCommand},
    exit::{self, Exit, WrongUsage},
    output::Form,
    settings::Service,
};
use anyhow::Result;
use petstore_client::{Error, ErrorKind};

/// Runs the command that the command line selects.
pub(crate) async fn run(cli: Cli) -> Result<Exit> {
    let form = Form::choose(cli.output);
    let service = match &cli.command {
        Command::Completions { shell } => {
            manual::completions(*shell)?;
            return Ok(Exit::Done);
        }
        Command::Man { to } => {
            manual::man(to.as_deref())?;
            return Ok(Exit::Done);
        }
        Command::Pets { command } if is_table_of_export(command, cli.output) => {
            let message = "`export` writes no table; choose `--format ndjson` or `--format csv`, or use `pets list --all`";
            return Err(WrongUsage(message.to_owned()).into());
        }
        Command::Pets { .. }
        | Command::Orders { .. }
        | Command::Events { .. }
        | Command::Webhooks { .. } => Service::find(&cli.service)?,
    };
    let done = match cli.command {
        Command::Pets { command } => pets::run(&service, *command, form).await,
        Command::Orders { command } => orders::run(&service, command, form)
            .await
            .map(|()| Exit::Done),
        Command::Events { command } => events::run(&service, command, form)
            .await
            .map(|()| Exit::Done),
        Command::Webhooks { command } => webhooks::run(&service, *command, form)
            .await
            .map(|()| Exit::Done),
        Command::Completions { .. } | Command::Man { .. } => Ok(Exit::Done),
    };
    done.map_err(|error| match service.lacks_version() {
        Some(hint) if exit::of(&error) == Exit::NotFound => {
            // The error of the service is not in the chain, because it would set the exit code for a missing
            // pet.
            anyhow::anyhow!("{hint} ({error:#})")
        }
        _ => error,
    })
}

fn is_table_of_export(command: &PetsCommand, output: Option<Form>) -> bool {
    matches!(command, PetsCommand::Export(_)) && matches!(output, Some(Form::Table))
}

/// Describes why a creation failed, for example that a `pet` was not `added`: nothing was sent, nothing was
/// created, or the outcome is unknown. If the response was lost, prints on stderr how to repeat the command
/// safely with the same idempotency key.
fn creation_failed(error: Error, what: &str, done: &str) -> anyhow::Error {
    if error.kind() == ErrorKind::Request {
        return WrongUsage(error.message().to_owned()).into();
    }
    if let (true, true, Some(key)) = (
        error.is_retryable(),
        error.was_sent(),
        error.idempotency_key(),
    ) {
        eprintln!(
            "the {what} may have been {done}; to make sure that it is {done} exactly once, repeat the command with --idempotency-key {key}"
        );
    }
    let certainty = if is_certain(&error) {
        ""
    } else {
        ", as far as the program knows"
    };
    anyhow::Error::new(error).context(format!("the {what} was not {done}{certainty}"))
}

/// Returns whether it is certain that nothing was created: no attempt was sent, or the only attempt was
/// rejected.
fn is_certain(error: &Error) -> bool {
    let is_refusal = matches!(error.status(), Some(400..500)) && !error.is_retryable();
    !error.was_sent() || (is_refusal && error.retries() == 0)
}

//! The commands, in one module for each kind of object.

mod manual;
mod orders;
mod pets;
mod walk;

use crate::{
    cli::{Cli, Command},
    exit::{Exit, WrongUsage},
    output::Form,
    settings::Service,
};
use anyhow::Result;
use petstore_client::{Error, ErrorKind};

/// Runs the command of the command line.
pub(crate) async fn run(cli: Cli) -> Result<Exit> {
    let form = Form::choose(cli.output);
    let service = || Service::find(&cli.service);
    match cli.command {
        Command::Completions { shell } => manual::completions(shell)?,
        Command::Man { to } => manual::man(to.as_deref())?,
        Command::Pets { command } => return pets::run(&service()?, *command, form).await,
        Command::Orders { command } => orders::run(&service()?, command, form).await?,
    }
    Ok(Exit::Done)
}

/// Describes why a creation failed, for example that a `pet` was not `added`: nothing was
/// sent, nothing was created, or the outcome is unknown. If the response was lost, prints
/// on stderr how to repeat the command safely with the same idempotency key.
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
            "the {what} may have been {done}; repeat the command with --idempotency-key {key}; this makes sure that it is {done} exactly once"
        );
    }
    let certainty = if is_certain(&error) {
        ""
    } else {
        ", as far as is known"
    };
    anyhow::Error::new(error).context(format!("the {what} was not {done}{certainty}"))
}

/// Returns whether nothing can have been created: no try was sent, or the only try was rejected.
fn is_certain(error: &Error) -> bool {
    let is_refusal = matches!(error.status(), Some(400..500)) && !error.is_retryable();
    !error.was_sent() || (is_refusal && error.retries() == 0)
}

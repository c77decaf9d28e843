//! The program: `archive --database FILE --key-set ADDRESS`, and the settings that every service has.

use archive::{Api, Archive, INFO};
use clap::Parser;
use openapi_dropshot_server::{
    config::{self, ServeSettings},
    program::{self, Program},
};
use std::{convert::Infallible, path::Path, process::ExitCode};

openapi_dropshot_server::settings! {
    /// The archive.
    Own {
        /// The file of the database
        database: String = "archive.db";
        /// The address of the key set of the issuer of tokens
        key_set: String = "https://issuer.example/keys";
    }
}

/// Keeps records
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: ServeSettings<Own>,
}

fn main() -> ExitCode {
    program::main(async {
        let program = Program::begin(&INFO, config::parse::<Cli>(&INFO)?.settings)?;
        let own = program.service();
        let archive = Archive::open(Path::new(&own.database), own.key_set.clone())?;
        let bound = program.bind::<Api, _>(archive)?;
        // The last argument closes resources at the end.
        bound.run(|_| {}, async || Ok::<_, Infallible>(())).await?;
        Ok::<_, anyhow::Error>(())
    })
}

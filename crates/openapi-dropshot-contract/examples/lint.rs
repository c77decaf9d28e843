//! Prints the problems of documents in the format of rustc:
//! `cargo run -p openapi-dropshot-contract --example lint -- openapi.yaml`.

use openapi_dropshot_contract::{Problems, Profile, lint, read};
use std::{error::Error, fs, process::ExitCode};

fn main() -> ExitCode {
    let mut clean = true;
    for file in std::env::args().skip(1) {
        match check(&file) {
            Ok(()) => println!("{file}: no problems"),
            Err(problems) => {
                clean = false;
                eprintln!("{problems}\n");
            }
        }
    }
    if clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn check(file: &str) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    let document = read(file, &text)?;
    let problems = lint(&document, Profile::General);
    if problems.is_empty() {
        return Ok(());
    }
    Err(Problems::new(&document, problems).into())
}

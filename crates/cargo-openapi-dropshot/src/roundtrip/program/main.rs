//! The program of a document for the task `roundtrip`: it reads queries about the generated code,
//! one JSON value per line, and prints each result as serde serializes a `Result`. The module
//! `probe` is generated for each document.

mod api;
mod models;
mod probe;
mod server;

use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    error::Error,
    io::{BufRead, Write},
};

/// A function that reads a text as a value of one type, and writes the value back.
type Attempt = fn(&str) -> Result<Value, String>;

fn main() -> Result<(), Box<dyn Error>> {
    let server = server::Server::start()?;
    let mut types = BTreeMap::new();
    probe::types(&mut types);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let query: Value = serde_json::from_str(&line?)?;
        let result = run(&server, &types, &query).map_err(|error| error.to_string());
        writeln!(out, "{}", json!(result))?;
        out.flush()?;
    }
    Ok(())
}

fn run(
    server: &server::Server,
    types: &BTreeMap<String, Attempt>,
    query: &Value,
) -> Result<Value, Box<dyn Error>> {
    let text = |name: &str| query[name].as_str().unwrap_or_default();
    Ok(match text("query") {
        "document" => probe::document()?,
        // Types that no operation uses are not in the document.
        "schemas" => probe::schemas()?,
        "value" => json!(types.get(text("type")).map(|attempt| attempt(text("value")))),
        "errors" => json!(probe::errors(text("operation"))),
        "request" => server.request(query)?,
        other => return Err(format!("there is no query `{other}`").into()),
    })
}

/// Reads and writes a value of one type: see [`Attempt`].
pub(crate) fn attempt<T: serde::de::DeserializeOwned + serde::Serialize>(
    text: &str,
) -> Result<Value, String> {
    let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

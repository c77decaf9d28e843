//! The program of a throw-away crate of `cargo xtask roundtrip`: answers
//! questions about the generated code beside it, one JSON value a line. What
//! the answers should be is left to the one who asks. `probe` is written for
//! each document; serving requests is in `door`.

mod api;
mod door;
mod fault;
mod models;
mod probe;

use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    error::Error,
    io::{BufRead, Write},
};

/// Reads a text as a value of one type, and writes it back.
type Attempt = fn(&str) -> Result<Value, String>;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let door = runtime.block_on(door::open())?;
    let mut types = BTreeMap::new();
    probe::types(&mut types);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = answer(&door, &types, &question)
            .unwrap_or_else(|error| json!({ "fault": error.to_string() }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(
    door: &door::Door,
    types: &BTreeMap<String, Attempt>,
    question: &Value,
) -> Result<Value, Box<dyn Error>> {
    let text = |name: &str| question[name].as_str().unwrap_or_default();
    Ok(match text("ask") {
        "document" => probe::document()?,
        // Types that no operation leads to have no place in the document.
        "schemas" => probe::schemas()?,
        // The value comes as text: what it says twice must stay said twice.
        "value" => match types.get(text("type")) {
            None => json!({ "unknown": true }),
            Some(attempt) => match attempt(text("value")) {
                Ok(value) => json!({ "accepted": value }),
                Err(why) => json!({ "refused": why }),
            },
        },
        "errors" => json!(probe::errors(text("operation"))),
        "request" => door.request(question)?,
        other => return Err(format!("nobody knows what `{other}` asks").into()),
    })
}

/// How a type is asked: see [`Attempt`].
pub(crate) fn attempt<T: serde::de::DeserializeOwned + serde::Serialize>(
    text: &str,
) -> Result<Value, String> {
    let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

//! Tries the types of another generator for the task `roundtrip`: reads queries, one JSON
//! value per line, and prints each result as serde writes a `Result`.

use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    error::Error,
    io::{BufRead, Write},
};

/// Reads a text as a value of one type, and writes it back.
type Attempt = fn(&str) -> Result<Value, String>;

fn main() -> Result<(), Box<dyn Error>> {
    let types: BTreeMap<&str, Attempt> = BTreeMap::from([
        // TYPES
    ]);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let query: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| query[name].as_str().unwrap_or_default();
        let result = types.get(text("type")).map(|attempt| attempt(text("value")));
        writeln!(out, "{}", json!({ "Ok": result }))?;
        out.flush()?;
    }
    Ok(())
}

fn attempt<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> Result<Value, String> {
    let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

//! Runs the program of a throw-away crate, sends queries to it and reads the
//! results. The source of that program is in the folder `program`.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The running program of one document.
pub(super) struct Program {
    child: Child,
    queries: ChildStdin,
    results: BufReader<ChildStdout>,
}

/// The result of reading a value as a type.
pub(super) enum Outcome {
    /// The type accepts it, and writes it back as this.
    Accepted(Value),
    /// The type rejects it for this reason.
    Rejected(String),
    /// There is no type of this name.
    Unknown,
}

/// The result of a request.
pub(super) struct Exchange {
    /// The status of the response.
    pub(super) status: u16,
    /// The body of the response.
    pub(super) body: String,
    /// The arguments of the handler; `None` where it was not called.
    pub(super) seen: Option<String>,
}

impl Program {
    /// Starts the program at this path.
    pub(super) fn start(path: &Path) -> Result<Self> {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", path.display()))?;
        let (Some(queries), Some(results)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("{} has no pipes", path.display());
        };
        let results = BufReader::new(results);
        Ok(Program {
            child,
            queries,
            results,
        })
    }

    /// The document that dropshot emits.
    pub(super) fn document(&mut self) -> Result<Value> {
        self.query(&json!({ "query": "document" }))
    }

    /// A document of the types that no operation of the document uses.
    pub(super) fn schemas(&mut self) -> Result<Value> {
        self.query(&json!({ "query": "schemas" }))
    }

    /// Reads the text of a value as a type.
    pub(super) fn value(&mut self, name: &str, value: &str) -> Result<Outcome> {
        let mut result = self.query(&json!({ "query": "value", "type": name, "value": value }))?;
        Ok(if let Some(accepted) = result.get_mut("accepted") {
            Outcome::Accepted(accepted.take())
        } else if let Some(reason) = result["rejected"].as_str() {
            Outcome::Rejected(reason.to_owned())
        } else {
            Outcome::Unknown
        })
    }

    /// The number of errors that the handler of an operation can return.
    pub(super) fn errors(&mut self, operation: &str) -> Result<u64> {
        let result = self.query(&json!({ "query": "errors", "operation": operation }))?;
        Ok(result.as_u64().unwrap_or_default())
    }

    /// Sends a request: `method`, `path`, `headers`, `body`, and the `error`
    /// that the handler has to return, if any.
    pub(super) fn request(&mut self, mut request: Value) -> Result<Exchange> {
        request["query"] = json!("request");
        let result = self.query(&request)?;
        let status = result["status"]
            .as_u64()
            .and_then(|status| status.try_into().ok());
        Ok(Exchange {
            status: status.context("the throw-away program returned no status")?,
            body: result["body"].as_str().unwrap_or_default().to_owned(),
            seen: result["seen"].as_str().map(str::to_owned),
        })
    }

    fn query(&mut self, query: &Value) -> Result<Value> {
        writeln!(self.queries, "{query}").context("cannot write to the throw-away program")?;
        self.queries
            .flush()
            .context("cannot write to the throw-away program")?;
        let mut line = String::new();
        self.results
            .read_line(&mut line)
            .context("cannot read from the throw-away program")?;
        let result: Value = serde_json::from_str(&line)
            .with_context(|| format!("the throw-away program ended at the query {query}"))?;
        if let Some(fault) = result.get("fault") {
            bail!("the throw-away program failed with {fault} at the query {query}");
        }
        Ok(result)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Both fail only where the program has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

//! Runs the program of a document, sends queries to it, and reads the results. The source of that
//! program is in the folder `program`.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, de::DeserializeOwned};
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

/// The result of a request.
#[derive(Deserialize)]
pub(super) struct Exchange {
    /// The status of the response.
    pub(super) status: u16,
    /// The names of the headers of the response, in lower case.
    pub(super) headers: Vec<String>,
    /// The body of the response.
    pub(super) body: String,
    /// The arguments of the handler; `None` if it was not called.
    pub(super) arguments: Option<String>,
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

    /// Returns the document that dropshot emits.
    pub(super) fn document(&mut self) -> Result<Value> {
        self.query(&json!({ "query": "document" }))
    }

    /// Returns a document with the types that no operation uses.
    pub(super) fn schemas(&mut self) -> Result<Value> {
        self.query(&json!({ "query": "schemas" }))
    }

    /// Reads a value as a type, and returns the value that the type writes, or the reason why the
    /// type rejects it. Returns `None` if there is no such type.
    pub(super) fn value(
        &mut self,
        name: &str,
        value: &Value,
    ) -> Result<Option<Result<Value, String>>> {
        // The type reads the value from text, as in a service.
        let value = value.to_string();
        self.query(&json!({ "query": "value", "type": name, "value": value }))
    }

    /// Returns the number of errors that the handler of an operation can return.
    pub(super) fn errors(&mut self, operation: &str) -> Result<u64> {
        self.query(&json!({ "query": "errors", "operation": operation }))
    }

    /// Sends a request: `method`, `path`, `headers`, `body`, and the `error` that the handler must
    /// return, if any.
    pub(super) fn request(&mut self, mut request: Value) -> Result<Exchange> {
        request["query"] = json!("request");
        self.query(&request)
    }

    fn query<T: DeserializeOwned>(&mut self, query: &Value) -> Result<T> {
        writeln!(self.queries, "{query}")
            .and_then(|()| self.queries.flush())
            .context("cannot write to the temporary program")?;
        let mut line = String::new();
        self.results
            .read_line(&mut line)
            .context("cannot read from the temporary program")?;
        match serde_json::from_str(&line) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => {
                let error: String = error;
                bail!("the temporary program failed with {error} at the query {query}")
            }
            Err(error) => Err(error)
                .with_context(|| format!("the temporary program ended at the query {query}")),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // These fail only if the program has already ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

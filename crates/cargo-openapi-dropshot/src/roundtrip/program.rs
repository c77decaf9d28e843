//! The program of a throw-away crate, from outside: it is started, asked, and
//! ends when it is dropped. What is asked is left to those who validators; the
//! program itself is in `program/` and `probe`.

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
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What a type did with a value.
pub(super) enum Outcome {
    /// It took it, and wrote this back.
    Accepted(Value),
    /// It did not take it; why.
    Rejected(String),
    /// There is no type of this name.
    Unknown,
}

/// What came of a request.
pub(super) struct Answer {
    /// The status of the answer.
    pub(super) status: u16,
    /// The body of the answer.
    pub(super) body: String,
    /// What the handler was given; nothing where it was not reached.
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
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("{} has no pipes", path.display());
        };
        let answers = BufReader::new(answers);
        Ok(Program {
            child,
            questions,
            answers,
        })
    }

    /// The document that dropshot emits.
    pub(super) fn document(&mut self) -> Result<Value> {
        self.ask(&json!({ "ask": "document" }))
    }

    /// A document of the types that no operation of the document leads to.
    pub(super) fn schemas(&mut self) -> Result<Value> {
        self.ask(&json!({ "ask": "schemas" }))
    }

    /// What a type does with the text of a value.
    pub(super) fn value(&mut self, name: &str, value: &str) -> Result<Outcome> {
        let mut answer = self.ask(&json!({ "ask": "value", "type": name, "value": value }))?;
        Ok(if let Some(accepted) = answer.get_mut("accepted") {
            Outcome::Accepted(accepted.take())
        } else if let Some(why) = answer["refused"].as_str() {
            Outcome::Rejected(why.to_owned())
        } else {
            Outcome::Unknown
        })
    }

    /// How many errors the handler of an operation can answer.
    pub(super) fn errors(&mut self, operation: &str) -> Result<u64> {
        let answer = self.ask(&json!({ "ask": "errors", "operation": operation }))?;
        Ok(answer.as_u64().unwrap_or_default())
    }

    /// Sends a request: `method`, `path`, `headers`, `body`, and the `error`
    /// that the handler shall answer, where it shall.
    pub(super) fn request(&mut self, mut request: Value) -> Result<Answer> {
        request["ask"] = json!("request");
        let answer = self.ask(&request)?;
        let status = answer["status"]
            .as_u64()
            .and_then(|status| status.try_into().ok());
        Ok(Answer {
            status: status.context("the throw-away program answered without a status")?,
            body: answer["body"].as_str().unwrap_or_default().to_owned(),
            seen: answer["seen"].as_str().map(str::to_owned),
        })
    }

    fn ask(&mut self, question: &Value) -> Result<Value> {
        writeln!(self.questions, "{question}").context("cannot ask the throw-away program")?;
        self.questions
            .flush()
            .context("cannot ask the throw-away program")?;
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .context("cannot read what the throw-away program answers")?;
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("the throw-away program ended, asked {question}"))?;
        if let Some(fault) = answer.get("fault") {
            bail!("the throw-away program failed with {fault}, asked {question}");
        }
        Ok(answer)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Nothing to do about a program that is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

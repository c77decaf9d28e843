//! Reads an OpenAPI 3.0 document with line and column, and lints it.
//!
//! [`read`] turns YAML or JSON into a [`Document`]: a typed model in which every
//! item knows its place, all references lead somewhere, and the untyped tree is
//! kept beside it. [`lint`] holds a document against rules that take more than
//! one object to break. Both report everything they find in one run, and the
//! problems show themselves as rustc shows errors:
//!
//! ```
//! let text = "\
//! openapi: 3.0.3
//! info:
//!   title: Things
//!   version: 1.0.0
//! paths:
//!   /things:
//!     get:
//!       sumary: List things
//!       responses:
//!         '200':
//!           description: All things.
//! ";
//! let problems = openapi_contract::read("things.yaml", text).unwrap_err();
//! assert_eq!(
//!     problems.to_string(),
//!     "\
//! error[unknown-member]: an operation has no member `sumary`
//!   --> things.yaml:8:7
//!    |
//!  6 |   /things:
//!  7 |     get:
//!  8 |       sumary: List things
//!    |       ^^^^^^
//!  9 |       responses:
//! 10 |         '200':
//!    |
//!    = note: at /paths/~1things/get/sumary
//!    = help: did you mean `summary`?",
//! );
//!
//! let document = openapi_contract::read("things.yaml", &text.replace("sumary", "summary"))?;
//! assert_eq!(document.operations[0].path.value, "/things");
//! assert!(openapi_contract::lint(&document, openapi_contract::Profile::General).is_empty());
//! # Ok::<(), openapi_contract::Problems>(())
//! ```
//!
//! No text makes the crate panic, hang, overflow the stack or fill the memory:
//! nesting, aliases, names and references are bounded, and what exceeds a bound
//! is a problem like any other.

mod lint;
pub mod model;
mod problem;
mod read;
mod syntax;

pub use lint::{Profile, lint};
pub use model::Document;
pub use problem::{Problem, Problems, Severity};

use std::sync::Arc;

/// Reads a document: syntax, structure and references.
///
/// `file` is what messages call the document; a name that ends in `.json` is
/// read as JSON, anything else as YAML, of which JSON is a part. Warnings of a
/// document that can be read are in [`Document::warnings`].
///
/// # Errors
///
/// All problems of the document, as many as can be found in one run.
pub fn read(file: &str, text: &str) -> Result<Document, Problems> {
    let file: Arc<str> = Arc::from(file);
    // A byte order mark is no part of the text; editors do not count it.
    let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(text));
    let parsed = syntax::parse(&file, &text);
    let mut problems = parsed.problems;
    let mut document = None;
    if let Some(root) = parsed.root {
        let (read, mut found) = read::document(&file, &text, root);
        document = read;
        problems.append(&mut found);
    }
    match document {
        Some(document)
            if problems
                .iter()
                .all(|problem| problem.severity == Severity::Warning) =>
        {
            Ok(document)
        }
        _ => Err(Problems::new(&text, problems)),
    }
}

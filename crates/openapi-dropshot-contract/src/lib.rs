//! Reads an OpenAPI 3.0 document with line and column, lints it, and compares two.
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
//! let problems = openapi_dropshot_contract::read("things.yaml", text).unwrap_err();
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
//! let document = openapi_dropshot_contract::read("things.yaml", &text.replace("sumary", "summary"))?;
//! assert_eq!(document.operations[0].path.value, "/things");
//! assert!(openapi_dropshot_contract::lint(&document, openapi_dropshot_contract::Profile::General).is_empty());
//! # Ok::<(), openapi_dropshot_contract::Problems>(())
//! ```
//!
//! No text makes the crate panic, hang, overflow the stack or fill the memory:
//! nesting, aliases, names and references are bounded, and what exceeds a bound
//! is a problem like any other.

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod diff;
pub mod lifecycle;
mod lint;
mod location;
pub mod meaning;
pub mod model;
mod problem;
mod read;
pub mod release;
pub mod rules;
mod suggest;
mod syntax;
mod template;
mod version;

pub use lint::lint;
pub use model::Document;
pub use problem::{Problem, Problems};
pub use rules::{Profile, Rule, Severity};

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

/// A document as [`diff::compare`] takes it: the tree, though something that a
/// document must have may be missing.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The untyped tree.
    pub root: model::Node,
    /// What [`read`] would have refused.
    pub faults: Vec<Problem>,
}

/// Reads what can be compared: the syntax must hold, the version must be
/// OpenAPI 3.0, and references must lead somewhere. All other faults are
/// listed, and do not keep the document from being compared.
///
/// # Errors
///
/// The problems that leave nothing to compare.
pub fn read_draft(file: &str, text: &str) -> Result<Draft, Problems> {
    const FATAL: &[&str] = &["openapi-version", "reference"];
    let file: Arc<str> = Arc::from(file);
    let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(text));
    let parsed = syntax::parse(&file, &text);
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    let Some(root) = parsed
        .root
        .filter(|_| !parsed.problems.iter().any(is_error))
    else {
        return Err(Problems::new(&text, parsed.problems));
    };
    let (_, mut faults) = read::document(&file, &text, root.clone());
    faults.retain(is_error);
    if faults.iter().any(|fault| FATAL.contains(&fault.rule)) {
        faults.retain(|fault| FATAL.contains(&fault.rule));
        return Err(Problems::new(&text, faults));
    }
    let faults = Problems::new(&text, faults).into_problems();
    Ok(Draft { root, faults })
}

//! Reads an OpenAPI 3.0 or 3.1 document with line and column, lints it, and compares two.
//!
//! [`read`] turns YAML or JSON into a [`Document`]: a typed model in which every
//! item knows its place and all references are valid, with the untyped tree
//! beside it. [`lint`] checks a document against rules that need more than one
//! object, [`diff::compare`] finds what changed between two documents. All rules are
//! declared in [`rules`]. A run reports every problem, and problems are displayed
//! as rustc displays errors:
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
//! No text makes the crate panic, hang, overflow the stack or exhaust the memory:
//! nesting, aliases, names and references are bounded, and exceeding a bound is a
//! problem like any other.

// The rules are in clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod dialect;
pub mod diff;
mod inner;
pub mod lifecycle;
mod lint;
mod location;
pub mod meaning;
pub mod model;
mod normal;
mod pairs;
mod problem;
mod read;
pub mod release;
pub mod rules;
pub mod suggest;
mod syntax;
mod template;
mod version;
mod written;

pub use lint::{lint, missing_statuses};
pub use model::Document;
pub use normal::normalized;
pub use problem::{Problem, Problems};
pub use rules::{Profile, Rule, Severity};

use std::sync::Arc;

/// Reads a document: syntax, structure and references.
///
/// `file` is the name of the document in messages. If it ends in `.json`, the text
/// is read as JSON, otherwise as YAML, which includes JSON. The warnings of a
/// document that can be read are in [`Document::warnings`].
///
/// # Errors
///
/// All problems of the document that can be found in one run.
pub fn read(file: &str, text: &str) -> Result<Document, Problems> {
    let (file, text) = (Arc::from(file), without_byte_order_mark(text));
    let parsed = syntax::parse(&file, &text);
    let mut problems = parsed.problems;
    let document = parsed.root.and_then(|written| {
        let is_newer = dialect::is_newer(&written);
        let named = inner::named(&written);
        let rewritten = match is_newer {
            true => Some(dialect::rewrite(
                named.as_ref().unwrap_or(&written),
                &mut problems,
            )),
            false => named,
        };
        let root = rewritten.as_ref().unwrap_or(&written);
        let (document, of_structure) = read::document(&file, &text, root, is_newer);
        problems.extend(of_structure);
        if is_newer {
            written::name_as_written(&written, &mut problems);
        }
        document.map(|document| match rewritten {
            Some(root) => Document {
                root,
                written: Some(written),
                ..document
            },
            None => Document {
                root: written,
                ..document
            },
        })
    });
    match document {
        Some(document) if !problems.iter().any(Problem::is_error) => Ok(Document {
            warnings: problems,
            ..document
        }),
        _ => Err(Problems::new(&text, problems)),
    }
}

/// The text without a byte order mark, which editors do not count.
fn without_byte_order_mark(text: &str) -> Arc<str> {
    Arc::from(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A document that can be compared although a required part may be missing.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The untyped tree.
    pub root: model::Node,
    /// The errors that [`read`] would have returned.
    pub faults: Vec<Problem>,
}

/// Reads a document for [`diff::compare`]: the syntax must be correct, the version
/// must be OpenAPI 3.0, and references must lead to components. All other errors
/// are listed and do not prevent the comparison.
///
/// # Errors
///
/// The problems that prevent a comparison.
pub fn read_draft(file: &str, text: &str) -> Result<Draft, Problems> {
    let is_fatal = |problem: &Problem| {
        let fatal = [
            &rules::document::OPENAPI_VERSION,
            &rules::document::REFERENCE,
        ];
        fatal.iter().any(|rule| rule.id == problem.rule)
    };
    let (file, text) = (Arc::from(file), without_byte_order_mark(text));
    let parsed = syntax::parse(&file, &text);
    let root = match parsed.root {
        Some(root) if !parsed.problems.iter().any(Problem::is_error) => root,
        _ => return Err(Problems::new(&text, parsed.problems)),
    };
    let mut rewriting = Vec::new();
    let is_newer = dialect::is_newer(&root);
    let named = inner::named(&root);
    let rewritten = match is_newer {
        true => Some(dialect::rewrite(
            named.as_ref().unwrap_or(&root),
            &mut rewriting,
        )),
        false => named,
    };
    let tree = rewritten.as_ref().unwrap_or(&root);
    let (_, mut faults) = read::document(&file, &text, tree, is_newer);
    faults.extend(rewriting);
    if is_newer {
        written::name_as_written(&root, &mut faults);
    }
    let root = rewritten.unwrap_or(root);
    faults.retain(Problem::is_error);
    if faults.iter().any(is_fatal) {
        faults.retain(is_fatal);
        return Err(Problems::new(&text, faults));
    }
    let faults = Problems::new(&text, faults).into_problems();
    Ok(Draft { root, faults })
}

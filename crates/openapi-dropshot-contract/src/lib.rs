//! Reads an OpenAPI 3.0, 3.1 or 3.2 document, checks it, and compares two documents. Every problem has a line and a column.
//!
//! [`read`] parses YAML or JSON into a [`Document`]: a typed model in which every item knows its place in the file and all
//! references are valid. The document also contains the untyped tree. [`lint`] checks the rules that need more than one object of
//! a document. [`diff::compare`] finds the changes between two documents. All rules are declared in [`rules`](mod@rules). Each
//! function reports every problem that it finds, not only the first one. Problems are displayed in the format of rustc:
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
//! No input makes the crate panic, hang, overflow the stack or exhaust the memory: the depth of nesting, the length of names and
//! the number of values that aliases and references copy are bounded. Exceeding a bound is an ordinary problem.

// clippy.toml lists the disallowed methods and types.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bundle;
mod dialect;
pub mod diff;
mod grammar;
mod inner_schemas;
pub mod lifecycle;
mod lint;
mod location;
pub mod meaning;
pub mod model;
mod normal;
mod null;
mod pairs;
mod parts;
mod problem;
mod reached;
mod read;
pub mod release;
pub mod rules;
mod stray;
pub mod suggest;
mod syntax;
pub mod template;
mod version;

pub use grammar::{holds_schemas_by_name, implies_type, is_annotation, is_closing};
pub use lint::{lint, missing_statuses};
pub use model::Document;
pub use normal::{normalized, renamed};
pub use parts::Parts;
pub use problem::{Problem, Problems, Texts};
pub use reached::reached;
pub use rules::{Profile, Rule, Severity};

use grammar::Since;
use model::Node;
use rules::document::EXTERNAL_REFERENCE;
use std::{borrow::Cow, sync::Arc};

/// Reads a document: checks its syntax, its structure and its references.
///
/// `file` is the name of the document in messages. If it ends in `.json`, the text
/// is read as JSON, otherwise as YAML, which includes JSON. The warnings of a
/// document that can be read are in [`Document::warnings`].
///
/// A reference to another file is an error. [`read_with_files`] follows such references.
///
/// # Errors
///
/// All problems of the document that can be found in one run.
pub fn read(file: &str, text: &str) -> Result<Document, Problems> {
    Reading::new(file, text, None, &[]).into_document()
}

/// Reads a document and the files to which it refers.
///
/// `load` returns the text of a file, or the reason why it cannot be read. Its argument is the name of the file, which begins
/// with the folder of `file`: for a reference to `schemas/book.yaml` in `spec/openapi.yaml`, the name is
/// `spec/schemas/book.yaml`. `load` is never called for a file outside of that folder, nor for a URL.
///
/// The targets of the references become parts of the document: path items are inserted at their paths, everything else becomes a
/// component. Every part keeps its place in its own file.
///
/// # Errors
///
/// All problems of the document and of the files that can be found in one run.
///
/// ```
/// let text = "\
/// openapi: 3.0.3
/// info: {title: Things, version: 1.0.0}
/// paths: {}
/// components: {schemas: {Things: {type: array, items: {$ref: 'thing.yaml'}}}}
/// ";
/// let mut load = |name: &str| match name {
///     "spec/thing.yaml" => Ok("type: string".to_owned()),
///     _ => Err("there is no such file".to_owned()),
/// };
/// let document = openapi_dropshot_contract::read_with_files("spec/openapi.yaml", text, &mut load)?;
/// assert_eq!(document.schemas["thing"].at.to_string(), "spec/thing.yaml:1:1");
/// # Ok::<(), openapi_dropshot_contract::Problems>(())
/// ```
pub fn read_with_files(
    file: &str,
    text: &str,
    load: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<Document, Problems> {
    read_without(file, text, load, &[])
}

/// Does the same as [`read_with_files`], but removes the parts with these names before it reads the rest, so that errors in these
/// parts are not reported. See [`Parts::named`] and [`Document::without`].
///
/// # Errors
///
/// All problems of the remaining document.
pub fn read_without(
    file: &str,
    text: &str,
    load: &mut dyn FnMut(&str) -> Result<String, String>,
    names: &[String],
) -> Result<Document, Problems> {
    Reading::new(file, text, Some(load), names).into_document()
}

/// Returns the parts of a document and of the files to which it refers, even if the document has errors. Returns `None` if a text
/// cannot be parsed.
pub fn parts_of(
    file: &str,
    text: &str,
    load: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Option<Parts> {
    let reading = Reading::new(file, text, Some(load), &[]);
    Some(Parts::of(
        reading.written.as_ref().or(reading.root.as_ref())?,
    ))
}

/// The result of reading a text.
#[derive(Default)]
struct Reading {
    text: Arc<str>,
    /// The other files to which it refers.
    files: Vec<bundle::File>,
    /// The problems found while parsing the texts. Because of them, parts may be missing.
    of_texts: Vec<Problem>,
    of_structure: Vec<Problem>,
    /// The tree in the form that the reader expects; `None` if the text cannot be parsed.
    root: Option<Node>,
    /// The tree as it is written, if it was rewritten for the reader.
    written: Option<Node>,
    /// The tree as it is written, before parts were removed; `None` if none were removed.
    whole: Option<Node>,
    /// The model. Its trees are not set yet.
    document: Option<Document>,
}

impl Reading {
    fn new(file: &str, text: &str, load: Option<bundle::Load<'_>>, left_out: &[String]) -> Self {
        let (file, text) = (Arc::from(file), syntax::without_byte_order_mark(text));
        let parsed = syntax::parse(&file, &text);
        let mut reading = Reading {
            text,
            of_texts: parsed.problems,
            ..Reading::default()
        };
        let Some(mut root) = parsed.root else {
            return reading;
        };
        bundle::shorten_own_references(&mut root);
        let reads_files = load.is_some();
        let bundle =
            load.and_then(|load| bundle::bundle(&file, &root, load, &mut reading.of_texts));
        if let Some(bundle) = bundle {
            (root, reading.files) = (bundle.root, bundle.files);
        }
        if !left_out.is_empty() {
            let parts = Parts::of(&root);
            let named = left_out.iter().filter_map(|name| parts.named(name));
            let rest = parts::without(&root, named.map(str::to_owned).collect());
            let is_in_rest = |problem: &Problem| rest.pointer(&problem.at.pointer).is_some();
            reading.of_texts.retain(is_in_rest);
            reading.whole = Some(std::mem::replace(&mut root, rest));
        }
        reading.read_tree(&file, root, reads_files);
        reading
    }

    /// Reads the tree as it is written.
    fn read_tree(&mut self, file: &Arc<str>, mut root: Node, reads_files: bool) {
        let version = Since::of_document(&root);
        if let Some(rewritten) = rewritten(&root, version, &mut self.of_structure) {
            self.written = Some(std::mem::replace(&mut root, rewritten));
        }
        let (document, mut problems) = read::document(file, &self.text, &root, version);
        // A reference to a file that cannot be used has already been reported when the files were loaded.
        problems.retain(|problem| !(reads_files && problem.rule == EXTERNAL_REFERENCE.id));
        self.of_structure.extend(problems);
        self.document = document;
        self.root = Some(root);
    }

    /// Returns the document, if it has no errors.
    fn into_document(self) -> Result<Document, Problems> {
        let mut problems = self.of_texts;
        problems.extend(self.of_structure);
        match (self.document, self.root) {
            (Some(document), Some(root)) if !problems.iter().any(Problem::is_error) => {
                Ok(Document {
                    root,
                    written: self.written,
                    whole: self.whole,
                    files: self.files,
                    warnings: problems,
                    ..document
                })
            }
            _ => Err(Problems::new(Texts::new(&self.text, self.files), problems)),
        }
    }
}

impl Document {
    /// Returns the document with its tree replaced by another written tree.
    fn with_tree(&self, written: Node) -> Result<Document, Problems> {
        let mut reading = Reading {
            text: Arc::clone(&self.text),
            files: self.files.clone(),
            ..Reading::default()
        };
        reading.read_tree(&self.file, written, true);
        reading.into_document()
    }
}

/// Returns the tree in the form that the reader expects; `None` if it already has this form.
fn rewritten(written: &Node, version: Since, problems: &mut Vec<Problem>) -> Option<Node> {
    let known = stray::without_stray_members(written, version, problems);
    let named = inner_schemas::name_inner_schemas(known.as_ref().unwrap_or(written)).or(known);
    dialect::rewrite(named.as_ref().unwrap_or(written), version, problems).or(named)
}

/// Returns the tree of a document with schemas of JSON Schema 2020-12. Only schemas of OpenAPI 3.0 have to be rewritten for that.
pub fn raised(root: &Node) -> Cow<'_, Node> {
    let raised = (Since::of_document(root) == Since::V30)
        .then(|| dialect::rewrite(root, Since::V30, &mut Vec::new()));
    raised.flatten().map_or(Cow::Borrowed(root), Cow::Owned)
}

/// A document that can be compared even if a required part is missing.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The untyped tree.
    pub root: Node,
    /// The errors that [`read`] would have returned.
    pub faults: Vec<Problem>,
}

/// Reads a document for [`diff::compare`]: the syntax must be correct, the version must be supported, and references must lead to
/// components. All other errors are listed in [`Draft::faults`] and do not prevent the comparison.
///
/// # Errors
///
/// The problems that prevent a comparison.
pub fn read_draft(file: &str, text: &str) -> Result<Draft, Problems> {
    read_draft_parts(file, text, None)
}

/// Reads a document for [`diff::compare`], together with the files to which the document refers, as [`read_with_files`] does.
///
/// # Errors
///
/// The problems that prevent a comparison.
pub fn read_draft_with_files(
    file: &str,
    text: &str,
    load: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<Draft, Problems> {
    read_draft_parts(file, text, Some(load))
}

fn read_draft_parts(
    file: &str,
    text: &str,
    load: Option<bundle::Load<'_>>,
) -> Result<Draft, Problems> {
    let fatal = [
        rules::document::OPENAPI_VERSION.id,
        rules::document::REFERENCE.id,
    ];
    let is_fatal = |problem: &Problem| fatal.contains(&problem.rule);
    let reading = Reading::new(file, text, load, &[]);
    let texts = Texts::new(&reading.text, reading.files);
    let root = match reading.root {
        // If a part could not be parsed, everything in it would be reported as removed.
        Some(root) if !reading.of_texts.iter().any(Problem::is_error) => root,
        _ => return Err(Problems::new(texts, reading.of_texts)),
    };
    let mut faults = reading.of_structure;
    faults.retain(Problem::is_error);
    if faults.iter().any(is_fatal) {
        faults.retain(is_fatal);
        return Err(Problems::new(texts, faults));
    }
    let faults = Problems::new(texts, faults).into_problems();
    Ok(Draft { root, faults })
}

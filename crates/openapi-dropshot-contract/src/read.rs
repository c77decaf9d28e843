//! Turns the untyped tree into the typed model, and reports everything that is
//! wrong with its structure, the types of its members and its references.

mod bodies;
mod components;
mod extensions;
mod info;
mod object;
mod parameters;
mod paths;
mod recursion;
mod reference;
mod schema;
mod security;

use crate::grammar::{ObjectKind, Since};
use crate::model::{Document, Member, Node};
use crate::problem::Problem;
use crate::rules::document::OPENAPI_VERSION;
use indexmap::IndexMap;
use object::{Log, Object};
use reference::{Ends, Section};
use std::collections::HashMap;
use std::sync::Arc;

/// The state of reading one document.
pub(crate) use object::wrong_type;

pub(crate) struct Reader<'a> {
    root: &'a Node,
    /// The version of the document.
    version: Since,
    /// The document so far. Its components are read first; references clone them.
    document: Document,
    /// The values of the examples in the components; `None` if the value is in another file.
    examples: IndexMap<String, Option<Node>>,
    /// The member `security` of the document: alternatives of schemes, each with its scopes.
    security: Vec<IndexMap<String, Vec<String>>>,
    /// Where chains of references among components end, by section.
    ends: HashMap<Section, Ends<'a>>,
    /// How many values references to components have copied so far.
    copied: usize,
    log: &'a Log,
}

/// How many values of components may be copied to where they are referred to.
/// Real documents stay far below; a small text that is made to exhaust the memory
/// does not.
pub(crate) const MAX_COPIED: usize = 2_000_000;

/// Reads a whole document from its tree. The caller adds the tree, and the warnings among
/// the problems, to the document.
pub(crate) fn document(
    file: &Arc<str>,
    text: &Arc<str>,
    root: &Node,
    version: Since,
) -> (Option<Document>, Vec<Problem>) {
    let log = Log::default();
    let reader = Reader {
        root,
        version,
        document: Document {
            file: Arc::clone(file),
            text: Arc::clone(text),
            ..Document::default()
        },
        examples: IndexMap::new(),
        security: Vec::new(),
        ends: HashMap::new(),
        copied: 0,
        log: &log,
    };
    let document = reader.read();
    (document, log.into_inner())
}

impl<'a> Reader<'a> {
    fn read(mut self) -> Option<Document> {
        self.check_version()?;
        let object = self.object(self.root, ObjectKind::Document)?;
        self.components();
        let info = self.info(&object);
        self.document.servers = self.servers(&object);
        self.document.tags = self.tags(&object);
        self.security = self.security_requirements(&object).unwrap_or_default();
        self.document.operations = self.paths(&object);
        self.document.webhooks = self.webhooks(&object);
        self.check_external_docs(&object);
        self.document.error_catalogue = self.error_catalogue();
        if !self.has_schema_cycles() {
            self.check_endless_schemas();
        }
        self.document.extensions = object.extensions();
        self.document.info = info?;
        Some(self.document)
    }

    /// Checks the version; returns `None` if it is not known. All other problems would be misleading.
    fn check_version(&self) -> Option<()> {
        let (at, message, help) = if let Some(swagger) = self.root.get("swagger") {
            let message = format!("this is a Swagger {} document", swagger.summary());
            let help = "convert it to OpenAPI 3.0 first, for example with swagger2openapi";
            (&swagger.at, message, help)
        } else if let Some(version) = self.root.get("openapi") {
            let patch = version.as_str().and_then(|text| text.strip_prefix("3.0."));
            let is_older = |patch: &str| patch.starts_with(|c: char| c.is_ascii_digit());
            if self.version > Since::V30 || patch.is_some_and(is_older) {
                return Some(());
            }
            let help = match version.as_str() {
                Some(_) => "write `openapi: 3.0.3`",
                None => "write `openapi: 3.0.3`, as a string of three numbers",
            };
            let version_text = version.summary();
            let message =
                format!("OpenAPI version {version_text} is not supported, only 3.0, 3.1 and 3.2");
            (&version.at, message, help)
        } else {
            let message = match self.root.as_object() {
                Some(_) => "the document lacks `openapi`".to_owned(),
                None => format!(
                    "expected an OpenAPI document, found {}",
                    self.root.kind_name()
                ),
            };
            (&self.root.at, message, "begin with `openapi: 3.0.3`")
        };
        self.report(OPENAPI_VERSION.problem(at, message, help));
        None
    }

    fn report(&self, problem: Problem) {
        self.log.borrow_mut().push(problem);
    }

    /// Opens an object: it must be one, and have no members but those of the grammar and
    /// extensions (`x-…`).
    fn object(&self, node: &'a Node, kind: ObjectKind) -> Option<Object<'a>> {
        Object::open(node, kind, self.version, self.log)
    }

    /// The members of a member whose names the author chooses; none where the
    /// member is absent.
    fn entries(
        &self,
        object: &Object<'a>,
        name: &str,
    ) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let node = object.get(name);
        let map = node.map(|node| self.map(node, &format!("`{name}`")));
        map.into_iter().flatten()
    }

    /// The members of an object whose names the author chooses; none, and a
    /// problem, where the node is not an object.
    fn map(&self, node: &'a Node, what: &str) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        if node.as_object().is_none() {
            self.report(object::not_an_object(node, what));
        }
        node.as_object().into_iter().flatten()
    }
}

/// A member of an object with its name.
type Entry<'a> = (&'a String, &'a Member);

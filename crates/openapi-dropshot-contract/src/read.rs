//! Converts the untyped tree into the typed model, and reports every problem of its structure, the
//! types of its members and its references.

mod bodies;
mod components;
mod extensions;
mod info;
mod parameters;
mod paths;
mod recursion;
mod reference;
mod schema;
mod security;
mod structure;

use crate::grammar::{Holds, ObjectKind, Since};
use crate::model::{Document, Extensions, Location, Member, Node, Spanned};
use crate::problem::Problem;
use crate::rules::document::{OPENAPI_VERSION, TOO_MANY_REFERENCES};
use indexmap::IndexMap;
use reference::{Ends, Section};
use std::collections::HashMap;
use std::sync::Arc;
use structure::Log;

pub(crate) use structure::wrong_type;

/// The state of reading one document.
pub(crate) struct Reader<'a> {
    root: &'a Node,
    /// The version of the document.
    version: Since,
    /// The document as far as it has been read. Its components are read first, and references clone
    /// them.
    document: Document,
    /// The values of the examples in the components; `None` if the value is in another file.
    examples: IndexMap<String, Option<Node>>,
    /// The member `security` of the document: alternative combinations of schemes, each scheme with
    /// its scopes.
    security: Vec<IndexMap<String, Vec<String>>>,
    /// Where chains of references among components end, by section.
    ends: HashMap<Section, Ends<'a>>,
    /// How many values have been copied so far because of references to components.
    copied: usize,
    log: &'a Log,
}

/// How many values of components may be copied to the places that refer to them. Real documents stay
/// far below this limit. The limit protects against small texts that are written to exhaust the
/// memory.
pub(crate) const MAX_COPIED: usize = 2_000_000;

/// Returns the problem of a reference that exceeds this limit.
pub(crate) fn too_many_copies(at: &Location) -> Problem {
    let message = format!("the references up to this one expand to more than {MAX_COPIED} values");
    TOO_MANY_REFERENCES.violation(at, message)
}

/// Reads a whole document from its tree. The caller sets the tree and the warnings of the document.
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
        let root = self.root;
        structure::check(root, ObjectKind::Document, self.version, self.log);
        self.components();
        let info = self.info();
        self.document.servers = self.servers(root);
        self.document.tags = self.tags();
        self.security = self.security_requirements(root).unwrap_or_default();
        self.document.operations = self.paths();
        self.document.webhooks = self.webhooks();
        self.document.error_catalogue = self.error_catalogue();
        if !self.has_schema_cycles() {
            self.check_endless_schemas();
        }
        self.document.extensions = root.extensions();
        self.document.info = info?;
        Some(self.document)
    }

    /// Checks the version. Returns `None` if it is not known, because all other problems would then
    /// be misleading.
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

    /// Returns a member that the grammar does not describe, and checks its type.
    fn checked(&self, node: &'a Node, name: &str, holds: Holds) -> Option<&'a Node> {
        let value = node.get(name)?;
        structure::check_value(value, name, holds, self.log);
        Some(value)
    }

    /// Does the same as [`checked`](Self::checked), but reports an absent member: other members of
    /// the object make this one required.
    fn needed(
        &self,
        node: &'a Node,
        kind: ObjectKind,
        name: &str,
        holds: Holds,
    ) -> Option<&'a Node> {
        if node.get(name).is_none() {
            structure::report_absent(node, kind, name, self.log);
        }
        self.checked(node, name, holds)
    }
}

/// A member of an object with its name.
type Entry<'a> = (&'a String, &'a Member);

/// The entries of a member that is a map, with their places.
fn entries<'a>(node: &'a Node, name: &str) -> impl Iterator<Item = Entry<'a>> + use<'a> {
    let members = node.get(name).and_then(Node::as_object);
    members.into_iter().flatten()
}

/// Accessors for the members of a tree whose structure was checked. A value of a wrong type counts as
/// absent.
impl Node {
    fn string(&self, name: &str) -> Option<String> {
        self.word(name).map(str::to_owned)
    }

    fn string_at(&self, name: &str) -> Option<Spanned<String>> {
        self.value_at(name, |value| value.as_str().map(str::to_owned))
    }

    fn strings_at(&self, name: &str) -> Vec<Spanned<String>> {
        let texts = self.items(name).iter();
        texts
            .filter_map(|item| Some(Spanned::new(item.as_str()?.to_owned(), &item.at)))
            .collect()
    }

    fn value_at<T>(&self, name: &str, value: impl Fn(&Node) -> Option<T>) -> Option<Spanned<T>> {
        let node = self.get(name)?;
        Some(Spanned::new(value(node)?, &node.at))
    }

    /// The extensions (`x-…`).
    fn extensions(&self) -> Extensions {
        let extensions = self.members().filter(|(name, _)| name.starts_with("x-"));
        extensions
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }
}

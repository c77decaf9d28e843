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

use crate::model::{Document, Location, Member, Node, NodeKind};
use crate::problem::Problem;
use crate::rules::{Rule, document as rules};
use components::Components;
use indexmap::IndexMap;
use object::Object;
use reference::{Ends, Section};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The state of reading one document.
pub(crate) struct Reader<'a> {
    root: &'a Node,
    components: Components,
    /// Where chains of references among components end, by section.
    ends: HashMap<Section, Ends<'a>>,
    /// How many values references to components have copied so far.
    copied: usize,
    problems: Vec<Problem>,
}

/// How many values of components may be copied to where they are referred to.
/// Real documents stay far below; a small text that is made to exhaust the memory
/// does not.
const MAX_COPIED: usize = 2_000_000;

const ROOT: &str = "openapi info servers paths components security tags externalDocs";

/// Reads the tree of a whole document. The problems hold warnings too; where
/// one of them is an error there is no document.
pub(crate) fn document(
    file: &Arc<str>,
    text: &Arc<str>,
    root: Node,
) -> (Option<Document>, Vec<Problem>) {
    let mut reader = Reader {
        root: &root,
        components: Components::default(),
        ends: HashMap::new(),
        copied: 0,
        problems: Vec::new(),
    };
    let document = reader.root(file, text);
    let problems = reader.problems;
    if problems.iter().any(Problem::is_error) {
        return (None, problems);
    }
    let document = document.map(|document| Document {
        root,
        warnings: problems.clone(),
        ..document
    });
    (document, problems)
}

impl Reader<'_> {
    fn root(&mut self, file: &Arc<str>, text: &Arc<str>) -> Option<Document> {
        let root = self.root;
        if !self.is_version_3_0(root) {
            return None;
        }
        let object = self.object(root, "the document", ROOT)?;
        self.components();
        let info = self.info(&object);
        let servers = self.servers(&object);
        let tags = self.tags(&object);
        let security = self.security_requirements(&object).unwrap_or_default();
        let operations = self.paths(&object, &security);
        self.check_external_docs(&object);
        let error_catalogue = self.error_catalogue();
        if !self.has_schema_cycles() {
            self.check_endless_schemas();
        }
        let components = std::mem::take(&mut self.components);
        Some(Document {
            file: Arc::clone(file),
            text: Arc::clone(text),
            // Replaced by the tree itself once nothing borrows from it.
            root: Node {
                at: root.at.clone(),
                kind: NodeKind::Null,
            },
            info: info?,
            servers,
            tags,
            operations,
            schemas: components.schemas,
            parameters: components.parameters,
            headers: components.headers,
            request_bodies: components.request_bodies,
            responses: components.responses,
            security_schemes: components.security_schemes,
            error_catalogue,
            warnings: Vec::new(),
            extensions: object.extensions(),
        })
    }

    /// Checks the version. For a document of another version, all other problems
    /// would be misleading.
    fn is_version_3_0(&mut self, root: &Node) -> bool {
        if let Some(swagger) = root.get("swagger") {
            let message = format!("this is a Swagger {} document", swagger.summary());
            let help = "convert it to OpenAPI 3.0 first, for example with swagger2openapi";
            self.report(&rules::OPENAPI_VERSION, &swagger.at, message, help);
            return false;
        }
        let Some(version) = root.get("openapi") else {
            if root.as_object().is_some() {
                let message = "the document lacks `openapi`";
                let help = "begin with `openapi: 3.0.3`";
                self.report(&rules::OPENAPI_VERSION, &root.at, message, help);
            } else {
                let message = format!("expected an OpenAPI document, found {}", root.kind_name());
                let help = "begin with `openapi: 3.0.3`";
                self.report(&rules::OPENAPI_VERSION, &root.at, message, help);
            }
            return false;
        };
        let supported = version.as_str().is_some_and(|text| {
            text.strip_prefix("3.0.")
                .is_some_and(|patch| patch.starts_with(|c: char| c.is_ascii_digit()))
        });
        if supported {
            return true;
        }
        let help = match version.as_str() {
            Some(text) if text.starts_with("3.1") || text.starts_with("3.2") => {
                "write it as OpenAPI 3.0.3: `nullable: true` for `null` in `type`, one `type` a schema, `example` for `examples`"
            }
            Some(_) => "write `openapi: 3.0.3`",
            None => "write `openapi: 3.0.3`, as a string of three numbers",
        };
        let message = format!(
            "OpenAPI version {} is not supported, only 3.0",
            version.summary()
        );
        self.report(&rules::OPENAPI_VERSION, &version.at, message, help);
        false
    }

    fn report(
        &mut self,
        rule: &Rule,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.problems.push(rule.problem(at, message, help));
    }

    /// Opens an object: it must be one, and have no members but these (separated by
    /// spaces) and extensions (`x-…`).
    fn object<'n>(
        &mut self,
        node: &'n Node,
        what: &'static str,
        allowed: &str,
    ) -> Option<Object<'n>> {
        Object::open(node, what, allowed, &mut self.problems)
    }

    /// The members of a member whose names the author chooses; none where the
    /// member is absent.
    fn entries<'n>(&mut self, object: &Object<'n>, name: &str) -> Entries<'n> {
        let map = object
            .get(name)
            .map(|node| self.map(node, &format!("`{name}`")));
        map.unwrap_or_else(|| EMPTY.iter())
    }

    /// The members of an object whose names the author chooses; none, and a
    /// problem, where the node is not an object.
    fn map<'n>(&mut self, node: &'n Node, what: &str) -> Entries<'n> {
        let Some(members) = node.as_object() else {
            self.problems.push(object::not_an_object(node, what));
            return EMPTY.iter();
        };
        members.iter()
    }
}

/// Members of an object with their names.
type Entries<'n> = indexmap::map::Iter<'n, String, Member>;

static EMPTY: LazyLock<IndexMap<String, Member>> = LazyLock::new(IndexMap::new);

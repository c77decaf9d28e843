//! From the untyped tree to the typed model: structure, types of members and
//! references. Reports everything that is wrong, not only the first. Rules
//! that span several objects of a readable document are in `lint`.

mod catalogue;
mod chains;
mod components;
mod content;
mod cycles;
mod endless;
mod extensions;
mod info;
mod object;
mod parameters;
mod paths;
mod reference;
mod responses;
mod schema;
mod security;

use crate::model::{Document, Location, Node};
use crate::problem::{Problem, Severity};
pub(crate) use info::template_variables;
pub(crate) use object::closest;

use chains::Ends;
use components::Components;
use object::Object;
use reference::Section;
use std::collections::HashMap;
use std::sync::Arc;

/// What reading collects while it walks the tree.
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
/// Real documents stay far below; a small text made to fill the memory does not.
const MAX_COPIED: usize = 2_000_000;

const ROOT: &[&str] = &[
    "openapi",
    "info",
    "servers",
    "paths",
    "components",
    "security",
    "tags",
    "externalDocs",
];

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
    if problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
    {
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
                kind: crate::model::NodeKind::Null,
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

    /// Checks the version first: a document of another one would only give a
    /// heap of problems that miss the point.
    fn is_version_3_0(&mut self, root: &Node) -> bool {
        const RULE: &str = "openapi-version";
        if let Some(swagger) = root.get("swagger") {
            self.error(
                RULE,
                &swagger.at,
                format!("this is a Swagger {} document", swagger.summary()),
                "convert it to OpenAPI 3.0 first, for example with swagger2openapi",
            );
            return false;
        }
        let Some(version) = root.get("openapi") else {
            if root.as_object().is_some() {
                self.error(
                    RULE,
                    &root.at,
                    "the document lacks `openapi`",
                    "begin with `openapi: 3.0.3`",
                );
            } else {
                let message = format!("expected an OpenAPI document, found {}", root.kind_name());
                self.error(RULE, &root.at, message, "begin with `openapi: 3.0.3`");
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
        self.error(
            RULE,
            &version.at,
            format!(
                "OpenAPI version {} is not supported, only 3.0",
                version.summary()
            ),
            help,
        );
        false
    }

    fn error(
        &mut self,
        rule: &'static str,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.problems.push(Problem::error(rule, at, message, help));
    }

    fn warning(
        &mut self,
        rule: &'static str,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.problems
            .push(Problem::warning(rule, at, message, help));
    }

    /// Opens an object: it must be one, and have no members but these and
    /// extensions (`x-…`).
    fn object<'n>(
        &mut self,
        node: &'n Node,
        what: &'static str,
        allowed: &[&str],
    ) -> Option<Object<'n>> {
        Object::open(node, what, Some(allowed), &mut self.problems)
    }

    /// Opens an object whose names are the author's own.
    fn map<'n>(&mut self, node: &'n Node, what: &'static str) -> Option<Object<'n>> {
        Object::open(node, what, None, &mut self.problems)
    }
}

//! Rewrites schemas into the form that the generator expects, without changing their meaning: several notations of other tools are
//! converted to one. Every part keeps its line and column.

mod bases;
mod conjunction;
mod content;
mod directions;
mod disjunction;
mod parameters;
mod single;

use crate::grammar::{self, ObjectKind, Since};
use crate::model::{Document, Member, Node, NodeKind, SCHEMAS, unescape_pointer_token};
use crate::null::allows_null;
use crate::problem::Problem;
use crate::rules::document as rules;
use indexmap::IndexMap;
use std::{cell::Cell, collections::BTreeSet};

/// How many references and parts of `allOf` are followed from one schema.
const LONGEST_CHAIN: usize = 32;

/// How many schemas are examined for one question about a schema.
const MOST_STEPS: usize = 2_000;

/// How many values may be copied into alternatives.
const MOST_COPIED: usize = 200_000;

/// Returns the document in the form that the generator expects, or `None` if it already has this form. The meaning of the document
/// stays the same, with two exceptions, for which [`lint`](crate::lint) reports a warning: keywords of one type without a `type`
/// imply the type, and keywords and bodies without an effect are removed. The service still serves the text as it is written:
/// [`Document::as_written`].
///
/// - `allOf` of strings, numbers or arrays becomes one schema.
/// - Keywords beside `oneOf` or `anyOf` of objects become a part of each alternative.
/// - A component with a `discriminator` and without `oneOf` or `anyOf` becomes a choice between the components that refer to it in
///   `allOf`, wherever the component is used as the schema of a value.
/// - A component with required members that are `readOnly` or `writeOnly` becomes two components if it is used in both directions.
///   Requests use the component whose name ends in `Input`.
/// - A required member that is not described may have any value.
/// - `not: {}`, which no value fulfils, is removed if it only excludes an alternative or a property.
/// - A query parameter that is an object becomes one parameter for each member.
/// - A body of `*/*` whose schema is not a string becomes a body of `application/json`.
/// - An operation without `operationId` gets one from [`Document::operation_names`].
pub fn normalized(document: &Document) -> Option<Document> {
    if document.is_normal {
        return None;
    }
    let (mut root, _) = rewritten(document);
    name_operations(document, &mut root);
    if root == document.root {
        return None;
    }
    let (read, problems) = with_tree(document, root);
    let warnings = document.warnings.clone();
    let read = read.filter(|_| !problems.iter().any(Problem::is_error))?;
    Some(Document { warnings, ..read })
}

/// Returns a document in normal form with other names for some of its component schemas. The values of discriminators stay the
/// same.
pub fn renamed(document: &Document, names: &IndexMap<String, String>) -> Option<Document> {
    let mut root = document.root.clone();
    // A value that already leads to the alternative stays.
    let is_mapped = |mapping: &Node, name: &str| {
        let mut targets = mapping.members().map(|(_, target)| name_in(target));
        targets.any(|target| target.as_deref() == Some(name))
    };
    keep_values_of_discriminators(&mut root, ObjectKind::Document, names, &is_mapped);
    rename(&mut root, ObjectKind::Document, names);
    if let Some(schemas) = component_schemas_mut(&mut root) {
        let renamed = std::mem::take(schemas).into_iter().map(|(name, member)| {
            let new = names.get(&name).cloned();
            (new.unwrap_or(name), member)
        });
        *schemas = renamed.collect();
    }
    root.update_pointers();
    with_tree(document, root).0
}

/// Reads a tree in normal form that was made from a document.
fn with_tree(document: &Document, root: Node) -> (Option<Document>, Vec<Problem>) {
    let version = Since::of_document(&root).max(Since::V31);
    let (read, problems) = crate::read::document(&document.file, &document.text, &root, version);
    let read = read.map(|read| Document {
        root,
        written: Some(document.as_written().clone()),
        whole: document.whole.clone(),
        is_normal: true,
        files: document.files.clone(),
        ..read
    });
    (read, problems)
}

/// Adds the old name of each renamed alternative to the mapping of its discriminator, unless `is_mapped` returns true for the mapping
/// and the name.
fn keep_values_of_discriminators(
    node: &mut Node,
    kind: ObjectKind,
    names: &IndexMap<String, String>,
    is_mapped: &dyn Fn(&Node, &str) -> bool,
) {
    grammar::visit_mut(node, kind, &mut |_, node| {
        let alternatives = node.items("oneOf").iter().chain(node.items("anyOf"));
        let references = alternatives.filter_map(|part| part.get("$ref")).cloned();
        for reference in references.collect::<Vec<Node>>() {
            if let Some(name) = name_in(&reference).filter(|name| names.contains_key(name))
                && let Some(discriminator) = node.get_mut("discriminator")
                && let Some(mapping) = discriminator.get_or_add("mapping")
                && !is_mapped(mapping, &name)
            {
                mapping.set(&name, reference);
            }
        }
        true
    });
}

/// Returns a warning for each keyword or body that has no effect, and for each type that is assumed.
pub(crate) fn warnings(document: &Document) -> Vec<Problem> {
    if document.is_normal {
        return Vec::new();
    }
    rewritten(document).1
}

fn rewritten(document: &Document) -> (Node, Vec<Problem>) {
    let mut root = document.root.clone();
    content::rewrite(&mut root, &document.root);
    parameters::rewrite(&mut root);
    bases::rewrite(&mut root);
    directions::rewrite(&mut root);
    let before = root.clone();
    let mut normalizer = Normalizer {
        before: &before,
        written: (document
            .as_written()
            .components("schemas")
            .map(|(name, _)| name))
        .collect(),
        warnings: Vec::new(),
        copied: 0,
    };
    grammar::visit_mut(&mut root, ObjectKind::Document, &mut |kind, node| {
        match kind {
            ObjectKind::Schema => normalizer.schema(node, Position::Whole, false),
            ObjectKind::Operation => normalizer.remove_bodies(node),
            _ => {}
        }
        // No code is generated from callbacks.
        !matches!(kind, ObjectKind::Schema | ObjectKind::Callback)
    });
    root.update_pointers();
    (root, normalizer.warnings)
}

/// Gives the operations without an id the names that [`Document::operation_names`] makes.
fn name_operations(document: &Document, root: &mut Node) {
    let names = document.operation_names();
    for (operation, name) in document.operations.iter().zip(names) {
        if operation.id.is_none()
            && let Some(node) = root.pointer_mut(&operation.at.pointer)
        {
            node.set("operationId", Node::text(&node.at.clone(), name));
        }
    }
    root.update_pointers();
}

/// How far schemas are followed for one question. The length of each chain of references is bounded, and so is the number of
/// steps on all chains, so that no document makes this take long.
#[derive(Clone, Copy)]
struct Budget<'c> {
    chain: usize,
    steps: &'c Cell<usize>,
}

impl<'c> Budget<'c> {
    fn new(steps: &'c Cell<usize>) -> Self {
        steps.set(MOST_STEPS);
        Budget {
            chain: LONGEST_CHAIN,
            steps,
        }
    }

    /// Returns the budget after one more step; `None` if it is used up.
    fn next(self) -> Option<Self> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        let chain = self.chain.checked_sub(1)?;
        Some(Budget { chain, ..self })
    }
}

/// The state of rewriting the schemas of a document.
struct Normalizer<'b> {
    /// The document before its schemas are rewritten. References are looked up in it.
    before: &'b Node,
    /// The names of the components that the author wrote.
    written: BTreeSet<&'b str>,
    warnings: Vec<Problem>,
    copied: usize,
}

/// The position of a schema in the schema or object that contains it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A component, a body or a parameter.
    Whole,
    /// A member of an object.
    Member,
    /// A part of `allOf`.
    Conjunct,
    /// Any other schema inside a schema, such as that of the elements (`items`), of members that `properties` does not list
    /// (`additionalProperties`), or of an alternative (`oneOf`, `anyOf`).
    Part,
}

impl Normalizer<'_> {
    /// Removes the bodies of responses whose status forbids one.
    fn remove_bodies(&mut self, operation: &mut Node) {
        let responses = operation.get_mut("responses").and_then(Node::members_mut);
        for (status, member) in responses.into_iter().flatten() {
            if !["204", "205", "304"].contains(&status.as_str()) {
                continue;
            }
            let mut response = self.before.resolve(&member.value).clone();
            let content = response.remove("content");
            if content.is_some_and(|content| content.members().next().is_some()) {
                let message =
                    format!("a response with status {status} has no body: its content is ignored");
                let help = "remove its `content`, or use another status";
                let problem = rules::MEANINGLESS_BODY.problem(&member.value.at, message, help);
                self.warnings.push(problem);
                member.value = response;
            }
        }
    }

    /// Rewrites a schema and the schemas inside of it. `is_typed` tells whether the type of the values is already given: by a
    /// schema that contains this one, or by another part of that schema.
    fn schema(&mut self, node: &mut Node, position: Position, is_typed: bool) {
        if node.as_object().is_none() || node.get("$ref").is_some() {
            return;
        }
        single::move_annotations_of_parts(self.before, node);
        // This must happen before types are assumed, because an assumed type would exclude `null`.
        let mut null = node.remove_null();
        let is_joined = conjunction::has_several(node);
        let writes_type = single::writes_type(self.before, node);
        if null.is_none() && is_joined && writes_type && allows_null(self.before, node) {
            null = Some(node.at.clone());
        }
        let is_typed = is_typed || writes_type;
        self.parts(node, is_typed);
        single::never(node);
        self.assume_type(node, is_typed);
        self.remove_keywords_of_other_types(node, null.is_some());
        self.remove_repeated_values(node);
        single::remove_keywords_beside_enum(node);
        self.remove_misplaced_keywords(node, position);
        let is_null = single::enumeration(node, &mut null);
        self.conjunction(node);
        single::elements(node);
        self.disjunction(node);
        if position != Position::Conjunct {
            self.describe_required(node);
        }
        if let Some(at) = null.filter(|_| !is_null) {
            node.allow_null(&at);
        }
    }

    /// Rewrites the schemas inside of a schema, except the schemas in keywords that no Rust type can express.
    fn parts(&mut self, node: &mut Node, is_typed: bool) {
        grammar::each_part_mut(node, ObjectKind::Schema, &mut |keyword, _, part| {
            let position = match keyword.name {
                "properties" => Position::Member,
                "allOf" => Position::Conjunct,
                _ => Position::Part,
            };
            let is_typed = is_typed && ["allOf", "oneOf", "anyOf"].contains(&keyword.name);
            let is_newer = ["prefixItems", "propertyNames"].contains(&keyword.name);
            if keyword.since == Since::V30 || is_newer {
                self.schema(part, position, is_typed);
            }
        });
    }
}

/// The kinds of values that a schema describes. Rewriting needs only this distinction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Object,
    Array,
    Scalar,
    Alternatives,
}

/// Returns the kind of a schema; `None` if the schema does not restrict the kind, or allows several kinds.
fn kind_of(root: &Node, node: &Node) -> Option<ValueKind> {
    let own = |node: &Node| {
        let node = node.without_null();
        if single::has_alternatives(node) {
            return Some(ValueKind::Alternatives);
        }
        single::type_of(node).map(|kind| match kind {
            "object" => ValueKind::Object,
            "array" => ValueKind::Array,
            _ => ValueKind::Scalar,
        })
    };
    let inner = node.without_null();
    match inner.get("$ref") {
        None if inner.get("allOf").is_none() => own(inner),
        _ => conjuncts(root, node).into_iter().find_map(own),
    }
}

/// Returns the schemas that apply to the values of a schema: the schema itself, or its target if it is a reference, and the parts
/// of `allOf`. The outer schemas come first.
fn conjuncts<'n>(root: &'n Node, node: &'n Node) -> Vec<&'n Node> {
    let mut found = Vec::new();
    let mut open = vec![(node, LONGEST_CHAIN)];
    for _ in 0..MOST_STEPS {
        let Some((node, left)) = open.pop() else {
            break;
        };
        let Some(left) = left.checked_sub(1) else {
            continue;
        };
        if node.get("$ref").is_some() {
            open.extend(root.target(node).map(|target| (target, left)));
            continue;
        }
        found.push(node);
        let inner = node.without_null();
        found.extend((!std::ptr::eq(node, inner)).then_some(inner));
        let parts = inner.items("allOf").iter().rev();
        open.extend(parts.map(|part| (part, left)));
    }
    found
}

/// Returns the name of the component schema to which `$ref` or a value of `discriminator.mapping` leads.
fn name_in(reference: &Node) -> Option<String> {
    let text = reference.as_str()?;
    let name = text.strip_prefix(SCHEMAS).unwrap_or(text);
    (!name.contains('/')).then(|| unescape_pointer_token(name))
}

/// Returns the component schemas, to change them.
fn component_schemas_mut(root: &mut Node) -> Option<&mut IndexMap<String, Member>> {
    let components = root.get_mut("components")?;
    components.get_mut("schemas")?.members_mut()
}

/// Replaces the references to component schemas.
fn rename(node: &mut Node, kind: ObjectKind, names: &IndexMap<String, String>) {
    grammar::each_reference_mut(node, kind, &mut |_, reference| {
        if let NodeKind::String(text) = &mut reference.kind
            && let prefix = text.strip_prefix(SCHEMAS).map_or("", |_| SCHEMAS)
            && let Some(new) = names.get(&unescape_pointer_token(&text[prefix.len()..]))
        {
            *text = format!("{prefix}{new}");
        }
    });
}

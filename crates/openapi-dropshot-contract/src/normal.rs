//! Rewrites schemas in the form that the generator knows, without a change of their
//! meaning: what other tools write in several ways becomes one way. Every part keeps its
//! line and column.

mod bases;
mod conjunction;
mod directions;
mod disjunction;
mod null;
mod parameters;
mod single;

use crate::dialect::{flag, insert, members, place, remove, values};
use crate::model::{Document, Member, Node, NodeKind, unescape_pointer_token};
use crate::problem::Problem;
use indexmap::IndexMap;
use std::{cell::Cell, collections::BTreeSet, sync::Arc};

pub(crate) use conjunction::is_wider;

/// The place of component schemas in references.
const SCHEMAS: &str = "#/components/schemas/";

/// How many references and parts of `allOf` are followed from one schema.
const LONGEST_CHAIN: usize = 32;

/// How many schemas are looked at for one question about a schema.
const MOST_STEPS: usize = 2_000;

/// How many values may be copied into alternatives.
const MOST_COPIED: usize = 200_000;

/// Returns the document in the form that the generator knows, or `None` if it has this form
/// already. What it says stays the same, with these exceptions, of which
/// [`lint`](crate::lint) warns: keywords of one type without a `type` imply the type, and
/// keywords without an effect are left out. The text that is served stays as it is
/// written: [`Document::as_written`].
///
/// - `allOf` of texts, numbers or arrays becomes one schema.
/// - What is beside `oneOf` or `anyOf` of objects becomes a part of each alternative.
/// - A component with a `discriminator` and without alternatives becomes the alternatives
///   that refer to it in `allOf`, wherever a value of it is meant.
/// - A component with required members that are `readOnly` or `writeOnly` becomes two, if it
///   is used in both directions: requests have the one whose name ends in `Input`.
/// - A member that is required and not described may have any value.
/// - `not: {}`, which no value fulfils, is left out where it stands for nothing.
/// - A parameter of a query that is an object becomes one parameter for each member.
/// - An operation without `operationId` gets one: [`Document::operation_names`].
pub fn normalized(document: &Document) -> Option<Document> {
    if document.is_normal {
        return None;
    }
    let (mut root, _) = rewritten(document);
    name_operations(document, &mut root);
    if root == document.root {
        return None;
    }
    let (read, problems) = crate::read::document(&document.file, &document.text, &root, true);
    if problems.iter().any(Problem::is_error) {
        return None;
    }
    let written = document.as_written().clone();
    Some(Document {
        root,
        written: Some(written),
        warnings: document.warnings.clone(),
        is_normal: true,
        files: document.files.clone(),
        ..read?
    })
}

/// Returns what has no effect, or is assumed, as warnings.
pub(crate) fn warnings(document: &Document) -> Vec<Problem> {
    if document.is_normal {
        return Vec::new();
    }
    rewritten(document).1
}

fn rewritten(document: &Document) -> (Node, Vec<Problem>) {
    let mut root = document.root.clone();
    parameters::rewrite(&mut root);
    bases::rewrite(&mut root);
    directions::rewrite(&mut root);
    let mut normalizer = Normalizer {
        components: Arc::new(components(&root)),
        written: components(document.as_written()).into_keys().collect(),
        warnings: Vec::new(),
        copied: 0,
    };
    each_schema(&mut root, false, &mut |schema| {
        normalizer.schema(schema, Place::Whole, false);
    });
    place(&mut root, &mut String::new());
    (root, normalizer.warnings)
}

/// Gives the operations without an id the names that [`Document::operation_names`] makes.
fn name_operations(document: &Document, root: &mut Node) {
    let names = document.operation_names();
    for (operation, name) in document.operations.iter().zip(names) {
        if operation.id.is_none()
            && let Some(node) = crate::inner::pointer_mut(root, &operation.at.pointer)
        {
            let at = node.at.clone();
            let id = Node::of(at, NodeKind::String(name));
            crate::dialect::insert(node, "operationId", id);
        }
    }
    place(root, &mut String::new());
}

/// How far references and parts of `allOf` are followed, so that no document makes this take
/// long: each way is bounded, and so is the number of steps on all ways.
#[derive(Clone, Copy)]
struct Left<'c> {
    chain: usize,
    steps: &'c Cell<usize>,
}

impl<'c> Left<'c> {
    fn of(steps: &'c Cell<usize>) -> Self {
        Left {
            chain: LONGEST_CHAIN,
            steps,
        }
    }

    /// Returns what is left after one more step.
    fn next(self) -> Option<Self> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        let chain = self.chain.checked_sub(1)?;
        Some(Left { chain, ..self })
    }
}

/// Returns the number of steps for one question.
fn steps() -> Cell<usize> {
    Cell::new(MOST_STEPS)
}

/// The state of rewriting the schemas of a document.
struct Normalizer {
    /// The component schemas as they were before.
    components: Arc<IndexMap<String, Node>>,
    /// The names of the components that the author wrote.
    written: BTreeSet<String>,
    warnings: Vec<Problem>,
    copied: usize,
}

/// What a schema is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A component, a body or a parameter.
    Whole,
    /// A member of an object.
    Member,
    /// An element, a member without a name, or an alternative.
    Part,
    /// A part of `allOf`.
    Conjunct,
}

impl Normalizer {
    /// Rewrites a schema and the schemas inside of it. `is_typed` tells whether a schema of
    /// which this one is a part, or another part of that schema, has a type for its values.
    fn schema(&mut self, node: &mut Node, place: Place, is_typed: bool) {
        if members(node).is_none() || node.get("$ref").is_some() {
            return;
        }
        single::texts_of_parts(node);
        // Before types are assumed, which would exclude `null`.
        let is_joined = conjunction::has_several(node);
        let allows_null = is_joined && null::allows_null(&self.components, node);
        let is_typed = is_typed || single::writes_type(&self.components, node, Left::of(&steps()));
        self.parts(node, is_typed);
        single::never(node);
        self.assume_type(node, is_typed);
        self.idle(node, place);
        single::enumeration(node);
        self.conjunction(node);
        if is_joined && null::is_nullable(node) != allows_null {
            let at = node.at.clone();
            match allows_null {
                true => insert(node, "nullable", flag(&at)),
                false => drop(remove(node, "nullable")),
            }
        }
        self.disjunction(node);
        if place != Place::Conjunct {
            self.describe_required(node);
        }
    }

    /// Rewrites the schemas inside of a schema.
    fn parts(&mut self, node: &mut Node, is_typed: bool) {
        for (keyword, member) in members(node).into_iter().flatten() {
            let value = &mut member.value;
            match keyword.as_str() {
                "properties" => {
                    values(value).for_each(|part| self.schema(part, Place::Member, false));
                }
                "items" | "additionalProperties" | "not" => {
                    self.schema(value, Place::Part, false);
                }
                "allOf" | "oneOf" | "anyOf" => {
                    let place = match keyword.as_str() {
                        "allOf" => Place::Conjunct,
                        _ => Place::Part,
                    };
                    if let NodeKind::Array(parts) = &mut value.kind {
                        for part in parts {
                            self.schema(part, place, is_typed);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The kinds of values that a schema describes, as far as rewriting needs to know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    Scalar,
    Alternatives,
}

/// Returns the kind of a schema; `None` if it does not restrict the kind, or is of several.
fn kind_of(components: &IndexMap<String, Node>, node: &Node) -> Option<Kind> {
    kind_within(components, node, Left::of(&steps()))
}

fn kind_within(components: &IndexMap<String, Node>, node: &Node, left: Left<'_>) -> Option<Kind> {
    let left = left.next()?;
    if let Some(reference) = node.get("$ref") {
        return kind_within(components, target(components, reference)?, left);
    }
    if single::has_alternatives(node) {
        return Some(Kind::Alternatives);
    }
    if let Some(kind) = single::type_of(node) {
        return Some(match kind {
            "object" => Kind::Object,
            "array" => Kind::Array,
            _ => Kind::Scalar,
        });
    }
    let parts = node.get("allOf").and_then(Node::as_array);
    let mut kinds = parts.into_iter().flatten();
    kinds.find_map(|part| kind_within(components, part, left))
}

/// Returns the component to which the value of `$ref` leads.
fn target<'n>(components: &'n IndexMap<String, Node>, reference: &Node) -> Option<&'n Node> {
    components.get(&name_in(reference)?)
}

/// Returns the name of the component in the value of `$ref`.
fn name_in(reference: &Node) -> Option<String> {
    let name = reference.as_str()?.strip_prefix(SCHEMAS)?;
    (!name.contains('/')).then(|| unescape_pointer_token(name))
}

fn components(root: &Node) -> IndexMap<String, Node> {
    let schemas = root.get("components").and_then(|own| own.get("schemas"));
    let members = schemas.and_then(Node::as_object).into_iter().flatten();
    let clone = |(name, member): (&String, &Member)| (name.clone(), member.value.clone());
    members.map(clone).collect()
}

/// Returns the component schemas, to change them.
fn schemas_of(root: &mut Node) -> Option<&mut IndexMap<String, Member>> {
    let components = &mut members(root)?.get_mut("components")?.value;
    members(&mut members(components)?.get_mut("schemas")?.value)
}

/// Calls the callback for each schema that is not inside of another one.
pub(crate) fn each_schema(node: &mut Node, is_map: bool, callback: &mut dyn FnMut(&mut Node)) {
    match &mut node.kind {
        NodeKind::Array(items) => {
            for item in items {
                each_schema(item, false, callback);
            }
        }
        NodeKind::Object(members) => {
            for (name, member) in members {
                let value = &mut member.value;
                match name.as_str() {
                    _ if is_map => each_schema(value, false, callback),
                    "schema" => callback(value),
                    "schemas" => values(value).for_each(&mut *callback),
                    "example" | "examples" | "value" | "security" | "scopes" | "links"
                    | "callbacks" => {}
                    name if name.starts_with("x-") => {}
                    "parameters" if value.as_object().is_none() => {
                        each_schema(value, false, callback);
                    }
                    name => each_schema(value, crate::dialect::MAPS.contains(&name), callback),
                }
            }
        }
        _ => {}
    }
}

/// Replaces the references to component schemas. In a map the names of the members have no
/// meaning.
fn rename(node: &mut Node, is_map: bool, names: &IndexMap<String, String>) {
    let new_name = |value: &Node| {
        let name = value.as_str()?;
        let (prefix, name) = match name.strip_prefix(SCHEMAS) {
            Some(name) => (SCHEMAS, name),
            None => ("", name),
        };
        let new = names.get(&unescape_pointer_token(name))?;
        Some(format!("{prefix}{new}"))
    };
    match &mut node.kind {
        NodeKind::Array(items) => items.iter_mut().for_each(|item| rename(item, false, names)),
        NodeKind::Object(members) => {
            for (name, member) in members {
                let value = &mut member.value;
                match name.as_str() {
                    _ if is_map => rename(value, false, names),
                    "$ref" => {
                        if let Some(new) = new_name(value).filter(|new| new.starts_with(SCHEMAS)) {
                            value.kind = NodeKind::String(new);
                        }
                    }
                    "mapping" if value.as_object().is_some() => {
                        for target in values(value) {
                            if let Some(new) = new_name(target) {
                                target.kind = NodeKind::String(new);
                            }
                        }
                    }
                    "example" | "examples" | "default" | "enum" => {}
                    name => {
                        let is_map = crate::dialect::is_map(name, value);
                        rename(value, is_map, names);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Makes a name that no component has.
fn free_name(components: &IndexMap<String, Node>, wanted: String) -> String {
    let mut name = wanted.clone();
    let mut number = 2;
    while components.contains_key(&name) {
        name = format!("{wanted}{number}");
        number += 1;
    }
    name
}
